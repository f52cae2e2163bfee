import type { DeviceFilters, GeoPlace } from '@leitstand/contract/virtualdevices'
import { Group } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../lib/api.ts'
import { HealthBadge } from '../../ui/display/Badges.tsx'
import { ErrorState } from '../../ui/feedback/ErrorState.tsx'
import { ClusterMap } from '../../ui/map/ClusterMap.tsx'
import type { MapBounds } from '../../ui/map/MapView.tsx'
import { firstView, partOf } from '../../ui/map/view.ts'
import { RouterLink } from '../../ui/page/RouterLink.tsx'
import { placePoint, toPoint } from './clusters.ts'

/** Maximum listed members of a group that the map cannot separate by zooming. */
const listedMax = 100
const refreshMs = 60_000

interface DeviceClustersProps {
  /** selects the devices, as in the list operation */
  wanted: DeviceFilters & { filters?: DeviceFilters }
  bounds: MapBounds
}

/** A map of devices; the server clusters nearby ones. */
export function DeviceClusters({ wanted, bounds }: DeviceClustersProps) {
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
