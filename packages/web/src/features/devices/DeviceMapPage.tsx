import type { DeviceFilters, GeoPlace } from '@leitstand/contract/virtualdevices'
import { Group, Title } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../lib/api.ts'
import { HealthBadge } from '../../ui/display/Badges.tsx'
import { ErrorState } from '../../ui/feedback/ErrorState.tsx'
import { FilterBar } from '../../ui/list/FilterBar.tsx'
import { listParams } from '../../ui/list/params.ts'
import { useListState } from '../../ui/list/state.ts'
import { ClusterMap } from '../../ui/map/ClusterMap.tsx'
import { MapPage } from '../../ui/map/MapPage.tsx'
import type { MapBounds } from '../../ui/map/MapView.tsx'
import { firstView, partOf } from '../../ui/map/view.ts'
import { RouterLink } from '../../ui/page/RouterLink.tsx'
import { SlotParts } from '../../ui/page/SlotParts.tsx'
import { placePoint, toPoint } from './clusters.ts'
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
  return (
    <MapPage
      heading={<Title order={1}>{t('devices.mapTitle')}</Title>}
      actions={<ViewSwitch view="map" />}
      above={
        <>
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
        </>
      }
      extent={extent}
      asked={wanted}
      none={{ title: t('devices.map.none'), text: t('devices.map.noneText') }}
    >
      {(bounds) => <Clusters wanted={wanted} bounds={bounds} />}
    </MapPage>
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
        toPoint={(place) => placePoint(place, t)}
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
