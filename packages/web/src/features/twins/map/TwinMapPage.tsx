import type { MapSettings } from '@leitstand/contract/mapSettings'
import type { TwinPlace } from '@leitstand/contract/twins'
import { Group, Title, UnstyledButton } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../../lib/api.ts'
import { one, useUrlSearch } from '../../../lib/url.ts'
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx'
import { isMissing, NotFound } from '../../../ui/feedback/NotFound.tsx'
import { FilterBar } from '../../../ui/list/FilterBar.tsx'
import { listParams } from '../../../ui/list/params.ts'
import { useListState } from '../../../ui/list/state.ts'
import type { ListFilter, ListParams } from '../../../ui/list/types.ts'
import { ClusterMap } from '../../../ui/map/ClusterMap.tsx'
import { MapPage } from '../../../ui/map/MapPage.tsx'
import type { MapBounds, MapPlan } from '../../../ui/map/MapView.tsx'
import { firstView, partOf } from '../../../ui/map/view.ts'
import { RouterLink } from '../../../ui/page/RouterLink.tsx'
import { twinMapPath, twinPath } from '../kinds.ts'
import { type TwinMapFloorsProps, twinMapFloors } from '../slots.ts'
import { LevelIcon } from '../states/StateValue.tsx'
import { TwinsSwitch } from '../TwinsSwitch.tsx'
import { useTwinFilters } from '../useTwinFilters.ts'
import { MapSettingsButton } from './MapSettingsButton.tsx'
import { MarkerValue } from './MarkerValue.tsx'
import { askedMarkers } from './markers.ts'
import { areasOf, middlesOf, placePoint, pointsOf } from './points.ts'
import { TwinPanel } from './TwinPanel.tsx'
import { type ShownSettings, useMapSettings } from './useMapSettings.ts'
import { useTwinMoves } from './useTwinMoves.ts'

/** Maximum listed members of a group that the map cannot separate by zooming. */
const listedMax = 100
/** Twins move, and their values change. */
const refreshMs = 10_000
const extentEveryMs = 60_000

/** A twin and everything below it on a map, or all twins with id 0: `/digitaltwin-mgmt/map/twin/{twinId}`. */
export default function TwinMapPage() {
  const { twinId } = useParams({ strict: false }) as { twinId: string }
  const id = Number(twinId) || 0
  const filters = useMapFilters()
  const list = useListState(filters)
  const [search, update] = useUrlSearch()
  const floor = one(search, 'floor')
  const [Floors] = twinMapFloors.parts
  if (!Floors) throw new Error('the slot twinMapFloors has one part')
  return (
    <Floors
      twinId={id}
      chosen={floor !== undefined && /^[1-9]\d{0,8}$/.test(floor) ? Number(floor) : null}
      onChoose={(floorId) =>
        update({ floor: floorId === null ? undefined : String(floorId), chosen: undefined })
      }
    >
      {(shown) => <MapOf id={id} shown={shown} list={list} filters={filters} />}
    </Floors>
  )
}

type Shown = Parameters<TwinMapFloorsProps['children']>[0]

interface MapOfProps {
  id: number
  shown: Shown
  list: ReturnType<typeof useListState>
  filters: ListFilter[]
}

function MapOf({ id, shown, list, filters }: MapOfProps) {
  const { t } = useTranslation()
  const shownId = shown.floorId ?? id
  const map = useMapSettings(shownId)
  const { settings } = map
  const wanted = selectionOf(shownId, listParams(list.state, undefined), settings?.tags)
  const extent = useQuery(
    api.digitaltwin.geoMetaInfos.queryOptions({
      input: wanted.selection,
      enabled: settings !== undefined,
      placeholderData: keepPreviousData,
      refetchInterval: extentEveryMs,
    }),
  )
  const twin = useQuery(api.digitaltwin.get.queryOptions({ input: { id }, enabled: id > 0 }))
  if (isMissing(twin.error)) return <NotFound error={twin.error} listPath={twinMapPath(0)} />
  return (
    <MapPage
      heading={<Heading id={id} title={twin.data?.title} />}
      actions={
        <Group gap={8}>
          {shown.picker}
          <TwinsSwitch view="map" />
        </Group>
      }
      above={
        <FilterBar
          list={list}
          filters={filters}
          searchPlaceholder={t('twins.searchPlaceholder')}
          withAccounts
          withFavorites={false}
        />
      }
      extent={extent}
      asked={wanted.selection}
      around={shown.bounds}
      none={{ title: t('twins.map.none'), text: t('twins.map.noneText') }}
    >
      {(bounds) =>
        settings ? (
          <Clusters
            key={cameraKey(settings)}
            twinId={shownId}
            title={shownId === id ? twin.data?.title : undefined}
            wanted={wanted}
            bounds={shown.bounds ?? bounds}
            plan={shown.plan}
            map={{ ...map, settings }}
          />
        ) : null
      }
    </MapPage>
  )
}

/** The title of the twin, which leads to its page. */
function Heading({ id, title }: { id: number; title: string | undefined }) {
  const { t } = useTranslation()
  return (
    <Title order={1}>
      {title === undefined ? (
        t(id > 0 ? 'screens.twinMap.title' : 'twins.heading')
      ) : (
        <RouterLink to={twinPath(id)} inherit c="inherit">
          {title}
        </RouterLink>
      )}
    </Title>
  )
}

