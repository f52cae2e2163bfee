import { describe, expect, it } from 'vitest'
import { type Matched, nextOf, noMatches, planOf } from './useMatching.ts'

describe('matching three points', () => {
  it('takes a point of the picture, then of the map, three times', () => {
    let state: Matched = noMatches
    const order: unknown[] = []
    for (let count = 0; count < 7; count++) {
      const next = nextOf(state)
      order.push(next)
      if (next === 'spot')
        state = { ...state, spots: [...state.spots, { x: count / 10, y: (count % 4) / 4 }] }
      if (next === 'place') state = { ...state, places: [...state.places, [12 + count / 1e4, 49]] }
    }
    expect(order).toEqual(['spot', 'place', 'spot', 'place', 'spot', 'place', null])
  })

  it('places the plan with the third, unless they are on a line', () => {
    const spots = [
      { x: 0, y: 0 },
      { x: 1, y: 0 },
      { x: 0, y: 1 },
    ]
    const places: [number, number][] = [
      [12, 49.001],
      [12.001, 49.001],
      [12, 49],
    ]
    expect(planOf({ spots, places: places.slice(0, 2) })).toBeNull()
    expect(planOf({ spots, places })?.[2]?.[0]).toBeCloseTo(12.001, 6)
    expect(planOf({ spots: [...spots.slice(0, 2), { x: 0.5, y: 0 }], places })).toBeNull()
  })
})
