import { describe, expect, it } from 'vitest'
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
