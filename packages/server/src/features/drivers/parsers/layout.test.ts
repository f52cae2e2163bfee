import { Field, Layout, Parser } from '@leitstand/contract/parsers'
import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { fuzzing } from '../../../../test/fuzz.ts'
import { applies, readByLayouts, readBytes, readFields } from './layout.ts'

const at = (field: object) => Field.parse({ target: 'v', ...field })
const read = (hex: string, ...fields: object[]) => readFields(Buffer.from(hex, 'hex'), fields.map(at))
const value = (hex: string, field: object) => read(hex, field).variables?.v

describe('a field', () => {
  test.each<[string, string, object, unknown]>([
    ['unsigned', 'ff01', { type: 'integer', offset: 0, length: 2 }, 65281],
    ['signed', 'ff38', { type: 'integer', offset: 0, length: 2, signed: true }, -200],
    [
      'little endian, 16 bits',
      '38ff',
      { type: 'integer', offset: 0, length: 2, signed: true, endian: 'little' },
      -200,
    ],
    [
      'little endian, 32 bits',
      '01000080',
      { type: 'integer', offset: 0, length: 4, endian: 'little' },
      2147483649,
    ],
    ['scaled and rounded', '00d7', { type: 'integer', offset: 0, length: 2, factor: 0.1, decimals: 1 }, 21.5],
    ['three tenths', '03', { type: 'integer', offset: 0, length: 1, factor: 0.1 }, 0.3],
    ['not rounded', '03', { type: 'integer', offset: 0, length: 1, factor: 0.1, decimals: null }, 3 * 0.1],
    ['with a summand', '32', { type: 'integer', offset: 0, length: 1, factor: 0.5, summand: -40 }, -15],
    ['some bits', 'b4', { type: 'integer', unit: 'bit', offset: 1, length: 3 }, 3],
    [
      'bits over two bytes, signed',
      '0ff0',
      { type: 'integer', unit: 'bit', offset: 4, length: 8, signed: true },
      -1,
    ],
    ['64 bits', 'ffffffffffffffff', { type: 'integer', offset: 0, length: 8, signed: true }, -1],
    ['54 bits', 'fffffffffffffc', { type: 'integer', unit: 'bit', offset: 0, length: 54 }, 2 ** 54],
    ['float 16', '3e00', { type: 'float', offset: 0, length: 2 }, 1.5],
    ['float 16, the smallest', '0001', { type: 'float', offset: 0, length: 2, decimals: null }, 2 ** -24],
    ['float 32, little endian', '0000ac41', { type: 'float', offset: 0, length: 4, endian: 'little' }, 21.5],
    ['float 64', '4035800000000000', { type: 'float', offset: 0, length: 8 }, 21.5],
    ['a set bit', '20', { type: 'boolean', unit: 'bit', offset: 2, length: 1 }, true],
    ['a bit that is not set', 'df', { type: 'boolean', unit: 'bit', offset: 2, length: 1 }, false],
    [
      'a bit that means no',
      '20',
      { type: 'boolean', unit: 'bit', offset: 2, length: 1, inverted: true },
      false,
    ],
    ['text up to NUL', '4bc3bc00ff', { type: 'text', offset: 0, length: 5 }, 'Kü'],
    [
      'text of one byte a character',
      '4bfc',
      { type: 'text', offset: 0, length: 2, encoding: 'latin1' },
      'Kü',
    ],
    ['bytes as hex', '00a1b2', { type: 'text', offset: 0, length: 3, encoding: 'hex' }, '00A1B2'],
    ['BCD', '012345', { type: 'bcd', offset: 0, length: 3 }, 12345],
    ['BCD from the middle of a byte', 'f123', { type: 'bcd', unit: 'bit', offset: 4, length: 12 }, 123],
    [
      'BCD, little endian, scaled',
      '785634',
      { type: 'bcd', offset: 0, length: 3, endian: 'little', factor: 0.001 },
      345.678,
    ],
  ])('%s', (_title, hex, field, expected) => {
    expect(value(hex, field)).toBe(expected)
  })

  it('no zero has a sign', () => {
    expect(
      Object.is(
        value('ffff', { type: 'integer', offset: 0, length: 2, signed: true, factor: 0.01, decimals: 1 }),
        0,
      ),
    ).toBe(true)
  })

  it('that reaches beyond the payload refuses it, unless it is optional', () => {
    const far = { type: 'integer', target: 'far', offset: 1, length: 2 }
    expect(read('0102', far).error).toEqual({
      code: 'PARSER_PAYLOAD_TOO_SHORT',
      message: 'far needs bytes 1 to 2, the payload has 2',
      params: { kind: 'bytes', target: 'far', first: 1, last: 2, bytes: 2 },
    })
    const near = { type: 'integer', target: 'near', offset: 0, length: 1 }
    expect(read('0102', near, { ...far, optional: true }).variables).toEqual({ near: 1 })
  })

  it('a digit above 9 is no BCD', () => {
    expect(read('1a', { type: 'bcd', offset: 0, length: 1 }).error?.code).toBe('PARSER_VALUE_INVALID')
  })
})

