import type { LiveValue } from '@leitstand/contract/live'
import type { State } from '@leitstand/contract/states'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { appendPoints, bridgeGaps, levelOf, sparkPath, withLiveValues, worstLevel } from './values.ts'

const at = (second: number) => Date.UTC(2026, 10, 20, 8, 0, second)

function state(id: number, value: State['value'], second: number | null): State {
  return {
    id,
    twinId: 1,
    key: `k${id}`,
    title: `K${id}`,
    unit: '',
    icon: null,
    source: 'none',
    value,
    sourceSettings: {},
    valueType: 'number',
    transformer: null,
    lowerBound: null,
    upperBound: null,
    decimals: null,
    positionAxis: null,
    visualization: { kind: 'value' },
    position: 0,
    fixed: false,
    version: 1,
    time: second === null ? null : new Date(at(second)).toISOString(),
  }
}

const live = (stateId: number, value: number, second: number): LiveValue => ({
  stateId,
  twinId: 1,
  key: `k${stateId}`,
  value,
  timeMs: at(second),
})

it('the worst level of several states is that of the area', () => {
  const limits = {
    lowerBound: 0,
    upperBound: 100,
    visualization: { kind: 'value', upperThreshold: 30 },
  } as const
  const levels = (...values: unknown[]) => worstLevel(values.map((value) => ({ ...limits, value })))
  expect(levels()).toBeNull()
  expect(levels(null, 'open')).toBeNull()
  expect(levels(20, null)).toBe('ok')
  expect(levels(20, -1)).toBe('invalid')
  expect(levels(31, 20, -1)).toBe('error')
})

describe('levelOf', () => {
  const limits = {
    lowerBound: -40,
    upperBound: 125,
    visualization: { kind: 'gauge' as const, lowerThreshold: 25, upperThreshold: 30 },
  }
  it.each([
    [20, 'ok'],
    [25, 'warning'],
    [29.9, 'warning'],
    [30, 'error'],
    [126, 'invalid'],
    [-41, 'invalid'],
    ['20', null],
    [null, null],
  ])('%s is %s', (value, level) => expect(levelOf(value, limits)).toBe(level))

  it('means nothing without limits', () => {
    expect(levelOf(5, { lowerBound: null, upperBound: null, visualization: { kind: 'value' } })).toBeNull()
  })
})

describe('withLiveValues', () => {
  const states = [state(1, 20, 10), state(2, null, null)]

  it('takes the newest value of each state', () => {
    const next = withLiveValues(states, [live(1, 22, 12), live(1, 21, 11), live(2, 5, 1)])
    expect(next.map(({ value }) => value)).toEqual([22, 5])
    expect(next[0]?.time).toBe(new Date(at(12)).toISOString())
  })

  it('keeps what is newer, and the array when nothing changes', () => {
    expect(withLiveValues(states, [live(1, 3, 9), live(77, 1, 50)])).toBe(states)
    expect(withLiveValues(states, [live(1, 20, 10)])).toBe(states)
  })
})

describe('appendPoints', () => {
  const points = [
    [at(1), 1],
    [at(2), 2],
  ] as const

  it('appends newer points of its state in order and lets old ones go', () => {
    const values = [live(1, 4, 4), live(1, 3, 3), live(2, 9, 9), live(1, 0, 0)]
    expect(appendPoints(points, values, 1, { sinceMs: at(2), max: 10 })).toEqual([
      [at(2), 2],
      [at(3), 3],
      [at(4), 4],
    ])
  })

  it('keeps to its bound and changes nothing without news', () => {
    expect(appendPoints(points, [live(1, 3, 3)], 1, { sinceMs: 0, max: 2 })).toEqual([
      [at(2), 2],
      [at(3), 3],
    ])
    expect(appendPoints(points, [], 1, { sinceMs: at(2), max: 1 })).toBe(points)
  })

  it('moves the last point while values come closer than the gap', () => {
    const values = [live(1, 3, 3), live(1, 4, 4), live(1, 5, 5), live(1, 9, 9)]
    expect(appendPoints(points, values, 1, { sinceMs: 0, max: 10, gapMs: 3000 })).toEqual([
      [at(1), 1],
      [at(3), 3],
      [at(5), 5],
      [at(9), 9],
    ])
  })
})

