import type { GeoCluster } from '@leitstand/contract/virtualdevices'
import type { TFunction } from 'i18next'
import { healthTones } from '../../ui/display/Badges.tsx'
import type { MapPoint } from '../../ui/map/MapView.tsx'

/** A cluster as a point of the map: a single device leads to its page, several show their worst health. */
export function toPoint(cluster: GeoCluster, t: TFunction): MapPoint {
  const { id, latitude, longitude, count, health, title, device } = cluster
  const tone = healthTones[health] ?? 'unknown'
  const word = t(`health.${tone}`)
  if (device) {
    return {
      id: String(device.id),
      latitude,
      longitude,
      tone,
      title: device.title,
      detail: `${word} · ${device.externalId}`,
      href: `/virtual-devices/${device.id}`,
    }
  }
  return {
    id,
    latitude,
    longitude,
    tone,
    count,
    title: t('devices.map.cluster', { title, count: count - 1 }),
    detail: t('devices.map.worst', { health: word }),
  }
}
