import { describe, expect, it } from 'vitest'
import { type Contents, dueMs, type Observed, toStore, valueIn } from './decide.ts'
import type { WindowSettings } from './settings.ts'

const minute = 60_000
const hour = 60 * minute
const nowMs = Date.UTC(2026, 10, 25, 12)
const contents = (change: Partial<Contents> = {}): Contents => ({
  firstMs: nowMs - 50 * minute,
  lastMs: nowMs - minute,
  total: 4,
  numbers: 3,
  sum: 12,
  min: 1,
  max: 8,
  median: 3,
  latest: 'on',
  ...change,
})
const observed = (change: Partial<Observed> = {}): Observed => ({
  bounds: { fromMs: nowMs - hour, endMs: null },
  contents: contents(),
  previous: null,
  difference: 7,
  nextMs: null,
  ...change,
})

describe('the value of a period', () => {
  it.each([
    ['avg', 4],
    ['min', 1],
    ['max', 8],
    ['sum', 12],
    ['median', 3],
    ['count', 4],
    ['latest', 'on'],
    ['periodDifference', null],
    ['valueDifference', 7],
  ] as const)('%s', (operation, expected) => {
    expect(valueIn(operation, observed())).toBe(expected)
  })

  it('is the difference of the maxima of two periods', () => {
    expect(valueIn('periodDifference', observed({ previous: contents({ max: 5 }) }))).toBe(3)
    expect(valueIn('periodDifference', observed({ previous: contents({ max: null }) }))).toBe(null)
  })

  it.each(['avg', 'min', 'max', 'sum', 'median', 'latest', 'periodDifference'] as const)(
    'an empty one has none: %s',
    (operation) => expect(valueIn(operation, observed({ contents: null }))).toBe(null),
  )

  it('an empty one has a count of 0', () => {
    expect(valueIn('count', observed({ contents: null }))).toBe(0)
  })

  it('has no average without numbers, or of numbers too large to be added', () => {
    expect(valueIn('avg', observed({ contents: contents({ numbers: 0, sum: null }) }))).toBe(null)
    expect(valueIn('avg', observed({ contents: contents({ sum: null }) }))).toBe(null)
  })
})

describe('when it is due again', () => {
  const settings = (change: Partial<WindowSettings> = {}): WindowSettings => ({
    operation: 'sum',
    span: { count: 1, unit: 'hour' },
    aligned: false,
    ...change,
  })
  const due = (of: WindowSettings, seen: Observed) => {
    const found = dueMs(of, seen, nowMs, 'UTC')
    return found === null ? null : found - nowMs
  }

  it('when the first value leaves a period that moves', () => {
    expect(due(settings(), observed())).toBe(11 * minute)
    expect(due(settings(), observed({ contents: null }))).toBe(null)
  })

  it('not at once again, if the first value should have left', () => {
    expect(due(settings(), observed({ contents: contents({ firstMs: nowMs - 2 * hour }) }))).toBe(minute)
  })

  it('when the first value leaves the period before', () => {
    const previous = contents({ firstMs: nowMs - 115 * minute })
    expect(due(settings({ operation: 'periodDifference' }), observed({ previous }))).toBe(6 * minute)
  })

  it('when a period of the clock ends, or a value ahead of the clock comes', () => {
    const bounds = { fromMs: nowMs, endMs: nowMs + hour }
    expect(due(settings({ aligned: true }), observed({ bounds }))).toBe(hour)
    expect(due(settings({ aligned: true }), observed({ bounds, nextMs: nowMs + minute }))).toBe(minute)
  })

  it('never, for the difference of two values', () => {
    expect(due(settings({ operation: 'valueDifference', span: null }), observed())).toBe(null)
  })
})

describe('what is stored', () => {
  const at = (value: number, newestMs: number | null, known?: [number, number]) => {
    const current = known && { value: known[0], time: new Date(nowMs + known[1]) }
    const time = toStore(value, newestMs === null ? null : nowMs + newestMs, current, nowMs)
    return time === null ? null : time.getTime() - nowMs
  }
  it.each([
    ['the first value', at(1, -5), -5],
    ['an equal one of a newer source value', at(1, -5, [1, -9]), -5],
    ['another one because a value left', at(1, -9, [2, -9]), 0],
    ['another one because a value came late', at(1, -7, [2, -5]), 0],
    ['nothing that is known', at(1, -5, [1, -5]), null],
    ['nothing that is known, with an empty period', at(0, null, [0, -5]), null],
    ['the count of an empty period', at(0, null, [3, -5]), 0],
  ])('%s', (_, found, expected) => {
    expect(found).toBe(expected)
  })
})
