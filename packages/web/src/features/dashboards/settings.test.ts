import { timeRanges } from '@leitstand/contract/timeRanges'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseSearch, stringifySearch } from '../../lib/url.ts'
import { dashboardRange, parameterValues, rangeSearch } from './settings.ts'

const day = { preset: '24h' } as const
const fixed = { start: '2026-11-01T00:00:00.000Z', end: '2026-11-02T00:00:00.000Z' }
const ends = { fromMs: Date.parse(fixed.start), toMs: Date.parse(fixed.end) }

describe('range in the address', () => {
  it('falls back to the range of the dashboard', () => {
    expect(dashboardRange({}, day)).toEqual(day)
    expect(dashboardRange({}, fixed)).toEqual(ends)
    expect(dashboardRange({ range: '7d' }, fixed)).toEqual({ preset: '7d' })
    expect(dashboardRange({ from: fixed.start, to: fixed.end }, day)).toEqual(ends)
  })

  it('leaves no trace for the own range', () => {
    expect(rangeSearch(day, day)).toEqual({ range: undefined, from: undefined, to: undefined })
    expect(rangeSearch(ends, fixed)).toEqual({ range: undefined, from: undefined, to: undefined })
    expect(rangeSearch({ preset: '7d' }, day)).toMatchObject({ range: '7d' })
    expect(rangeSearch(day, fixed)).toMatchObject({ range: '24h' })
    expect(rangeSearch(ends, day)).toMatchObject({ from: fixed.start, to: fixed.end })
  })
})

it('takes parameters from the address, else their defaults', () => {
  const parameters = [
    { name: 'floor', defaultValue: '1' },
    { name: 'wing', defaultValue: 'east' },
  ]
  expect(parameterValues({ parameter_floor: '3', other: 'x' }, parameters)).toEqual({
    floor: '3',
    wing: 'east',
  })
})

describe('an address that says nothing useful', () => {
  it.each([
    { range: 'soon' },
    { range: '' },
    { from: fixed.start },
    { to: fixed.end },
    { from: 'x', to: 'y' },
    { from: fixed.end, to: fixed.start },
  ])('%j shows the range of the dashboard', (search) => {
    expect(dashboardRange(search as Record<string, string>, fixed)).toEqual(ends)
    expect(dashboardRange(search as Record<string, string>, day)).toEqual(day)
  })
})

it('every range comes back from the address', () => {
  const time = fc.integer({ min: 0, max: Date.UTC(2100, 0) })
  const range = fc.oneof(
    fc.constantFrom(...timeRanges).map((preset) => ({ preset })),
    fc
      .tuple(time, time)
      .filter(([a, b]) => a !== b)
      .map(([a, b]) => ({ fromMs: Math.min(a, b), toMs: Math.max(a, b) })),
  )
  fc.assert(
    fc.property(range, fc.constantFrom(day, fixed), (chosen, own) => {
      const address = stringifySearch(rangeSearch(chosen, own))
      expect(dashboardRange(parseSearch(address), own)).toEqual(chosen)
    }),
  )
})

describe('parameters', () => {
  it.each([
    [{}, '1'],
    [{ parameter_floor: '2' }, '2'],
    [{ parameter_floor: ['3', '4'] }, '3'],
    [{ floor: '5' }, '1'],
    [{ parameter_Floor: '6' }, '1'],
    [{ parameter_floor: 'Straße & Co' }, 'Straße & Co'],
  ])('%j', (search, floor) => {
    expect(parameterValues(search as Record<string, string>, [{ name: 'floor', defaultValue: '1' }])).toEqual(
      { floor },
    )
  })
  it('there are none without any', () => {
    expect(parameterValues({ parameter_floor: '2' }, [])).toEqual({})
  })
})
