import { AggregationDuration, AggregationMethod } from '@leitstand/contract/series'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  defaultView,
  effectiveInterval,
  historySeries,
  type Interval,
  intervals,
  methods,
  tooFine,
} from './query.ts'

const hour = 3_600_000
const day = 24 * hour

it.each([
  ['auto', hour, null],
  ['auto', 7 * day, '1h'],
  ['auto', 365 * day, '1d'],
  ['1h', 7 * day, '1h'],
  // 30 days in 5 minutes are 8 640 points
  ['5m', 30 * day, '1h'],
  ['5m', 7 * day, '15m'],
] as const)('%s over %d ms asks for %s', (interval, lengthMs, expected) => {
  expect(effectiveInterval({ ...defaultView, interval }, lengthMs)).toBe(expected)
  expect(expected === null || !tooFine(expected, lengthMs)).toBe(true)
})

it('draws companions thin and leaves gaps out on demand', () => {
  const names = { main: 'Ø', min: 'Min', max: 'Max', unit: '°C', step: false }
  const points = [
    [0, 1],
    [1, null],
    [2, 3],
  ] as const
  const series = historySeries({ points, min: points }, names, true)
  expect(series.map(({ key, secondary }) => [key, secondary ?? false])).toEqual([
    ['main', false],
    ['min', true],
  ])
  expect(series[0]?.points).toHaveLength(2)
  expect(historySeries({ points }, names, false)[0]?.points).toHaveLength(3)
})

describe('intervals', () => {
  it('and methods are those of the contract', () => {
    for (const interval of intervals) expect(AggregationDuration.safeParse(interval).success).toBe(true)
    for (const method of methods) expect(AggregationMethod.safeParse(method).success).toBe(true)
    expect(intervals.toSorted()).toEqual([...AggregationDuration.options].toSorted())
  })

  it('never give more points than a chart can take', () => {
    const wanted = fc.constantFrom<Interval>('auto', ...intervals)
    fc.assert(
      fc.property(wanted, fc.integer({ min: 1, max: 20 * 365 * day }), (interval, lengthMs) => {
        const used = effectiveInterval({ ...defaultView, interval }, lengthMs)
        if (used !== null && lengthMs < 5 * 365 * day) expect(tooFine(used, lengthMs)).toBe(false)
      }),
    )
  })

  it('a chosen interval is only replaced by a coarser one', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...intervals),
        fc.integer({ min: 1, max: 3 * 365 * day }),
        (interval, lengthMs) => {
          const used = effectiveInterval({ ...defaultView, interval }, lengthMs)
          expect(intervals.indexOf(used ?? '5m')).toBeGreaterThanOrEqual(intervals.indexOf(interval))
        },
      ),
    )
  })

  it.each([
    ['5m', 2000 * 300_000, false],
    ['5m', 2000 * 300_000 + 1, true],
    ['1mo', 100 * 365 * day, false],
    ['1h', 0, false],
  ] as const)('%s in %d ms is too fine: %s', (interval, lengthMs, fine) => {
    expect(tooFine(interval, lengthMs)).toBe(fine)
  })
})

describe('the lines of a history', () => {
  const names = { main: 'Ø', min: 'Min', max: 'Max', unit: '°C', step: true }
  const points = [
    [0, 1],
    [300_000, null],
  ] as const

  it('are the values, with minimum and maximum only where they were asked for', () => {
    const keys = (reply: Parameters<typeof historySeries>[0]) =>
      historySeries(reply, names, false).map(({ key }) => key)
    expect(keys({ points })).toEqual(['main'])
    expect(keys({ points, max: points })).toEqual(['main', 'max'])
    expect(keys({ points, min: points, max: points })).toEqual(['main', 'min', 'max'])
    expect(keys({ points, min: undefined, max: undefined })).toEqual(['main'])
  })

  it('have their names and unit, and only the values are steps', () => {
    const [main, min] = historySeries({ points, min: points }, names, false)
    expect([main?.name, main?.unit, main?.step]).toEqual(['Ø', '°C', true])
    expect([min?.name, min?.unit, min?.step ?? false]).toEqual(['Min', '°C', false])
  })

  it('of nothing are empty, not missing', () => {
    expect(historySeries({ points: [] }, names, true)[0]?.points).toEqual([])
  })
})
