import type { Corner, Corners } from '@leitstand/contract/floors'
import type { TFunction } from 'i18next'
import { useMemo, useState } from 'react'
import type { Place } from '../../ui/map/area.ts'
import type { MapPoint } from '../../ui/map/MapView.tsx'
import { type Match, matched } from '../../ui/map/planCorners.ts'

/** A point of the picture, from 0 to 1. */
type Spot = Pick<Match, 'x' | 'y'>

/** Points matched so far: of the picture and of the map, in the same order. */
export interface Matched {
  spots: readonly Spot[]
  places: readonly Corner[]
}

export const noMatches: Matched = { spots: [], places: [] }
const wanted = 3

/** What is clicked next: a point of the picture, then the same one on the map. */
export function nextOf({ spots, places }: Matched): 'spot' | 'place' | null {
  if (spots.length > places.length) return 'place'
  return spots.length < wanted ? 'spot' : null
}

/** The plan on which the three points lie where they belong; null with fewer, or if no plan fits. */
export function planOf({ spots, places }: Matched): Corners | null {
  const [a, b, c] = spots.flatMap((spot, index) => {
    const place = places[index]
    return place ? [{ ...spot, place }] : []
  })
  return a && b && c ? matched([a, b, c]) : null
}

/** Three points of the picture and the map, one after the other. */
export function useMatching(onMatched: (corners: Corners) => void) {
  const [state, setState] = useState<Matched>()
  const [isUnfitting, setUnfitting] = useState(false)
  return useMemo(() => {
    const now = state ?? noMatches
    return {
      isOn: state !== undefined,
      isUnfitting,
      spots: now.spots,
      next: state ? nextOf(now) : null,
      toggle: () => {
        setUnfitting(false)
        setState(state ? undefined : noMatches)
      },
      restart: () => {
        setUnfitting(false)
        setState(noMatches)
      },
      pickSpot: (spot: Spot) => {
        if (nextOf(now) === 'spot') setState({ ...now, spots: [...now.spots, spot] })
      },
      pickPlace: ({ latitude, longitude }: Place) => {
        if (nextOf(now) !== 'place') return
        const next = { ...now, places: [...now.places, [longitude, latitude] as Corner] }
        const corners = planOf(next)
        if (next.places.length < wanted) setState(next)
        else if (corners) {
          setState(undefined)
          onMatched(corners)
        } else {
          setUnfitting(true)
          setState(noMatches)
        }
      },
      points: (t: TFunction): MapPoint[] =>
        now.places.map(([longitude, latitude], index) => ({
          id: `match-${index}`,
          latitude,
          longitude,
          title: t('floors.matching.point', { number: index + 1 }),
          tone: 'accent',
        })),
    }
  }, [state, isUnfitting, onMatched])
}

export type MatchingState = ReturnType<typeof useMatching>