describe('the layout', () => {
  const fields = [{ type: 'integer', target: 'v', offset: 0, length: 1 }]
  const layouts = [
    { title: 'port', when: { ports: [2, 3] }, fields: [{ ...fields[0], target: 'port' }] },
    { title: 'length', when: { lengthMin: 4, lengthMax: 5 }, fields: [{ ...fields[0], target: 'length' }] },
    {
      title: 'mark',
      when: { bytes: { offset: 1, value: '0a0b' } },
      fields: [{ ...fields[0], target: 'mark' }],
    },
    {
      title: 'all',
      when: { ports: [9], bytes: { offset: 0, value: 'FF' } },
      fields: [{ ...fields[0], target: 'all' }],
    },
  ].map((layout) => Layout.parse(layout))
  const chosen = (hex: string, fPort: number | null) => {
    const { variables, error } = readByLayouts(Buffer.from(hex, 'hex'), fPort, layouts)
    return error === null ? Object.keys(variables)[0] : error
  }

  test.each([
    ['its port', '01', 3, 'port'],
    ['its length', '01020304', 1, 'length'],
    ['a discriminating byte', '010a0b', null, 'mark'],
    ['all that it states', 'ff', 9, 'all'],
  ])('is chosen by %s', (_title, hex, fPort, title) => {
    expect(chosen(hex, fPort)).toBe(title)
  })

  it('none for a packet: the packet is refused', () => {
    expect(chosen('01', 9)).toEqual({
      code: 'PARSER_NO_LAYOUT',
      message: 'No layout is for port 9 and 1 bytes that begin with 01',
      params: { kind: 'port', port: 9, bytes: 1, start: '01' },
    })
  })
})

describe('the rules of the specification', () => {
  const integer = { type: 'integer', target: 'v', offset: 0, length: 2 }
  const faults = (...fields: object[]) =>
    Parser.safeParse({ kind: 'single', fields }).error?.issues.map(
      ({ path, message }) => `${path.join('.')} ${message}`,
    )

  test.each<[string, object[], string | undefined]>([
    ['target: letters, digits, underscores and dots', [{ ...integer, target: 'Air.temp_1' }], undefined],
    ['target: nothing else', [{ ...integer, target: 'air temp' }], 'fields.0.target'],
    ['target: unique', [integer, integer], 'fields.1.target targetTwice'],
    ['target: another case is another name', [integer, { ...integer, target: 'V' }], undefined],
    ['float: 16 bits', [{ type: 'float', target: 'v', offset: 0, length: 2 }], undefined],
    ['float: 32 bits', [{ type: 'float', target: 'v', unit: 'bit', offset: 0, length: 32 }], undefined],
    ['float: 64 bits', [{ type: 'float', target: 'v', offset: 0, length: 8 }], undefined],
    [
      'float: no 24 bits',
      [{ type: 'float', target: 'v', offset: 0, length: 3 }],
      'fields.0.length floatLength',
    ],
    ['little endian: 16 bits', [{ ...integer, endian: 'little' }], undefined],
    ['little endian: 32 bits', [{ ...integer, endian: 'little', length: 4 }], undefined],
    [
      'little endian: no 24 bits',
      [{ ...integer, endian: 'little', length: 3 }],
      'fields.0.length littleEndianLength',
    ],
    ['decimals: 10', [{ ...integer, decimals: 10 }], undefined],
    ['decimals: not 11', [{ ...integer, decimals: 11 }], 'fields.0.decimals'],
    ['integer: at most 64 bits', [{ ...integer, length: 9 }], 'fields.0.length integerLength'],
    [
      'BCD: whole digits',
      [{ type: 'bcd', target: 'v', unit: 'bit', offset: 0, length: 6 }],
      'fields.0.length bcdLength',
    ],
    [
      'text: whole bytes',
      [{ type: 'text', target: 'v', unit: 'bit', offset: 0, length: 9 }],
      'fields.0.length textLength',
    ],
    ['a layout has fields', [], 'fields'],
  ])('%s', (_title, fields, fault) => {
    const found = faults(...fields)
    if (fault === undefined) expect(found).toBeUndefined()
    else expect(found?.[0]).toContain(fault)
  })

  test.each([
    ['0A', true],
    ['0a1f', true],
    ['0', false],
    ['0G', false],
    ['', false],
  ])('hex strings: 0-9 A-F with even length: %j', (hex, isValid) => {
    const layout = { when: { bytes: { offset: 0, value: hex } }, fields: [integer] }
    expect(Layout.safeParse(layout).error?.issues[0]?.message).toBe(isValid ? undefined : 'hexString')
  })

  it('behind a layout that always applies none may stand', () => {
    const parser = {
      kind: 'multi',
      layouts: [{ fields: [integer] }, { when: { ports: [1] }, fields: [integer] }],
    }
    expect(Parser.safeParse(parser).error?.issues).toMatchObject([
      { path: ['layouts', 0, 'when'], message: 'layoutAlways' },
    ])
    expect(Parser.safeParse({ ...parser, layouts: parser.layouts.reverse() }).success).toBe(true)
  })
})