describe('bridgeGaps', () => {
  const every = (step: number, values: (number | null)[]) =>
    values.map((value, index) => [index * step, value] as [number, number | null])

  it('draws through intervals that are shorter than the rhythm of the values', () => {
    const points = every(5, [1, null, null, 2, null, null, 3, null, null, 4])
    expect(bridgeGaps(points)).toEqual([
      [0, 1],
      [15, 2],
      [30, 3],
      [45, 4],
    ])
  })

  it('leaves real gaps open with one empty point', () => {
    const points = every(5, [1, 2, 3, null, null, null, null, 4, 5])
    expect(bridgeGaps(points)).toEqual([
      [0, 1],
      [5, 2],
      [10, 3],
      [15, null],
      [35, 4],
      [40, 5],
    ])
  })

  it('changes nothing where nothing is empty or little is known', () => {
    const full = every(5, [1, 2, 3])
    expect(bridgeGaps(full)).toBe(full)
    const few = every(5, [1, null, 3])
    expect(bridgeGaps(few)).toBe(few)
  })
})

describe('sparkPath', () => {
  it('fills the box, interrupts at gaps', () => {
    expect(
      sparkPath(
        [
          [0, 0],
          [1, 10],
          [2, null],
          [3, 5],
          [4, 10],
        ],
        40,
        20,
      ),
    ).toBe('M0 18L10 2M30 10L40 2')
  })
  it('draws a flat line in the middle and nothing for one point', () => {
    expect(
      sparkPath(
        [
          [0, 3],
          [1, 3],
        ],
        10,
        20,
      ),
    ).toBe('M0 10L10 10')
    expect(sparkPath([[0, 3]], 10, 20)).toBe('')
  })
})

describe('levels', () => {
  const none = { lowerBound: null, upperBound: null, visualization: { kind: 'value' as const } }
  it.each([
    ['only a warning', { lowerThreshold: 5 }, 4.9, 'ok'],
    ['only a warning', { lowerThreshold: 5 }, 5, 'warning'],
    ['only an error', { upperThreshold: 5 }, 5, 'error'],
    ['only an error', { upperThreshold: 5 }, -100, 'ok'],
    ['a threshold of zero', { lowerThreshold: 0 }, 0, 'warning'],
    ['below a threshold of zero', { lowerThreshold: 0 }, -0.1, 'ok'],
    ['negative thresholds', { lowerThreshold: -10, upperThreshold: -5 }, -7, 'warning'],
  ] as const)('%s: %j at %d is %s', (_name, thresholds, value, level) => {
    expect(levelOf(value, { ...none, visualization: { kind: 'value', ...thresholds } })).toBe(level)
  })

  it('on a bound a value is still plausible', () => {
    const limits = { ...none, lowerBound: -40, upperBound: 0 }
    expect([-40, 0].map((value) => levelOf(value, limits))).toEqual([null, null])
    expect([-40.01, 0.01].map((value) => levelOf(value, limits))).toEqual(['invalid', 'invalid'])
  })

  it.each([true, 'text', undefined, {}, []])('%j has none', (value) => {
    expect(levelOf(value, { ...none, lowerBound: 5 })).toBeNull()
  })
})

describe('live values', () => {
  const states = [state(1, 20, 10), state(2, 5, 10), state(3, null, null)]
  const news = fc.array(
    fc.record({
      stateId: fc.integer({ min: 1, max: 4 }),
      value: fc.integer(),
      second: fc.integer({ min: 0, max: 30 }),
    }),
    { maxLength: 10 },
  )

  it('never move a state back in time', () => {
    fc.assert(
      fc.property(news, (given) => {
        const next = withLiveValues(
          states,
          given.map(({ stateId, value, second }) => live(stateId, value, second)),
        )
        for (const [index, before] of states.entries()) {
          const time = next[index]?.time ?? null
          if (before.time !== null)
            expect(Date.parse(time ?? '')).toBeGreaterThanOrEqual(Date.parse(before.time))
        }
      }),
    )
  })

  it('give the same in one message and in several', () => {
    fc.assert(
      fc.property(news, fc.nat(), (given, cut) => {
        const values = given.map(({ stateId, value, second }) => live(stateId, value, second))
        const at = values.length === 0 ? 0 : cut % values.length
        const twice = withLiveValues(withLiveValues(states, values.slice(0, at)), values.slice(at))
        expect(twice).toEqual(withLiveValues(states, values))
      }),
    )
  })

  it('leave the states alone that they do not name', () => {
    const next = withLiveValues(states, [live(2, 6, 11)])
    expect(next[0]).toBe(states[0])
    expect(next[2]).toBe(states[2])
  })

  it('of the same moment, the later message wins', () => {
    expect(withLiveValues(states, [live(1, 7, 11), live(1, 8, 11)])[0]?.value).toBe(8)
  })
})

