import type { Level } from '@leitstand/contract/states'
import type { TwinArea, TwinCluster, TwinPlace } from '@leitstand/contract/twins'
import type { TFunction } from 'i18next'
import type { Tone } from '../../../ui/display/Badges.tsx'
import { boundsOfArea } from '../../../ui/map/area.ts'
import type { MapArea, MapPoint } from '../../../ui/map/MapView.tsx'

/** Twins without limits have the neutral colour. */
const toneOf = (level: Level | null): Tone => level ?? 'accent'

const wordsOf = ({ type, level }: Pick<TwinPlace, 'type' | 'level'>, t: TFunction) =>
  [t(`twins.types.${type}`), level ? t(`states.levels.${level}`) : ''].filter(Boolean).join(' · ')

/** Clusters as points of the map; a single twin has the id of the twin. */
export function pointsOf(clusters: readonly TwinCluster[], t: TFunction): MapPoint[] {
  return clusters.map(({ id, latitude, longitude, count, level, title, twin }) => {
    const place = { latitude, longitude, tone: toneOf(level) }
    if (twin) return { ...place, id: String(twin.id), title: twin.title, detail: wordsOf(twin, t) }
    return {
      ...place,
      id,
      count,
      title: t('twins.map.cluster', { title, count: count - 1 }),
      ...(level ? { detail: t('twins.map.worst', { level: t(`states.levels.${level}`) }) } : {}),
    }
  })
}

/** Points for twins that have only a polygon, in its middle. */
export function middlesOf(areas: readonly TwinArea[], t: TFunction): MapPoint[] {
  return areas.flatMap((area) => {
    const bounds = area.isAlone ? boundsOfArea(area.polygon) : undefined
    if (!bounds) return []
    return {
      id: String(area.twinId),
      latitude: (bounds.south + bounds.north) / 2,
      longitude: (bounds.west + bounds.east) / 2,
      tone: toneOf(area.level),
      title: area.title,
      detail: wordsOf(area, t),
    }
  })
}

export function areasOf(areas: readonly TwinArea[]): MapArea[] {
  return areas.map(({ twinId, polygon, level }) => ({ id: String(twinId), polygon, tone: toneOf(level) }))
}
