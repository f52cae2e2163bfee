import type { GeoCluster, GeoPlace } from '@leitstand/contract/virtualdevices'
import type { TFunction } from 'i18next'
import { healthTones } from '../../ui/display/Badges.tsx'
import type { MapPoint } from '../../ui/map/MapView.tsx'

/** A device as a point that leads to its page. */
export function placePoint(device: GeoPlace, t: TFunction): MapPoint {
  const { id, latitude, longitude, title, externalId, health } = device
  const tone = healthTones[health] ?? 'unknown'
  return {
    id: String(id),
    latitude,
    longitude,
    tone,
    title,
    detail: `${t(`health.${tone}`)} · ${externalId}`,
    href: `/virtual-devices/${id}`,
  }
}

/** A cluster as a point of the map: a single device leads to its page, several show their worst health. */
export function toPoint(cluster: GeoCluster, t: TFunction): MapPoint {
  const { id, latitude, longitude, count, health, title, device } = cluster
  const tone = healthTones[health] ?? 'unknown'
  const word = t(`health.${tone}`)
  if (device) return placePoint({ ...device, latitude, longitude, health }, t)
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
