import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { differences } from './compare.ts'
import { checkPayload, guessEncoding } from './payload.ts'

describe('a golden packet', () => {
  it('matches up to rounding', () => {
    expect(differences({ a: 0.3, b: [1, { c: true }] }, { a: 0.1 + 0.2, b: [1, { c: true }] })).toEqual([])
  })

  it('names every variable that differs', () => {
    expect(differences({ a: 1, gone: 'x' }, { a: 2, new: null })).toEqual([
      { key: 'a', expected: 1, actual: 2 },
      { key: 'gone', expected: 'x', actual: undefined },
      { key: 'new', expected: undefined, actual: null },
    ])
  })
})

describe('a typed payload', () => {
  it('forgives the usual notations of bytes', () => {
    expect(checkPayload('0x01, 0xE2 0a:0B', 'base16')).toEqual({ ok: true, text: '01e20a0b' })
    expect(checkPayload('012', 'base16')).toEqual({ ok: false, fault: 'hex' })
    expect(checkPayload(' ', 'base16')).toEqual({ ok: false, fault: 'empty' })
  })

  it('is checked in its encoding', () => {
    expect(checkPayload('AQ ID', 'base64')).toEqual({ ok: true, text: 'AQID' })
    expect(checkPayload('{"a":1}', 'json')).toEqual({ ok: true, text: '{"a":1}' })
    expect(checkPayload('{', 'json')).toEqual({ ok: false, fault: 'json' })
  })

  it('tells the encoding that fits better', () => {
    expect(guessEncoding('{"a":1}', 'base16')).toBe('json')
    expect(guessEncoding('AQIDBA==', 'base16')).toBe('base64')
    expect(guessEncoding('0102', 'base16')).toBeUndefined()
  })
})

describe('a comparison of values', () => {
  it.each([
    ['equal numbers', 1, 1, true],
    ['numbers within rounding', 1_000_000.1, 1_000_000.1 + 1e-4, true],
    ['numbers that differ', 1, 1.0001, false],
    ['zero and nearly zero', 0, 1e-10, true],
    ['a number and its text', 1, '1', false],
    ['zero and false', 0, false, false],
    ['null and nothing', null, undefined, false],
    ['null and null', null, null, true],
    ['an empty list and an empty object', [], {}, false],
    ['lists in another order', [1, 2], [2, 1], false],
    ['lists of another length', [1, 2], [1, 2, 3], false],
    ['objects in another order', { a: 1, b: 2 }, { b: 2, a: 1 }, true],
    ['objects with one more key', { a: 1 }, { a: 1, b: undefined }, false],
    ['nested rounding', { a: [0.1 + 0.2] }, { a: [0.3] }, true],
    ['null and an object', null, {}, false],
    ['a key that objects have themselves', { a: {} }, { a: { constructor: 1 } }, false],
  ])('%s', (_name, expected, actual, same) => {
    expect(differences({ v: expected }, { v: actual })).toHaveLength(same ? 0 : 1)
    expect(differences({ v: actual }, { v: expected })).toHaveLength(same ? 0 : 1)
  })

  it('of anything with its own copy finds nothing', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (variables) => {
        expect(differences(variables, structuredClone(variables))).toEqual([])
      }),
    )
  })

  it('names each variable once, in order', () => {
    const variables = fc.dictionary(fc.constantFrom('a', 'B', 'ä', 'z', '10', '9'), fc.integer())
    fc.assert(
      fc.property(variables, variables, (expected, actual) => {
        const keys = differences(expected, actual).map(({ key }) => key)
        expect(keys).toEqual([...new Set(keys)].toSorted())
        for (const key of keys) expect(key in expected || key in actual).toBe(true)
      }),
    )
  })
})

describe('bytes as people write them', () => {
  const bytes = fc
    .uint8Array({ minLength: 1, maxLength: 20 })
    .map((each) => [...each].map((byte) => byte.toString(16).padStart(2, '0')))

  it.each([
    ['pairs', (pairs: string[]) => pairs.join('')],
    ['blanks', (pairs: string[]) => pairs.join(' ')],
    ['colons', (pairs: string[]) => pairs.join(':')],
    ['dashes', (pairs: string[]) => pairs.join('-')],
    ['lines', (pairs: string[]) => `${pairs.join('\n')}\n`],
    ['a C array', (pairs: string[]) => pairs.map((pair) => `0x${pair.toUpperCase()}`).join(', ')],
  ])('with %s are the same bytes', (_name, write) => {
    fc.assert(
      fc.property(bytes, (pairs) => {
        expect(checkPayload(write(pairs), 'base16')).toEqual({ ok: true, text: pairs.join('') })
      }),
    )
  })

  it.each(['0', '0g', 'xyz', '01 2', '"01"', '0x', 'ä0'])('%s are none', (text) => {
    expect(checkPayload(text, 'base16')).toEqual({ ok: false, fault: 'hex' })
  })

  it('of any kind are read from base64', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 30 }), (each) => {
        const encoded = Buffer.from(each).toString('base64')
        expect(checkPayload(encoded, 'base64')).toEqual({ ok: true, text: encoded })
        expect(checkPayload(Buffer.from(each).toString('base64url'), 'base64').ok).toBe(true)
      }),
    )
  })

  it.each(['A=A', '====', 'Ä', 'AQ ID!', '{"a":1}'])('%s is no base64', (text) => {
    expect(checkPayload(text, 'base64')).toEqual({ ok: false, fault: 'base64' })
  })

  it.each([
    ['null', true],
    ['0', true],
    ['"text"', true],
    ['[]', true],
    ["{'a':1}", false],
    ['{"a":1,}', false],
    ['NaN', false],
  ])('%s is JSON: %s', (text, ok) => {
    expect(checkPayload(text, 'json').ok).toBe(ok)
  })

  it.each([
    ['0102', 'base16', undefined],
    ['0102', 'base64', undefined],
    ['01 02', 'json', 'base16'],
    ['{"t": 1}', 'base64', 'json'],
    ['AQI=', 'json', 'base64'],
    ['Grüße', 'base16', undefined],
    ['', 'base16', undefined],
    ['  ', 'json', undefined],
  ] as const)('%s typed as %s is rather %s', (text, current, better) => {
    expect(guessEncoding(text, current)).toBe(better)
  })

  it('a better encoding really is one', () => {
    fc.assert(
      fc.property(fc.string(), fc.constantFrom('base16', 'base64', 'json'), (text, current) => {
        const better = guessEncoding(text, current)
        if (better === undefined) return
        expect(better).not.toBe(current)
        expect(checkPayload(text, better).ok).toBe(true)
        expect(checkPayload(text, current).ok).toBe(false)
      }),
    )
  })
})
