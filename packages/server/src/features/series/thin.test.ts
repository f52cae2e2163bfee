import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type ChartPoint, markGaps, thinMinMax } from './thin.ts'

const points = fc
  .array(fc.tuple(fc.integer({ min: 1, max: 1000 }), fc.double({ noNaN: true, noDefaultInfinity: true })), {
    maxLength: 500,
  })
  .map((steps) => {
    let time = 0
    return steps.map(([step, value]): ChartPoint => {
      time += step
      return [time, value]
    })
  })

describe('thinning a series', () => {
  it('leaves short series alone', () => {
    const series: ChartPoint[] = [
      [1, 5],
      [2, 6],
    ]
    expect(thinMinMax(series, 2)).toEqual(series)
  })
  it('keeps within the limit, keeps both extremes, and invents nothing', () => {
    fc.assert(
      fc.property(points, fc.integer({ min: 2, max: 100 }), (series, max) => {
        const thinned = thinMinMax(series, max)
        expect(thinned.length).toBeLessThanOrEqual(Math.max(max, 0))
        expect(series).toEqual(expect.arrayContaining(thinned))
        if (series.length === 0) return
        const values = series.map(([, value]) => value as number)
        const kept = thinned.map(([, value]) => value as number)
        expect(Math.max(...kept)).toBe(Math.max(...values))
        expect(Math.min(...kept)).toBe(Math.min(...values))
        expect(thinned.map(([time]) => time)).toEqual(thinned.map(([time]) => time).toSorted((a, b) => a - b))
      }),
      { verbose: 1 },
    )
  })
  it('keeps a gap as one gap', () => {
    const gap: ChartPoint[] = Array.from({ length: 100 }, (_, index) => [index, index < 50 ? 1 : null])
    expect(thinMinMax(gap, 10).some(([, value]) => value === null)).toBe(true)
  })
})

describe('marking gaps', () => {
  it('puts a null where a regular series pauses', () => {
    const series: ChartPoint[] = [0, 10, 20, 30, 200, 210].map((time) => [time, 1])
    expect(markGaps(series)).toEqual([
      [0, 1],
      [10, 1],
      [20, 1],
      [30, 1],
      [40, null],
      [200, 1],
      [210, 1],
    ])
  })
  it('sees no gap where a device begins to send faster, or slower', () => {
    const faster: ChartPoint[] = [0, 30, 60, 90, 120, 121, 122, 123, 124].map((time) => [time, 1])
    expect(markGaps(faster)).toEqual(faster)
    const slower: ChartPoint[] = [0, 1, 2, 3, 4, 34, 64, 94].map((time) => [time, 1])
    expect(markGaps(slower)).toEqual(slower)
  })
  it('knows no rhythm in three points', () => {
    const series: ChartPoint[] = [0, 10, 1000].map((time) => [time, 1])
    expect(markGaps(series)).toEqual(series)
  })
})
