import { timeRanges } from '@leitstand/contract/timeRanges'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { intervalFor, isPreset, presetMs, rangeEnds, readRange, widerPreset } from './range.ts'

const now = Date.UTC(2026, 10, 20, 12)

describe('the time range in the address', () => {
  test('reads a preset', () => {
    expect(readRange({ range: '7d' }, '24h')).toEqual({ preset: '7d' })
  })

  test('reads two ends', () => {
    expect(readRange({ from: '2026-11-20T10:00:00Z', to: '2026-11-20T11:00:00Z' }, '24h')).toEqual({
      fromMs: now - 2 * 3_600_000,
      toMs: now - 3_600_000,
    })
  })

  test.each([
    {},
    { range: '9 weeks' },
    { from: 'x', to: 'y' },
    { from: '2026-11-20T11:00:00Z', to: '2026-11-20T10:00:00Z' },
    { from: '2026-11-20T11:00:00Z' },
  ])('falls back for %j', (search) => {
    expect(readRange(search, '24h')).toEqual({ preset: '24h' })
  })

  test('a preset moves with the present', () => {
    expect(rangeEnds({ preset: '1h' }, now)).toEqual({ fromMs: now - 3_600_000, toMs: now })
  })

  test('grows step by step up to a year', () => {
    expect(widerPreset({ preset: '24h' })).toBe('2d')
    expect(widerPreset({ fromMs: 0, toMs: presetMs['3h'] + 1 })).toBe('6h')
    expect(widerPreset({ preset: '1Y' })).toBeUndefined()
  })

  test('presets stand in order and every one gets an interval that yields at most 2 000 points', () => {
    const intervalMs = { '5m': 300_000, '15m': 900_000, '1h': 3_600_000, '6h': 21_600_000, '1d': 86_400_000 }
    const lengths = timeRanges.map((preset) => presetMs[preset])
    expect(lengths).toEqual(lengths.toSorted((a, b) => a - b))
    for (const length of lengths) {
      const interval = intervalFor(length)
      if (interval !== null) expect(length / intervalMs[interval]).toBeLessThanOrEqual(2000)
    }
  })
})

describe('presets', () => {
  test.each([
    ['24h', true],
    ['1M', true],
    ['1m', false],
    ['', false],
    ['constructor', false],
    [undefined, false],
  ])('%s: %s', (text, known) => {
    expect(isPreset(text)).toBe(known)
  })
})

describe('reading the address', () => {
  const fixed = { fromMs: Date.UTC(2026, 2, 29), toMs: Date.UTC(2026, 2, 30) }
  test.each([
    [{ range: ['7d', '1h'] }, { preset: '7d' }],
    [{ from: '2026-03-29', to: '2026-03-30' }, fixed],
    [{ from: '2026-03-29T02:00:00+02:00', to: '2026-03-30T00:00:00Z', range: '1h' }, fixed],
    [{ from: '2026-03-29', to: '2026-03-29', range: '1h' }, { preset: '1h' }],
    [{ from: '', to: '', range: '1h' }, { preset: '1h' }],
  ] as const)('%j', (search, range) => {
    expect(readRange(search as Parameters<typeof readRange>[0], '24h')).toEqual(range)
  })

  test('two ends come back as they were written', () => {
    const time = fc.integer({ min: 0, max: Date.UTC(2100, 0) })
    fc.assert(
      fc.property(time, time, (one, other) => {
        fc.pre(one !== other)
        const [fromMs, toMs] = [Math.min(one, other), Math.max(one, other)]
        const search = { from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString() }
        expect(readRange(search, '24h')).toEqual({ fromMs, toMs })
      }),
    )
  })
})

describe('wider and wider', () => {
  test('from any range the widest is reached, each step wider than the one before', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2 * presetMs['1Y'] }), (length) => {
        let range: Parameters<typeof widerPreset>[0] = { fromMs: 0, toMs: length }
        let lengthMs = length
        for (let next = widerPreset(range); next; next = widerPreset(range)) {
          expect(presetMs[next]).toBeGreaterThan(lengthMs)
          lengthMs = presetMs[next]
          range = { preset: next }
        }
        expect(lengthMs).toBeGreaterThanOrEqual(presetMs['1Y'])
      }),
    )
  })

  test('a fixed range keeps its ends, however late it is', () => {
    expect(rangeEnds({ fromMs: 1, toMs: 2 }, now)).toEqual({ fromMs: 1, toMs: 2 })
  })
})

describe('intervals', () => {
  const day = 86_400_000
  test.each([
    [0, null],
    [2 * day, null],
    [2 * day + 1, '15m'],
    [4 * day, '15m'],
    [4 * day + 1, '1h'],
    [31 * day, '1h'],
    [31 * day + 1, '6h'],
    [190 * day, '6h'],
    [190 * day + 1, '1d'],
    [3650 * day, '1d'],
  ])('%d ms are drawn in steps of %s', (length, interval) => {
    expect(intervalFor(length)).toBe(interval)
  })

  test('a longer range never has finer steps', () => {
    const order = [null, '5m', '15m', '1h', '6h', '1d']
    const length = fc.integer({ min: 1, max: 1000 * day })
    fc.assert(
      fc.property(length, length, (one, other) => {
        const [short, long] = [Math.min(one, other), Math.max(one, other)]
        expect(order.indexOf(intervalFor(short))).toBeLessThanOrEqual(order.indexOf(intervalFor(long)))
      }),
    )
  })
})
