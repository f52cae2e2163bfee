import type { OverviewState } from '@leitstand/contract/overview'
import type { MapPoint } from '../../../ui/map/MapView.tsx'
import { stateText } from '../states/text.ts'
import { levelOf } from '../states/values.ts'

/** Twins whose values are read at once, as many as a filter of the overview takes. */
export const markedMax = 100

type Shown = Pick<
  OverviewState,
  | 'key'
  | 'title'
  | 'unit'
  | 'decimals'
  | 'lowerBound'
  | 'upperBound'
  | 'visualization'
  | 'value'
  | 'twinId'
  | 'valueType'
>

/** The twins that are points of their own. */
export function markedIds(points: readonly MapPoint[]): number[] {
  const ids = points.filter(({ count = 1 }) => count === 1).map(({ id }) => Number(id))
  return [...new Set(ids.filter((id) => Number.isSafeInteger(id) && id > 0))].slice(0, markedMax)
}

/** Keys of the states, the most frequent first, each with the title that most of them have. JSON cannot be shown on a marker. */
export function keyChoices(states: readonly Shown[]): { value: string; label: string }[] {
  const byKey = Map.groupBy(
    states.filter(({ valueType }) => valueType !== 'json'),
    ({ key }) => key,
  )
  return [...byKey]
    .toSorted(([a, one], [b, other]) => other.length - one.length || (a < b ? -1 : 1))
    .map(([key, [first]]) => ({ value: key, label: first?.title ?? key }))
}

/** The points with the value of their state with this key, in its colour. */
export function withMarkerValues(
  points: readonly MapPoint[],
  states: readonly Shown[],
  key: string | null,
): readonly MapPoint[] {
  if (key === null) return points
  const byTwin = new Map(states.filter((state) => state.key === key).map((state) => [state.twinId, state]))
  return points.map((point) => {
    const state = (point.count ?? 1) === 1 ? byTwin.get(Number(point.id)) : undefined
    if (!state || state.value === null) return point
    const value = stateText(state.value, state)
    const level = levelOf(state.value, state)
    return {
      ...point,
      value,
      detail: [value, point.detail].filter(Boolean).join(' · '),
      ...(level ? { tone: level } : {}),
    }
  })
}
