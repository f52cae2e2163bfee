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
