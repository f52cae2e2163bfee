import { type GeofenceMode, geofenceModes } from '@leitstand/contract/rules/triggers/geofence'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type FenceState, judgePosition, restsInside } from './judge.ts'

const minuteMs = 60_000
type Position = readonly [atMinutes: number, metres: number]
interface Fence {
  mode: GeofenceMode
  minutes?: number
  distance?: number
  margin: number
}

/** Indexes of the positions that wake a rule. */
function wakes(fence: Fence, positions: readonly Position[]): number[] {
  let state: FenceState | null = null
  return positions.flatMap(([at, metres], index) => {
    const judged = judgePosition(fence, state, metres, at * minuteMs)
    state = judged.state
    return judged.wakes ? [index] : []
  })
}

/** The same from the whole list: first the sides, then the stays, then what each mode asks. */
function expected(
  { mode, minutes = 0, distance = 0, margin }: Fence,
  positions: readonly Position[],
): number[] {
  const edge = mode.startsWith('proximity') ? distance : 0
  const sides = positions.map((_, index) => {
    const last = positions
      .slice(0, index + 1)
      .map(([, metres]) => metres)
      .findLast((metres) => metres <= edge || metres > edge + margin)
    return last !== undefined && last <= edge
  })
  const starts = sides.flatMap((side, index) => (index === 0 || side !== sides[index - 1] ? [index] : []))
  let before = Number.NEGATIVE_INFINITY
  const found: number[] = []
  for (const [number, start] of starts.entries()) {
    const since = Math.max(positions[start]?.[0] ?? 0, before)
    before = since
    const isInside = sides[start]
    if (
      number > 0 &&
      (isInside ? ['enter', 'proximity_closing'] : ['exit', 'proximity_movingout']).includes(mode)
    )
      found.push(start)
    if (mode !== (isInside ? 'dwelltime' : 'dwelltime_out')) continue
    const end = starts[number + 1] ?? positions.length - 1
    const stayed = positions.findIndex(
      ([at], index) => index > start && index <= end && Math.max(at, since) >= since + minutes,
    )
    if (stayed >= 0) found.push(stayed)
  }
  return found.toSorted((a, b) => a - b)
}

describe('a position', () => {
  it.each([
    [
      'enter',
      [
        [0, 50],
        [1, -1],
        [2, -5],
        [3, 5],
        [4, -1],
        [5, 20],
        [6, 0],
      ],
      [1, 6],
    ],
    [
      'exit',
      [
        [0, -5],
        [1, 9],
        [2, 10],
        [3, 11],
        [4, 5],
        [5, -1],
        [6, 99],
      ],
      [3, 6],
    ],
    [
      'proximity_closing',
      [
        [0, 900],
        [1, 501],
        [2, 500],
        [3, 505],
        [4, 499],
        [5, 511],
        [6, 100],
      ],
      [2, 6],
    ],
    [
      'proximity_movingout',
      [
        [0, 100],
        [1, 505],
        [2, 510],
        [3, 511],
        [4, 900],
      ],
      [3],
    ],
    [
      'dwelltime',
      [
        [0, -1],
        [4, -1],
        [5, -1],
        [9, -1],
        [10, 50],
        [11, -1],
        [15, 50],
        [17, -1],
      ],
      [2],
    ],
    [
      'dwelltime_out',
      [
        [0, 99],
        [5, 99],
        [6, 99],
        [7, -1],
        [8, 99],
        [13, -1],
      ],
      [1, 5],
    ],
  ] as [GeofenceMode, Position[], number[]][])('%s', (mode, positions, woken) => {
    expect(wakes({ mode, minutes: 5, distance: 500, margin: 10 }, positions)).toEqual(woken)
  })

  it.each(geofenceModes)('that is the first one wakes nothing: %s', (mode) => {
    for (const metres of [-1, 5, 1_000_000])
      expect(wakes({ mode, minutes: 1, distance: 100, margin: 10 }, [[0, metres]])).toEqual([])
  })

  it('is outside in the margin, unless the twin was inside', () => {
    const fence: Fence = { mode: 'enter', margin: 10 }
    expect(judgePosition(fence, null, 5, 0).state.isInside).toBe(false)
    expect(judgePosition(fence, { isInside: true, sinceMs: 0, dueMs: null }, 10, 0).state.isInside).toBe(true)
    expect(judgePosition(fence, { isInside: true, sinceMs: 0, dueMs: null }, 10.1, 0).state.isInside).toBe(
      false,
    )
  })

  it('starts to wait when the side changes, and waits no more once it has woken', () => {
    const fence: Fence = { mode: 'dwelltime', minutes: 2, margin: 0 }
    const first = judgePosition(fence, null, -1, 5)
    expect(first.state).toEqual({ isInside: true, sinceMs: 5, dueMs: 5 + 2 * minuteMs })
    const later = judgePosition(fence, first.state, -1, 5 + 2 * minuteMs)
    expect(later).toEqual({ state: { isInside: true, sinceMs: 5, dueMs: null }, wakes: true })
    expect(judgePosition(fence, later.state, 1, 9e9).state).toEqual({
      isInside: false,
      sinceMs: 9e9,
      dueMs: null,
    })
  })

  it('rests outside, unless the fence waits for those outside', () => {
    expect(geofenceModes.filter(restsInside)).toEqual(['dwelltime_out'])
  })
})

describe('a walk', () => {
  const walk = fc
    .array(
      fc.tuple(
        fc.integer({ min: -3, max: 8 }),
        fc.oneof(fc.integer({ min: -40, max: 40 }), fc.integer({ min: -9000, max: 9000 })),
      ),
      {
        maxLength: 40,
      },
    )
    // Steps forward, now and then back or not at all; distances that move a little, and jump.
    .map((steps) => {
      let at = 0
      let metres = 0
      return steps.map(([minutes, move]): Position => {
        at += minutes
        metres = Math.abs(move) > 40 ? move : metres + move
        return [at, metres]
      })
    })
  const fence = fc.record({
    mode: fc.constantFrom(...geofenceModes),
    minutes: fc.integer({ min: 1, max: 12 }),
    distance: fc.integer({ min: 1, max: 60 }),
    margin: fc.constantFrom(0, 10, 25),
  })

  it('wakes a rule when a simple model says so', () => {
    fc.assert(
      fc.property(fence, walk, (given, positions) => {
        expect(wakes(given, positions)).toEqual(expected(given, positions))
      }),
      { numRuns: 2_000 },
    )
  })

  it('that jumps about the edge, within the margin, crosses it once', () => {
    const jumps = fc.array(fc.integer({ min: -20, max: 20 }), { minLength: 1, maxLength: 50 })
    fc.assert(
      fc.property(jumps, (metres) => {
        const positions = [100, -1, ...metres].map((each, at): Position => [at, each])
        expect(wakes({ mode: 'enter', margin: 20 }, positions)).toEqual([1])
        expect(wakes({ mode: 'exit', margin: 20 }, positions)).toEqual([])
      }),
    )
  })

  it('is judged the same after any stop: the state is all that is kept', () => {
    fc.assert(
      fc.property(fence, walk, (given, positions) => {
        let state: FenceState | null = null
        const woken = positions.flatMap(([at, metres], index) => {
          state = JSON.parse(JSON.stringify(state)) as FenceState | null
          const judged = judgePosition(given, state, metres, at * minuteMs)
          state = judged.state
          return judged.wakes ? [index] : []
        })
        expect(woken).toEqual(wakes(given, positions))
      }),
    )
  })
})
