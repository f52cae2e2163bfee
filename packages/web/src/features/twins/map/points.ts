import type { Level } from '@leitstand/contract/states'
import type { TwinArea, TwinCluster, TwinPlace, TwinType } from '@leitstand/contract/twins'
import type { TFunction } from 'i18next'
import type { Tone } from '../../../ui/display/Badges.tsx'
import { boundsOfArea } from '../../../ui/map/area.ts'
import type { MapArea, MapPoint } from '../../../ui/map/MapView.tsx'
import { twinIcon } from '../kinds.ts'
import { toneOfMarker, withMarker } from './markers.ts'

/** Twins without limits have the neutral colour. */
const toneOf = (level: Level | null): Tone => level ?? 'accent'

const wordsOf = ({ type, level }: Pick<TwinPlace, 'type' | 'level'>, t: TFunction) =>
  [t(`twins.types.${type}`), level ? t(`states.levels.${level}`) : ''].filter(Boolean).join(' · ')

/** The icon of a twin; none for a twin without a type and without an icon of its own. */
function iconOf(twin: { icon: string | null; type: TwinType }): Pick<MapPoint, 'icon'> {
  if (twin.icon === null && twin.type === 'default') return {}
  return { icon: { name: `${twin.icon ?? ''}-${twin.type}`, shape: twinIcon(twin) } }
}

/** A twin as a point. */
export function placePoint(twin: TwinPlace, t: TFunction): MapPoint {
  const { id, latitude, longitude, title, level } = twin
  return {
    id: String(id),
    latitude,
    longitude,
    title,
    tone: toneOf(level),
    detail: wordsOf(twin, t),
    ...iconOf(twin),
  }
}

/** Clusters as points of the map; a single twin has the id of the twin. */
export function pointsOf(clusters: readonly TwinCluster[], t: TFunction): MapPoint[] {
  return clusters.map(({ id, latitude, longitude, count, level, title, twin, marker }) => {
    const place = { latitude, longitude, tone: toneOf(level) }
    if (twin) return withMarker(placePoint({ ...twin, icon: marker?.icon ?? twin.icon }, t), marker)
    return withMarker(
      {
        ...place,
        id,
        count,
        title: t('twins.map.cluster', { title, count: count - 1 }),
        ...(level ? { detail: t('twins.map.worst', { level: t(`states.levels.${level}`) }) } : {}),
      },
      marker,
    )
  })
}

/** Points for twins that have only a polygon, in its middle. */
export function middlesOf(areas: readonly TwinArea[], t: TFunction): MapPoint[] {
  return areas.flatMap((area) => {
    const bounds = area.isAlone ? boundsOfArea(area.polygon) : undefined
    if (!bounds) return []
    const point = {
      id: String(area.twinId),
      latitude: (bounds.south + bounds.north) / 2,
      longitude: (bounds.west + bounds.east) / 2,
      tone: toneOf(area.level),
      title: area.title,
      detail: wordsOf(area, t),
      ...iconOf({ icon: area.marker?.icon ?? null, type: area.type }),
    }
    return withMarker(point, area.marker)
  })
}

export function areasOf(areas: readonly TwinArea[]): MapArea[] {
  return areas.map(({ twinId, polygon, level, marker }) => ({
    id: String(twinId),
    polygon,
    tone: marker?.color ? toneOfMarker(marker.color) : toneOf(level),
  }))
}
