import { HealthConfig } from '@leitstand/contract/health'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  durationUnits,
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

describe('any value to compare with', () => {
  it('is read as it was written', () => {
    const number = fc
      .oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }))
      .filter((each) => !Object.is(each, -0))
    const limit = fc.oneof(number, fc.boolean(), fc.string())
    fc.assert(
      fc.property(limit, (value) => {
        expect(readLimit(writeLimit(value))).toBe(value)
      }),
      { numRuns: 300 },
    )
  })

  it.each([
    ' a ',
    '"',
    '""',
    '"a"',
    '""a""',
    '5',
    ' 5',
    '1,5',
    'true',
    ' true ',
    '1e5',
    '',
    ' ',
    'a\nb',
    '"a\nb"',
  ])('the text %j stays a text', (text) => {
    expect(readLimit(writeLimit(text))).toBe(text)
  })

  it.each([
    ['-0,5', -0.5],
    ['+3', 3],
    ['.5', 0.5],
    ['1.000,5', '1.000,5'],
    ['0x10', 16],
    ['Infinity', 'Infinity'],
    ['NaN', 'NaN'],
    ['TRUE', 'TRUE'],
    ['ja', 'ja'],
    ['"', '"'],
    ['5 V', '5 V'],
  ])('%s is read as %j', (text, limit) => {
    expect(readLimit(text)).toBe(limit)
  })
})

describe('any duration', () => {
  it('is the same in the unit it is shown in', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 527_040 }), (minutes) => {
        const { amount, unit } = splitDuration(minutes)
        expect(amount * durationUnits[unit]).toBe(minutes)
        expect(Number.isInteger(amount)).toBe(true)
      }),
    )
  })

  it('is roughly right: within half a unit, and never zero', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 400 * 86_400_000 }), (ms) => {
        const { amount, unit } = roughDuration(ms)
        expect(amount).toBeGreaterThanOrEqual(1)
        const unitMs = durationUnits[unit] * 60_000
        if (ms >= unitMs / 2) expect(Math.abs(amount * unitMs - ms)).toBeLessThanOrEqual(unitMs / 2)
      }),
    )
  })

  it.each([
    [0, 1, 'minute'],
    [119.4 * 60_000, 119, 'minute'],
    [120 * 60_000, 2, 'hour'],
    [2879 * 60_000, 48, 'hour'],
    [2880 * 60_000, 2, 'day'],
    [365 * 86_400_000, 365, 'day'],
  ] as const)('of %d ms is about %d %s', (ms, amount, unit) => {
    expect(roughDuration(ms)).toEqual({ amount, unit })
  })
})

describe('what an entry evaluates', () => {
  it('can be changed to anything and back without traces', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('value', 'expression', 'age'), { minLength: 1, maxLength: 5 }),
        (changes) => {
          const last = changes.at(-1) ?? 'value'
          const entry = changes.reduce(lookAt, { ...newEntry(false), identifier: 'x', description: 'kept' })
          expect(looksAt(entry, last === 'expression')).toBe(last)
          expect([entry.condition !== null, entry.olderThanDuration !== null]).toEqual([
            last === 'value',
            last === 'age',
          ])
          expect(entry).toMatchObject({ identifier: 'x', description: 'kept' })
        },
      ),
    )
  })

  it('a new one asks for an identifier and a variable, nothing else', () => {
    const paths = (config: object) =>
      HealthConfig.safeParse(config).error?.issues.map(({ path }) => path.join('.'))
    expect(paths({ entries: [newEntry(false)] })).toEqual([
      'entries.0.identifier',
      'entries.0.condition.variable',
    ])
    expect(
      paths({ expertMode: true, entries: [{ ...newEntry(true), identifier: 'x', expression: 'a' }] }),
    ).toBeUndefined()
  })
})

describe('what is typed as a value to compare with', () => {
  it.each([
    ['  ', ''],
    ['1e400', '1e400'],
    ['Infinity', 'Infinity'],
    ['NaN', 'NaN'],
    ['1.000,5', '1.000,5'],
    ['""', ''],
    ['"', '"'],
    ['" offen "', ' offen '],
    ['"a"b"', 'a"b'],
    ['TRUE', 'TRUE'],
    ['größer', 'größer'],
    ['__proto__', '__proto__'],
    ['-0', -0],
  ] as const)('%j is %j', (text, limit) => {
    expect(readLimit(text)).toBe(limit)
  })

  it('comes back from any value that can be stored', () => {
    const limit = fc.oneof(fc.string(), fc.boolean(), fc.double({ noNaN: true, noDefaultInfinity: true }))
    fc.assert(
      fc.property(limit, (value) => {
        expect(readLimit(writeLimit(value))).toEqual(Object.is(value, -0) ? 0 : value)
      }),
    )
  })
})
