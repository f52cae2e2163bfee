import { timeRanges } from '@leitstand/contract/timeRanges'
import { describe, expect, test } from 'vitest'
import { intervalFor, presetMs, rangeEnds, readRange, widerPreset } from './range.ts'

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
