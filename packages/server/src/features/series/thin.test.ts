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
  it('keeps the smallest and largest of each stretch in time order, the first of equal ones', () => {
    const series: ChartPoint[] = [5, 9, 9, 1, 1, 3, 4, 4].map((value, time) => [time, value])
    expect(thinMinMax(series, 2)).toEqual([
      [1, 9],
      [3, 1],
    ])
    expect(thinMinMax(series, 4)).toEqual([
      [1, 9],
      [3, 1],
      [4, 1],
      [6, 4],
    ])
  })
  it('keeps one point of a stretch with equal values', () => {
    const flat: ChartPoint[] = [0, 1, 2, 3].map((time) => [time, 7])
    expect(thinMinMax(flat, 2)).toEqual([[0, 7]])
  })
  it('keeps a gap as one gap', () => {
    const gap: ChartPoint[] = Array.from({ length: 100 }, (_, index) => [index, index < 50 ? 1 : null])
    expect(thinMinMax(gap, 4)).toEqual([
      [0, 1],
      [99, null],
    ])
  })
  it('ignores gaps in a stretch that has numbers', () => {
    expect(
      thinMinMax(
        [1, null, -2, null].map((value, time) => [time, value]),
        2,
      ),
    ).toEqual([
      [0, 1],
      [2, -2],
    ])
  })
  it('keeps the last text of each stretch', () => {
    const texts: ChartPoint[] = ['a', 'b', 'c', 'd', 'e', 'f'].map((value, time) => [time, value])
    expect(thinMinMax(texts, 4)).toEqual([
      [2, 'c'],
      [5, 'f'],
    ])
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
  it.each([
    ['four times the usual distance is no gap', [0, 10, 20, 30, 70], []],
    ['more is', [0, 10, 20, 30, 71], [40]],
    ['at the beginning, only later distances count', [0, 100, 110, 120, 130], [10]],
    ['an outlier among the distances does not change the usual one', [0, 10, 20, 90, 100, 110], [30]],
    ['the distances nearby count, not those far away', [0, 1, 2, 3, 4, 104, 204, 304, 404], []],
    ['four points have a rhythm', [0, 10, 20, 100], [30]],
    ['a gap in values sent at once is not marked', [0, 0, 0, 0, 100], []],
  ])('%s', (_, times, gaps) => {
    const marked = markGaps(times.map((time) => [time, 1]))
    expect(marked.flatMap(([time, value]) => (value === null ? [time] : []))).toEqual(gaps)
    expect(marked).toHaveLength(times.length + gaps.length)
  })
  it('takes another factor', () => {
    const series: ChartPoint[] = [0, 10, 20, 30, 51].map((time) => [time, 1])
    expect(markGaps(series)).toEqual(series)
    expect(markGaps(series, 2)).toContainEqual([40, null])
  })
  it('marks a short gap in its middle', () => {
    const series: ChartPoint[] = [0, 10, 20, 30, 45].map((time) => [time, 1])
    expect(markGaps(series, 1)).toContainEqual([37.5, null])
  })
  it('knows no rhythm in three points', () => {
    const series: ChartPoint[] = [0, 10, 1000].map((time) => [time, 1])
    expect(markGaps(series)).toEqual(series)
  })
})
