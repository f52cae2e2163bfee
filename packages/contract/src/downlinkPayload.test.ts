import { expect, test } from 'vitest'
import {
  type DownlinkParameter,
  type DownlinkValues,
  downlinkBytes,
  encodeDownlink,
  toHex,
} from './downlinkPayload.ts'
import { PredefinedDownlink, PredefinedDownlinks } from './downlinks.ts'

const define = (payload: string, parameters: readonly object[], more: object = {}) =>
  PredefinedDownlink.safeParse({ name: 'Interval', port: 2, payload, parameters, ...more })

function encode(payload: string, parameters: readonly object[], values: DownlinkValues): string {
  const encoded = encodeDownlink(define(payload, parameters).data ?? fail(), values)
  return encoded.ok ? toHex(encoded.bytes) : `${encoded.parameter} ${encoded.fault}`
}

function fail(): never {
  throw new Error('the definition was expected to be sound')
}

test.each([
  ['01 0a FF', 'base16', '010aff'],
  ['AQr/', 'base64', '010aff'],
  ['Öl', 'utf8', 'c3966c'],
] as const)('reads %s as %s', (text, encoding, hex) => {
  const bytes = downlinkBytes(text, encoding)
  expect(typeof bytes === 'string' ? bytes : toHex(bytes)).toBe(hex)
})

test.each([
  ['abc', 'base16', 'downlinkHex'],
  ['0x01', 'base16', 'downlinkHex'],
  ['A', 'base64', 'downlinkBase64'],
  [' ', 'base16', 'downlinkEmpty'],
  ['00'.repeat(243), 'base16', 'downlinkLong'],
] as const)('refuses %s as %s', (text, encoding, fault) => {
  expect(downlinkBytes(text, encoding)).toBe(fault)
})

test.each<[string, object, number | boolean | string, string]>([
  ['two bytes', { type: 'integer', bits: 16 }, 600, '010258ff'],
  ['two bytes, the low one first', { type: 'integer', bits: 16, byteOrder: 'little' }, 600, '015802ff'],
  ['a signed byte', { type: 'integer', bits: 8, signed: true }, -2, '01feaaff'],
  ['a tenth of a degree', { type: 'float', bits: 16, signed: true, factor: 0.1 }, -1.5, '01fff1ff'],
  ['a choice', { type: 'enum', bits: 8, options: [{ value: 7, title: 'Seven' }] }, 7, '0107aaff'],
  ['the highest bit of a byte', { type: 'bool' }, true, '01aaaaff'],
  ['the highest bit of a byte, off', { type: 'bool' }, false, '012aaaff'],
  ['a text, filled up', { type: 'text', bytes: 2 }, 'a', '016100ff'],
])('writes %s over the payload', (_what, parameter, value, hex) => {
  expect(encode('01aaaaff', [{ key: 'p', startBit: 8, ...parameter }], { p: value })).toBe(hex)
})

test('writes bits between others, and floating point as it is', () => {
  const nibble = { key: 'n', type: 'integer', startBit: 4, bits: 4 }
  expect(encode('f0', [nibble], { n: 5 })).toBe('f5')
  expect(encode('0000', [{ ...nibble, startBit: 6 }], { n: 15 })).toBe('03c0')
  const real = { key: 'f', type: 'float', startBit: 0 }
  expect(encode('00000000', [{ ...real, bits: 32 }], { f: 1.5 })).toBe('3fc00000')
  expect(encode('00000000', [{ ...real, bits: 32, byteOrder: 'little' }], { f: 1.5 })).toBe('0000c03f')
  expect(encode('00'.repeat(8), [{ ...real, bits: 64 }], { f: -2 })).toBe('c000000000000000')
})

const whole: object = { key: 'p', type: 'integer', startBit: 0, bits: 8, min: 5, max: 300 }

test.each<[object, DownlinkValues, string]>([
  [whole, {}, 'downlinkMissing'],
  [whole, { p: 'x' }, 'downlinkMissing'],
  [whole, { p: Number.NaN }, 'downlinkNoNumber'],
  [whole, { p: 5.5 }, 'downlinkNoNumber'],
  [whole, { p: 4 }, 'downlinkRange'],
  [whole, { p: 256 }, 'downlinkRange'],
  [whole, { p: 301 }, 'downlinkRange'],
  [{ key: 'p', type: 'bool', startBit: 0 }, { p: 1 }, 'downlinkMissing'],
  [{ key: 'p', type: 'text', startBit: 0, bytes: 1 }, { p: 'ä' }, 'downlinkLong'],
  [
    { key: 'p', type: 'enum', startBit: 0, bits: 1, options: [{ value: 1, title: 'a' }] },
    { p: 0 },
    'downlinkOption',
  ],
])('says why %j does not take %j', (parameter, values, fault) => {
  expect(encode('0000', [parameter], values)).toBe(`p ${fault}`)
})

test.each<[string, object, string]>([
  ['beyond the payload', { type: 'integer', startBit: 41, bits: 8 }, 'downlinkOutside'],
  [
    'low bytes first of half a byte',
    { type: 'integer', startBit: 4, bits: 8, byteOrder: 'little' },
    'downlinkWholeBytes',
  ],
  ['a text within a byte', { type: 'text', startBit: 1, bytes: 1 }, 'downlinkWholeBytes'],
  ['a float of 16 bits', { type: 'float', startBit: 0, bits: 16 }, 'downlinkFloatBits'],
  [
    'a float with a factor of more than 32 bits',
    { type: 'float', startBit: 0, bits: 40, factor: 0.1 },
    'downlinkFactorBits',
  ],
  [
    'a choice too large',
    { type: 'enum', startBit: 0, bits: 1, options: [{ value: 2, title: 'x' }] },
    'downlinkRange',
  ],
  ['bounds the wrong way round', { type: 'integer', startBit: 0, bits: 8, min: 2, max: 1 }, 'downlinkRange'],
])('does not take a definition with %s', (_what, parameter, fault) => {
  expect(define('000000000000', [{ key: 'p', ...parameter }]).error?.issues[0]?.message).toBe(fault)
})

test('names and keys stand once', () => {
  const flag = { key: 'p', type: 'bool', startBit: 0 } satisfies Partial<DownlinkParameter>
  expect(define('00', [flag, flag]).error?.issues[0]?.message).toBe('downlinkKeyTwice')
  const one = { name: 'A', port: 1, payload: '00' }
  expect(PredefinedDownlinks.safeParse([one, one]).error?.issues[0]?.message).toBe('downlinkNameTwice')
})
