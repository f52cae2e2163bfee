import { describe, expect, it } from 'vitest'
import {
  isMeaningful,
  levelOf,
  levelOfAll,
  levelOfValue,
  type NumberLimits,
  worstLevel,
} from './warnLevels.ts'

const none: NumberLimits = { kind: 'number', badTo: null, okayTo: null, okayFrom: null, badFrom: null }
const now = Date.parse('2026-06-15T12:00:00.000Z')
const minutesAgo = (minutes: number) => new Date(now - minutes * 60_000).toISOString()

describe('a number', () => {
  const both = { ...none, badTo: 6.5, okayTo: 7, okayFrom: 7.4, badFrom: 7.8 }
  it.each([
    [6, 'bad'],
    [6.5, 'bad'],
    [6.51, 'okay'],
    [7, 'okay'],
    [7.2, 'good'],
    [7.4, 'okay'],
    [7.79, 'okay'],
    [7.8, 'bad'],
    [99, 'bad'],
  ] as const)('%d within limits on both sides is %s', (value, level) => {
    expect(levelOfValue(value, both)).toBe(level)
  })
  it.each([
    [{ ...none, badFrom: 30 }, 29.9, 'good'],
    [{ ...none, badFrom: 30 }, 30, 'bad'],
    [{ ...none, okayFrom: 30 }, 1e9, 'okay'],
    [{ ...none, badTo: 0.3 }, 0.3, 'bad'],
    [{ ...none, badTo: 0.3 }, 0.31, 'good'],
    [{ ...none, okayTo: 1, badTo: 0 }, 0.5, 'okay'],
  ] as const)('is judged by the sides that have limits: %#', (limits, value, level) => {
    expect(levelOfValue(value, limits)).toBe(level)
  })
  it.each([['7.2'], [true], [null], [Number.NaN], [Number.POSITIVE_INFINITY], [{ value: 7.2 }], [undefined]])(
    'is expected, %j is unknown',
    (value) => {
      expect(levelOfValue(value, both)).toBe('unknown')
    },
  )
})

describe('a text or a yes or no', () => {
  const limits = { kind: 'values', bad: ['Fault', 'true'], okay: ['service'] } as const
  it.each([
    ['fault ', 'bad'],
    [true, 'bad'],
    [false, 'good'],
    ['SERVICE', 'okay'],
    ['running', 'good'],
    [1, 'unknown'],
    [null, 'unknown'],
    [['Fault'], 'unknown'],
  ] as const)('%j is %s', (value, level) => {
    expect(levelOfValue(value, limits)).toBe(level)
  })
})

describe('a state', () => {
  const limits = { ...none, badFrom: 30 }
  it.each([
    ['new enough', 60, null, 'good'],
    ['too old by default', 60.1, null, 'unknown'],
    ['too old for its monitor', 6, 5, 'unknown'],
    ['old, but expected to be', 600, 1440, 'good'],
    ['from the future', -61, null, 'unknown'],
    ['a little ahead', -5, null, 'good'],
  ] as const)('whose value is %s', (_, minutes, silentMinutes, level) => {
    expect(levelOf({ limits, silentMinutes, value: 20, time: minutesAgo(minutes) }, now)).toBe(level)
  })
  it('is unknown without a value, and when a bad value is too old', () => {
    expect(levelOf({ limits, silentMinutes: null, value: null, time: null }, now)).toBe('unknown')
    expect(levelOf({ limits, silentMinutes: 1, value: 99, time: minutesAgo(2) }, now)).toBe('unknown')
  })
})

describe('a monitor', () => {
  it('has the worst level of its states, and is unknown without any', () => {
    expect(worstLevel(['good', 'okay'])).toBe('okay')
    expect(worstLevel(['good', 'unknown', 'okay'])).toBe('unknown')
    expect(worstLevel(['unknown', 'bad', 'good'])).toBe('bad')
    expect(worstLevel([])).toBe('unknown')
    expect(levelOfAll([], now)).toBe('unknown')
  })
})

it.each([
  [none, false],
  [{ ...none, badFrom: 1 }, true],
  [{ ...none, okayFrom: 1, badFrom: 1 }, false],
  [{ ...none, badTo: 1, okayTo: 0 }, false],
  [{ ...none, badTo: 5, badFrom: 4 }, false],
  [{ kind: 'values', bad: [], okay: [] }, false],
  [{ kind: 'values', bad: ['on'], okay: ['On '] }, false],
  [{ kind: 'values', bad: ['on'], okay: ['off'] }, true],
] as const)('limits tell values apart: %j %s', (limits, is) => {
  expect(isMeaningful(limits)).toBe(is)
})
