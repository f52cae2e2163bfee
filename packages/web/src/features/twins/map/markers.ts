import type { MapSettings, Marker, MarkerColor, Markers } from '@leitstand/contract/mapSettings'
import type { Tone } from '../../../ui/display/Badges.tsx'
import type { MapPoint } from '../../../ui/map/MapView.tsx'
import { stateText } from '../states/text.ts'

const toneOfColor: Record<MarkerColor, Tone> = {
  teal: 'accent',
  green: 'ok',
  gray: 'unknown',
  yellow: 'warning',
  violet: 'invalid',
  red: 'error',
}

/** The colours of the contract, without loading its schemas. */
export const markerColorNames = Object.keys(toneOfColor) as MarkerColor[]

export const toneOfMarker = (color: MarkerColor): Tone => toneOfColor[color]

/** What the server is asked for; undefined if the places show nothing else than their level. */
export function askedMarkers({
  states,
  operators,
}: Pick<MapSettings, 'states' | 'operators'>): Markers | undefined {
  return states.length > 0 || operators.length > 0 ? { states, operators } : undefined
}

/** A point as its marker wants it: values below it and in front of its detail, and its colour. */
export function withMarker(point: MapPoint, marker: Marker | null): MapPoint {
  if (marker === null) return point
  const texts = marker.values.map((value) => stateText(value.value, value))
  const named = marker.values.map(({ title }, at) =>
    marker.values.length > 1 ? `${title} ${texts[at]}` : texts[at],
  )
  return {
    ...point,
    ...(marker.color === null ? {} : { tone: toneOfColor[marker.color] }),
    ...(texts.length > 0
      ? {
          value: texts.join('\n'),
          detail: [...named, point.detail].filter(Boolean).join(' · '),
        }
      : {}),
  }
}