/** The slow way: every bit as a character. */
const bitsOf = (bytes: Uint8Array) => [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('')
const reversed = (bits: string) => (bits.match(/.{8}/g) ?? []).reverse().join('')

describe('whatever is written is read again', () => {
  const bytes = fc.uint8Array({ minLength: 16, maxLength: 24 })

  it('integers of any length at any bit', () => {
    const place = fc.record({
      offset: fc.integer({ min: 0, max: 60 }),
      length: fc.integer({ min: 1, max: 64 }),
    })
    const shape = fc.record({ signed: fc.boolean(), little: fc.boolean() })
    fc.assert(
      fc.property(bytes, place, shape, (payload, { offset, length }, { signed, little }) => {
        const endian = little && (length === 16 || length === 32) ? 'little' : 'big'
        const bits = bitsOf(payload).slice(offset, offset + length)
        const whole = BigInt(`0b${endian === 'little' ? reversed(bits) : bits}`)
        const expected = Number(signed ? BigInt.asIntN(length, whole) : whole)
        const field = at({ type: 'integer', unit: 'bit', offset, length, signed, endian })
        expect(readFields(payload, [field]).variables?.v).toBe(expected)
      }),
      fuzzing(500),
    )
  })

  it('floats of 32 and 64 bits at any bit, in both orders', () => {
    const number = fc.double({ noNaN: true })
    const shape = fc.record({
      wide: fc.boolean(),
      little: fc.boolean(),
      offset: fc.integer({ min: 0, max: 15 }),
    })
    fc.assert(
      fc.property(number, shape, (given, { wide, little, offset }) => {
        const written = Buffer.alloc(wide ? 8 : 4)
        const expected = wide ? given : Math.fround(given)
        if (wide) written[little ? 'writeDoubleLE' : 'writeDoubleBE'](given)
        else written[little ? 'writeFloatLE' : 'writeFloatBE'](given)
        const bits = '0'.repeat(offset) + bitsOf(written)
        const payload = Buffer.from(
          (bits.padEnd(96, '0').match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)),
        )
        const field = at({
          type: 'float',
          unit: 'bit',
          offset,
          length: wide ? 64 : 32,
          decimals: null,
          endian: little ? 'little' : 'big',
        })
        expect(readFields(payload, [field]).variables?.v).toBe(expected + 0)
      }),
      fuzzing(500),
    )
  })

  it('floats of 16 bits, all of them', () => {
    for (let bits = 0; bits < 65_536; bits++) {
      const [sign, exponent, fraction] = [bits >> 15, (bits >> 10) & 31, bits & 1023]
      const size = exponent === 0 ? fraction / 2 ** 24 : (1024 + fraction) * 2 ** (exponent - 25)
      const usual = sign === 1 ? -size : size
      const expected = exponent < 31 ? usual : fraction > 0 ? Number.NaN : sign === 1 ? -Infinity : Infinity
      const payload = Buffer.from([bits >> 8, bits & 255])
      const found = readFields(payload, [at({ type: 'float', offset: 0, length: 2, decimals: null })])
      if (!Object.is((found.variables?.v as number) + 0, expected + 0))
        expect(found.variables?.v).toBe(expected)
    }
  })

  it('digits', () => {
    const digits = fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 1, maxLength: 15 })
    fc.assert(
      fc.property(digits, fc.boolean(), (text, little) => {
        const even =
          little && text.length % 2 === 1 ? `${text.slice(0, 13)}0`.slice(0, text.length - 1) || '00' : text
        const hex = little
          ? (even.match(/../g) ?? []).reverse().join('')
          : even.padEnd(even.length + (even.length % 2), 'f')
        const field = at({
          type: 'bcd',
          unit: 'bit',
          offset: 0,
          length: even.length * 4,
          endian: little ? 'little' : 'big',
        })
        expect(readFields(Buffer.from(hex, 'hex'), [field]).variables?.v).toBe(Number(even))
      }),
      fuzzing(300),
    )
  })

  it('no bytes break it', () => {
    const field = fc.record({
      type: fc.constantFrom('integer', 'float', 'boolean', 'text', 'bcd'),
      target: fc.constant('v'),
      unit: fc.constantFrom('bit', 'byte'),
      offset: fc.nat(200),
      length: fc.integer({ min: 1, max: 80 }),
      optional: fc.boolean(),
      endian: fc.constantFrom('big', 'little'),
    })
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 30 }), field, (payload, given) => {
        const parsed = Field.safeParse(given)
        if (!parsed.success) return
        const { variables, error } = readFields(payload, [parsed.data])
        expect((variables === null) !== (error === null)).toBe(true)
      }),
      fuzzing(1_000),
    )
  })
})

