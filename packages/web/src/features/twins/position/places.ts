import { formatTime } from '../../../lib/format.ts'
import type { MapPoint } from '../../../ui/map/MapView.tsx'

/** A position, from `time` until it was last reported. */
export interface Place {
  time: string
  until: string
  latitude: number
  longitude: number
}

/** A twin or device whose track is shown. */
export interface Moving {
  id: number
  title: string
  latitude: number | null
  longitude: number | null
}

export const keyOf = ({ time }: Place): string => time

export const nameOf = ({ time }: Place): string => formatTime(time)

/** The current position and the selected one. */
export function pointsOf(
  { title }: Moving,
  here: { latitude: number; longitude: number } | null,
  places: readonly Place[],
  chosen: string | null,
  hereText: string,
): MapPoint[] {
  const place = places.find((each) => keyOf(each) === chosen)
  return [
    ...(here ? [{ id: 'here', ...here, title, detail: hereText, tone: 'ok' as const }] : []),
    ...(place ? [{ id: keyOf(place), ...place, title: nameOf(place), tone: 'warning' as const }] : []),
  ]
}