describe('curves', () => {
  const point = fc.tuple(fc.integer({ min: 0, max: 100 }), fc.integer({ min: -9, max: 9 }))
  const curve = fc
    .uniqueArray(point, { selector: ([ms]) => ms, maxLength: 20 })
    .map((points) => points.toSorted(([a], [b]) => a - b))
  const values = fc.array(point, { maxLength: 20 })

  it('stay in order, within their bound and their window', () => {
    fc.assert(
      fc.property(
        curve,
        values,
        fc.integer({ min: 1, max: 10 }),
        fc.integer({ min: 0, max: 20 }),
        (points, added, max, gapMs) => {
          const news = added.map(([timeMs, value]) => ({ stateId: 1, twinId: 1, key: 'k', value, timeMs }))
          const next = appendPoints(points, news, 1, { sinceMs: 10, max, gapMs })
          if (next === points) return
          const times = next.map(([ms]) => ms)
          expect(times).toEqual(times.toSorted((a, b) => a - b))
          expect(next.length).toBeLessThanOrEqual(max)
          for (const ms of times) expect(ms).toBeGreaterThanOrEqual(10)
        },
      ),
    )
  })

  it('always end with the newest value', () => {
    fc.assert(
      fc.property(curve, values, fc.integer({ min: 0, max: 20 }), (points, added, gapMs) => {
        const news = added.map(([timeMs, value]) => ({ stateId: 1, twinId: 1, key: 'k', value, timeMs }))
        const next = appendPoints(points, news, 1, { sinceMs: 0, max: 100, gapMs })
        const newest = Math.max(-1, ...points.map(([ms]) => ms), ...added.map(([ms]) => ms))
        expect(next.at(-1)?.[0] ?? -1).toBe(newest)
      }),
    )
  })
})

describe('gaps', () => {
  const points = fc
    .array(fc.option(fc.integer({ min: 0, max: 9 })), { maxLength: 40 })
    .map((values) => values.map((value, index) => [index * 5, value] as const))

  it('no value is lost, none is invented, and never two empty points in a row are added', () => {
    fc.assert(
      fc.property(points, (given) => {
        const bridged = bridgeGaps(given)
        const filled = (all: readonly (readonly [number, number | null])[]) =>
          all.filter(([, value]) => value !== null)
        expect(filled(bridged)).toEqual(filled(given))
        if (bridged === given) return
        for (const [index, each] of bridged.entries())
          expect(each[1] === null && bridged[index + 1]?.[1] === null).toBe(false)
      }),
    )
  })

  it('bridging again changes nothing', () => {
    fc.assert(
      fc.property(points, (given) => {
        const once = bridgeGaps(given)
        fc.pre(once !== given)
        expect(bridgeGaps(once)).toEqual(once)
      }),
    )
  })
})

describe('a sparkline', () => {
  const curve = fc
    .uniqueArray(fc.tuple(fc.nat({ max: 1e6 }), fc.option(fc.double({ min: -1e6, max: 1e6, noNaN: true }))), {
      selector: ([ms]) => ms,
      maxLength: 30,
    })
    .map((points) => points.toSorted(([a], [b]) => a - b))

  it('stays within its box and begins with a move', () => {
    fc.assert(
      fc.property(curve, (points) => {
        const path = sparkPath(points, 100, 30)
        if (path === '') return
        expect(path).toMatch(/^M/)
        for (const [, x, y] of path.matchAll(/[ML](\S+?) ([^ML]+)/g)) {
          expect(Number(x)).toBeGreaterThanOrEqual(0)
          expect(Number(x)).toBeLessThanOrEqual(100)
          expect(Number(y)).toBeGreaterThanOrEqual(0)
          expect(Number(y)).toBeLessThanOrEqual(30)
        }
      }),
    )
  })

  it.each([
    ['no points', []],
    [
      'only gaps',
      [
        [0, null],
        [1, null],
      ],
    ],
    [
      'one number',
      [
        [0, 1],
        [1, null],
      ],
    ],
    [
      'texts',
      [
        [0, 'a'],
        [1, 'b'],
      ],
    ],
    [
      'two numbers at one time',
      [
        [5, 1],
        [5, 2],
      ],
    ],
  ] as const)('%s draw nothing', (_name, points) => {
    expect(sparkPath(points as unknown as Parameters<typeof sparkPath>[0], 10, 10)).toBe('')
  })
})
