import { describe, expect, it } from 'vitest'
import type { MapPoint } from '../../../ui/map/MapView.tsx'
import { keyChoices, markedIds, markedMax, withMarkerValues } from './markerValues.ts'

const point = (id: string, count?: number): MapPoint => ({
  id,
  latitude: 49,
  longitude: 12,
  title: `Room ${id}`,
  detail: 'Room',
  tone: 'accent',
  ...(count === undefined ? {} : { count }),
})
const state = (twinId: number, key: string, value: number | string | null, more = {}) => ({
  twinId,
  key,
  title: key.toUpperCase(),
  unit: '°C',
  decimals: 1,
  lowerBound: null,
  upperBound: null,
  visualization: { kind: 'value' as const, lowerThreshold: 26, upperThreshold: 30 },
  value,
  valueType: 'number' as const,
  ...more,
})

describe('values on markers', () => {
  it('are of twins that are points of their own', () => {
    expect(markedIds([point('1'), point('5_50_1_1', 7), point('2'), point('2')])).toEqual([1, 2])
    expect(markedIds(Array.from({ length: 150 }, (_, at) => point(String(at + 1))))).toHaveLength(markedMax)
  })

  it('can be chosen by the states there are, the most frequent first, JSON left out', () => {
    const states = [
      state(1, 'b', 1),
      state(1, 'a', 1),
      state(2, 'a', 1),
      state(2, 'j', null, { valueType: 'json' }),
    ]
    expect(keyChoices(states)).toEqual([
      { value: 'a', label: 'A' },
      { value: 'b', label: 'B' },
    ])
  })

  it('have the colour of their own limits; clusters and twins without the state stay as they are', () => {
    const points = [point('1'), point('2'), point('3'), point('4'), point('9', 3)]
    const states = [state(1, 'a', 21.55), state(2, 'a', 31), state(3, 'a', null), state(4, 'b', 5)]
    const shown = withMarkerValues(points, states, 'a')
    expect(shown.map(({ value, tone }) => [value?.replace(/\s/, ' '), tone])).toEqual([
      ['21,6 °C', 'ok'],
      ['31,0 °C', 'error'],
      [undefined, 'accent'],
      [undefined, 'accent'],
      [undefined, 'accent'],
    ])
    expect(shown[1]?.detail?.replace(/\s/g, ' ')).toBe('31,0 °C · Room')
    expect(withMarkerValues(points, states, null)).toBe(points)
  })
})
