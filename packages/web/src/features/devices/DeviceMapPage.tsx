import type { DeviceFilters, GeoPlace } from '@leitstand/contract/virtualdevices'
import { Group, Text, Title } from '@mantine/core'
import { IconMapPinOff } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../lib/api.ts'
import { formatNumber } from '../../lib/format.ts'
import { HealthBadge } from '../../ui/display/Badges.tsx'
import { EmptyState } from '../../ui/feedback/EmptyState.tsx'
import { ErrorState } from '../../ui/feedback/ErrorState.tsx'
import { Loading } from '../../ui/feedback/Loading.tsx'
import { FilterBar } from '../../ui/list/FilterBar.tsx'
import { listParams } from '../../ui/list/params.ts'
import { useListState } from '../../ui/list/state.ts'
import { ClusterMap } from '../../ui/map/ClusterMap.tsx'
import { type MapBounds, preloadMap } from '../../ui/map/MapView.tsx'
import { firstView, partOf } from '../../ui/map/view.ts'
import { RouterLink } from '../../ui/page/RouterLink.tsx'
import { SlotParts } from '../../ui/page/SlotParts.tsx'
import { toPoint } from './clusters.ts'
import { DeviceStatistics } from './DeviceStatistics.tsx'
import { filterOf } from './filters.ts'
import { deviceFilterActions } from './slots.ts'
import { useDeviceFilters } from './useDeviceFilters.ts'
import { ViewSwitch } from './ViewSwitch.tsx'

/** Maximum listed members of a group that the map cannot separate by zooming. */
const listedMax = 100
const refreshMs = 60_000
/** The devices of the list's search and filters on a map; the server clusters nearby ones. */
export default function DeviceMapPage() {
  const { t } = useTranslation()
  useEffect(preloadMap, [])
  const filters = useDeviceFilters()
  const list = useListState(filters)
  const wanted = filterOf(listParams(list.state, undefined))
  const extent = useQuery(
    api.virtualdevice.geoMetaInfos.queryOptions({
      input: wanted,
      placeholderData: keepPreviousData,
      refetchInterval: refreshMs,
    }),
  )
  // Refit the map after a filter change only once the new bounds are known.
  const asked = JSON.stringify(wanted)
  const [fitted, setFitted] = useState<{ asked: string; bounds: MapBounds }>()
  const bounds = extent.data?.bounds
  if (bounds && !extent.isPlaceholderData && fitted?.asked !== asked) setFitted({ asked, bounds })
  return (
    <>
      <Group justify="space-between" align="flex-start" mb={16} gap={12}>
        <Group gap={10} align="baseline">
          <Title order={1}>{t('devices.mapTitle')}</Title>
          {extent.data ? (
            <Text span c="dimmed" className="tabular">
              {t('devices.map.count', {
                placed: formatNumber(extent.data.placed, 0),
                total: formatNumber(extent.data.total, 0),
              })}
            </Text>
          ) : null}
        </Group>
        <ViewSwitch view="map" />
      </Group>
      <DeviceStatistics />
      <FilterBar
        list={list}
        filters={filters}
        searchPlaceholder={t('devices.search')}
        withAccounts
        withFavorites
      >
        <SlotParts slot={deviceFilterActions} props={{ filter: wanted }} />
      </FilterBar>
      <div style={{ marginTop: 12 }}>
        {extent.isError && !extent.data ? (
          <ErrorState error={extent.error} onRetry={() => void extent.refetch()} />
        ) : !extent.data ? (
          <Loading />
        ) : extent.data.bounds === null ? (
          <EmptyState icon={IconMapPinOff} title={t('devices.map.none')} text={t('devices.map.noneText')} />
        ) : fitted ? (
          <Clusters key={fitted.asked} wanted={wanted} bounds={fitted.bounds} />
        ) : null}
      </div>
    </>
  )
}

function Clusters({ wanted, bounds }: { wanted: DeviceFilters; bounds: MapBounds }) {
  const { t } = useTranslation()
  const [view, setView] = useState(() => firstView(bounds))
  const clusters = useQuery({
    ...api.virtualdevice.geoClusters.queryOptions({
      input: { ...wanted, ...partOf(view) },
      placeholderData: keepPreviousData,
      refetchInterval: refreshMs,
    }),
  })
  const points = useMemo(
    () => (clusters.data?.items ?? []).map((cluster) => toPoint(cluster, t)),
    [clusters.data, t],
  )
  return (
    <>
      {clusters.isLoadingError ? (
        <ErrorState error={clusters.error} onRetry={() => void clusters.refetch()} />
      ) : null}
      <ClusterMap<GeoPlace>
        title={t('devices.mapTitle')}
        height="max(420px, calc(100dvh - 330px))"
        bounds={bounds}
        points={points}
        cut={clusters.data?.more ? t('devices.map.cut', { count: clusters.data.items.length }) : undefined}
        onView={setView}
        breakOpen={(id) => client.virtualdevice.geoClusterBreakOpen({ ...wanted, id, limit: listedMax })}
        sameTitle={t('devices.map.same')}
        renderPlace={(place) => (
          <Group justify="space-between" wrap="nowrap">
            <RouterLink to={`/virtual-devices/${place.id}`}>{place.title}</RouterLink>
            <HealthBadge health={place.health} />
          </Group>
        )}
      />
    </>
  )
}