type Selection = ReturnType<typeof selectionOf>

/** A map with another view or style begins again. */
const cameraKey = ({ pitch, bearing, zoom, maxZoom }: MapSettings) => `${pitch} ${bearing} ${zoom} ${maxZoom}`

function selectionOf(
  id: number,
  { search, accountIds, filters }: ListParams,
  settingsTags: readonly string[] = [],
) {
  const hidden = filters.hide ?? []
  const tags = filters.tag ?? (settingsTags.length > 0 ? settingsTags : undefined)
  return {
    selection: {
      ...(id > 0 ? { twinId: id } : {}),
      ...(search ? { search } : {}),
      ...(accountIds ? { accountIds } : {}),
      ...(filters.type ? { types: [...filters.type] as TwinPlace['type'][] } : {}),
      ...(tags ? { tags: [...tags] } : {}),
      excludeZones: hidden.includes('zones'),
    },
    hideStatelessPolygons: hidden.includes('stateless'),
  }
}

interface ClustersProps {
  twinId: number
  title: string | undefined
  map: ShownSettings & { settings: MapSettings }
  wanted: Selection
  bounds: MapBounds
  plan: MapPlan | undefined
}

function Clusters({ twinId, title, map, wanted, bounds, plan }: ClustersProps) {
  const { t } = useTranslation()
  const { selection, hideStatelessPolygons } = wanted
  const [search, update] = useUrlSearch()
  const [view, setView] = useState(() => firstView(bounds))
  const { settings } = map
  const value = one(search, 'value') ?? null
  const markers = askedMarkers(value === null ? settings : { ...settings, states: [value.slice(0, 100)] })
  const clusters = useQuery({
    ...api.digitaltwin.geoClusters.queryOptions({
      input: {
        ...selection,
        hideStatelessPolygons,
        ...partOf(view),
        distance: settings.distance,
        ...(markers ? { markers } : {}),
      },
      placeholderData: keepPreviousData,
      refetchInterval: refreshMs,
    }),
  })
  const moves = useTwinMoves(twinId, () => void clusters.refetch())
  const { data } = clusters
  const points = useMemo(
    () => (data ? [...pointsOf(data.items, t), ...middlesOf(data.areas, t)] : []),
    [data, t],
  )
  const areas = useMemo(() => (data ? areasOf(data.areas) : []), [data])
  const camera = useMemo(
    () => ({
      pitch: settings.pitch,
      bearing: settings.bearing,
      zoom: settings.zoom ?? undefined,
      maxZoom: settings.maxZoom ?? undefined,
    }),
    [settings.pitch, settings.bearing, settings.zoom, settings.maxZoom],
  )
  const chosen = one(search, 'chosen') ?? null
  const choose = (id: string | null) => update({ chosen: id ?? undefined })
  const isTwin = chosen !== null && /^[1-9]\d{0,8}$/.test(chosen)
  return (
    <>
      {clusters.isLoadingError ? (
        <ErrorState error={clusters.error} onRetry={() => void clusters.refetch()} />
      ) : null}
      <Group mb={12}>
        <MarkerValue twinId={twinId} chosen={value} onChoose={(key) => update({ value: key ?? undefined })} />
      </Group>
      <ClusterMap<TwinPlace>
        title={t('twins.heading')}
        height="max(420px, calc(100dvh - 258px))"
        bounds={bounds}
        plan={plan}
        points={points}
        moves={moves}
        camera={camera}
        markers={settings.markerStyle}
        layoutNumber={settings.style ?? undefined}
        onLayout={settings.style === null ? undefined : (style) => map.change({ ...settings, style })}
        corner={<MapSettingsButton twinId={twinId} title={title} shown={map} />}
        areas={areas}
        selectedId={chosen}
        onSelect={choose}
        panel={
          isTwin ? <TwinPanel key={chosen} id={Number(chosen)} onClose={() => choose(null)} /> : undefined
        }
        cut={data?.more || data?.moreAreas ? t('twins.map.cut') : undefined}
        onView={setView}
        breakOpen={(id) => client.digitaltwin.geoClusterBreakOpen({ ...selection, id, limit: listedMax })}
        sameTitle={t('twins.map.same')}
        toPoint={(place) => placePoint(place, t)}
        renderPlace={(place) => (
          <Group justify="space-between" wrap="nowrap">
            <UnstyledButton fw={550} onClick={() => choose(String(place.id))}>
              {place.title}
            </UnstyledButton>
            {place.level ? <LevelIcon level={place.level} /> : null}
          </Group>
        )}
      />
    </>
  )
}

function useMapFilters(): ListFilter[] {
  const { t } = useTranslation()
  const shared = useTwinFilters()
  return useMemo(
    () => [
      shared.type,
      shared.tag,
      {
        key: 'hide',
        label: t('twins.map.hide'),
        options: [
          { value: 'zones', label: t('twins.map.hideZones') },
          { value: 'stateless', label: t('twins.map.hideStateless') },
        ],
      },
    ],
    [t, shared],
  )
}
