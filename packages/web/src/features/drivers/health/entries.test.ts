import { HealthConfig } from '@leitstand/contract/health'
import { describe, expect, it } from 'vitest'
import {
  inMode,
  lookAt,
  looksAt,
  newEntry,
  readLimit,
  roughDuration,
  splitDuration,
  writeLimit,
} from './entries.ts'

describe('an entry', () => {
  it('looks at exactly one thing', () => {
    const entry = { ...newEntry(false), identifier: 'low' }
    expect(looksAt(entry, false)).toBe('value')
    const aged = lookAt(entry, 'age')
    expect(looksAt(aged, false)).toBe('age')
    expect(HealthConfig.safeParse({ entries: [aged] }).success).toBe(true)
    const filled = { ...lookAt(aged, 'expression'), expression: 'battery < 3' }
    expect(looksAt(filled, true)).toBe('expression')
    expect(HealthConfig.safeParse({ expertMode: true, entries: [filled] }).success).toBe(true)
  })

  it('does not outlive its mode', () => {
    const config = HealthConfig.parse({
      stateKeys: ['a'],
      entries: [lookAt({ ...newEntry(false), identifier: 'x' }, 'age')],
    })
    expect(inMode(config, true)).toEqual({
      expertMode: true,
      applyToAllVD: false,
      stateKeys: [],
      entries: [],
    })
  })
})

describe('a value to compare with', () => {
  it.each([
    ['3.5', 3.5],
    [' 3,5 ', 3.5],
    ['-1e3', -1000],
    ['true', true],
    ['open', 'open'],
    ['', ''],
    ['"5"', '5'],
    ['"true"', 'true'],
  ] as const)('%s', (text, limit) => {
    expect(readLimit(text)).toBe(limit)
    expect(readLimit(writeLimit(limit))).toBe(limit)
  })
})

describe('a duration', () => {
  it.each([
    [5_000, 1, 'minute'],
    [90 * 60_000, 90, 'minute'],
    [47 * 3_600_000, 47, 'hour'],
    [14 * 86_400_000, 14, 'day'],
  ] as const)('of %s ms, roughly', (ms, amount, unit) => {
    expect(roughDuration(ms)).toEqual({ amount, unit })
  })

  it.each([
    [90, 90, 'minute'],
    [120, 2, 'hour'],
    [2880, 2, 'day'],
  ] as const)('of %s minutes', (minutes, amount, unit) => {
    expect(splitDuration(minutes)).toEqual({ amount, unit })
  })
})
