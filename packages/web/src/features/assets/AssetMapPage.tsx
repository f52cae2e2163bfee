import type { Asset } from '@leitstand/contract/assets'
import { Group, Title, UnstyledButton } from '@mantine/core'
import { IconNavigation } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { TFunction } from 'i18next'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../lib/api.ts'
import { one, useUrlSearch } from '../../lib/url.ts'
import { ErrorState } from '../../ui/feedback/ErrorState.tsx'
import { FilterBar } from '../../ui/list/FilterBar.tsx'
import { listParams } from '../../ui/list/params.ts'
import { useListState } from '../../ui/list/state.ts'
import { ClusterMap } from '../../ui/map/ClusterMap.tsx'
import { MapPage } from '../../ui/map/MapPage.tsx'
import type { MapArea, MapBounds, MapPoint } from '../../ui/map/MapView.tsx'
import { firstView, partOf } from '../../ui/map/view.ts'
import { AssetPanel } from './AssetPanel.tsx'
import { AssetsSwitch } from './AssetsSwitch.tsx'
import { assetFilter, placeTone, todayOf } from './pure.ts'
import { useAssetFilters } from './useAssetFilters.ts'
import { refreshMs } from './useAssets.ts'

const extentEveryMs = 60_000
/** Pixels; assets nearer to each other are one group. */
const distance = 50

type Selection = ReturnType<typeof assetFilter> & { search?: string; accountIds?: number[] }
type Placed = Asset & { position: NonNullable<Asset['position']> }

const isPlaced = (asset: Asset): asset is Placed => asset.position !== null

function pointOf(asset: Placed, t: TFunction): MapPoint {
  return {
    id: String(asset.id),
    ...asset.position,
    title: asset.title,
    tone: placeTone(asset.place),
    detail: [t(`assets.places.${asset.place}`), asset.zone?.title ?? t('assets.noZone')].join(' · '),
    icon: { name: 'asset', shape: IconNavigation },
  }
}

/** Assets on a map, with the zones: `/is-assetmgmt/map`. */
export default function AssetMapPage() {
  const { t } = useTranslation()
  const filters = useAssetFilters()
  const list = useListState(filters)
  const { search, accountIds, filters: chosen } = listParams(list.state, undefined)
  const selection: Selection = {
    ...(search ? { search } : {}),
    ...(accountIds ? { accountIds } : {}),
    ...assetFilter(chosen, todayOf(new Date())),
  }
  const extent = useQuery({
    ...api.isAssetMgmt.geo.queryOptions({ input: { zoom: 0, ...selection } }),
    select: ({ count, total, bounds }) => ({ placed: count, total, bounds }),
    placeholderData: keepPreviousData,
    refetchInterval: extentEveryMs,
  })
  return (
    <MapPage
      heading={<Title order={1}>{t('screens.assetMap.title')}</Title>}
      actions={<AssetsSwitch view="map" />}
      above={
        <FilterBar
          list={list}
          filters={filters}
          searchPlaceholder={t('assets.searchPlaceholder')}
          withAccounts
          withFavorites={false}
        />
      }
      extent={extent}
      asked={selection}
      none={{ title: t('assets.map.none'), text: t('assets.map.noneText') }}
    >
      {(bounds) => <AssetMap selection={selection} bounds={bounds} />}
    </MapPage>
  )
}

function AssetMap({ selection, bounds }: { selection: Selection; bounds: MapBounds }) {
  const { t } = useTranslation()
  const [address, update] = useUrlSearch()
  const [view, setView] = useState(() => firstView(bounds))
  const query = useQuery({
    ...api.isAssetMgmt.geo.queryOptions({ input: { ...selection, ...partOf(view), distance } }),
    placeholderData: keepPreviousData,
    refetchInterval: refreshMs,
  })
  const { data } = query
  const points = useMemo(
    (): MapPoint[] =>
      data
        ? [
            ...data.assets.filter(isPlaced).map((asset) => pointOf(asset, t)),
            ...data.groups.map(({ id, count, latitude, longitude }) => ({
              id,
              count,
              latitude,
              longitude,
              tone: 'accent' as const,
              title: t('assets.map.group', { count }),
            })),
          ]
        : [],
    [data, t],
  )
  const areas = useMemo(
    (): MapArea[] => data?.zones.map(({ polygon }) => ({ polygon, tone: 'accent' })) ?? [],
    [data],
  )
  const chosen = one(address, 'chosen') ?? null
  const choose = (id: string | null) => update({ chosen: id ?? undefined })
  const isAsset = chosen !== null && /^[1-9]\d{0,8}$/.test(chosen)
  return (
    <>
      {query.isLoadingError ? <ErrorState error={query.error} onRetry={() => void query.refetch()} /> : null}
      <ClusterMap<Placed>
        title={t('screens.assetMap.title')}
        height="max(420px, calc(100dvh - 258px))"
        bounds={bounds}
        points={points}
        areas={areas}
        selectedId={chosen}
        onSelect={choose}
        panel={
          isAsset ? <AssetPanel key={chosen} id={Number(chosen)} onClose={() => choose(null)} /> : undefined
        }
        cut={undefined}
        onView={setView}
        breakOpen={async (id) => {
          const group = data?.groups.find((each) => each.id === id)
          if (group === undefined) return { items: [], total: 0, bounds: null }
          const inside = await client.isAssetMgmt.geo({ ...selection, ...group.bounds, zoom: 22 })
          return { items: inside.assets.filter(isPlaced), total: group.count, bounds: group.bounds }
        }}
        sameTitle={t('assets.map.same')}
        toPoint={(asset) => pointOf(asset, t)}
        renderPlace={(asset) => (
          <Group justify="space-between" wrap="nowrap">
            <UnstyledButton fw={550} onClick={() => choose(String(asset.id))}>
              {asset.title}
            </UnstyledButton>
          </Group>
        )}
      />
    </>
  )
}