describe('a packet', () => {
  const time = new Date('2026-11-20T08:00:00.000Z')
  const packet = (payload: string, encoding: 'hex' | 'json') =>
    ({ payload, encoding, time, fPort: null }) as unknown as Parameters<typeof readBytes>[0]
  const fields = [at({ type: 'integer', offset: 0, length: 2 })]

  test('with bytes becomes variables', () => {
    const decoded = readBytes(packet('0102', 'hex'), (bytes) => readFields(bytes, fields))
    expect(decoded).toMatchObject({ error: null, console: [] })
    expect(decoded.measurements).toEqual([{ time, variables: { v: 258 } }])
  })
  test('with too few bytes has the reason of its layout', () => {
    const decoded = readBytes(packet('01', 'hex'), (bytes) => readFields(bytes, fields))
    expect(decoded.error).toMatchObject({
      code: 'PARSER_PAYLOAD_TOO_SHORT',
      message: 'v needs bytes 0 to 1, the payload has 1',
      params: { kind: 'bytes', first: 0, last: 1, bytes: 1 },
    })
  })
  test('without bytes is refused before it is read', () => {
    const decoded = readBytes(packet('{"t":1}', 'json'), () => expect.fail('was read'))
    expect(decoded.error?.code).toBe('PARSER_NEEDS_BYTES')
    expect(decoded.error?.message).toBe('The parser reads bytes, but the message has none')
  })
})

test('one missing byte is named alone', () => {
  expect(read('01', { type: 'integer', offset: 1, length: 1 }).error).toMatchObject({
    message: 'v needs byte 1, the payload has 1',
    params: { kind: 'byte', first: 1, last: 1 },
  })
})

test('a digit above 9 is named with its variable', () => {
  expect(read('0a', { type: 'bcd', offset: 0, length: 1 }).error).toMatchObject({
    code: 'PARSER_VALUE_INVALID',
    message: 'v: the bytes hold a digit above 9',
    params: { target: 'v' },
  })
})

test('without a layout the port, the length and the first bytes are named', () => {
  const none = (fPort: number | null) => readByLayouts(Buffer.from('0102030405', 'hex'), fPort, []).error
  expect(none(null)).toMatchObject({
    message: 'No layout is for no port and 5 bytes that begin with 01020304',
    params: { kind: 'noPort', bytes: 5, start: '01020304' },
  })
  expect(none(7)).toMatchObject({
    message: 'No layout is for port 7 and 5 bytes that begin with 01020304',
    params: { kind: 'port', port: 7 },
  })
})

test.each([
  [{}, null, true],
  [{ ports: [7] }, 7, true],
  [{ ports: [7] }, 8, false],
  [{ ports: [7] }, null, false],
  [{ lengthMin: 3 }, null, true],
  [{ lengthMin: 4 }, null, false],
  [{ lengthMax: 3 }, null, true],
  [{ lengthMax: 2 }, null, false],
  [{ bytes: { offset: 1, value: 'B2C3' } }, null, true],
  [{ bytes: { offset: 2, value: 'C3' } }, null, true],
  [{ bytes: { offset: 1, value: 'C3' } }, null, false],
  [{ bytes: { offset: 2, value: 'C3D4' } }, null, false],
])('a layout with %j for port %j applies: %s', (when, port, expected) => {
  const condition = { ports: [], lengthMin: null, lengthMax: null, bytes: null, ...when }
  expect(applies(condition, Buffer.from('a1b2c3', 'hex'), port)).toBe(expected)
})
