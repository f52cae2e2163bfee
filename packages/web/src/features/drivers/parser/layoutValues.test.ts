import { noHealthConfig } from '@leitstand/contract/health'
import { Parser } from '@leitstand/contract/parsers'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { emptyParser, toParser, toParserValues } from './kinds/index.ts'
import {
  bitsOf,
  emptyField,
  emptyLayout,
  fieldTypes,
  inUnit,
  nextField,
  numberOf,
  pictureOf,
  toField,
  toFieldValues,
  toLayout,
  toLayoutValues,
} from './layoutValues.ts'
import { hexOf } from './packets.ts'
import { toTrial } from './tried.ts'

const field = (values: object) => ({ ...emptyField(), target: 'v', ...values })

describe('a parser in its form', () => {
  it('goes back as it came, of every kind', () => {
    const place = { unit: 'byte', offset: 0, length: 2, optional: false }
    const fields = [
      {
        type: 'integer',
        target: 'a',
        ...place,
        signed: true,
        endian: 'little',
        factor: 0.1,
        summand: -4,
        decimals: 2,
      },
      { type: 'float', target: 'b', ...place, endian: 'big', factor: 1, summand: 0, decimals: null },
      { type: 'boolean', target: 'c', ...place, inverted: true },
      { type: 'text', target: 'd', ...place, encoding: 'hex' },
      { type: 'bcd', target: 'e', ...place, endian: 'big', factor: 1, summand: 0, decimals: 10 },
    ]
    const when = { ports: [1, 2], lengthMin: null, lengthMax: 4, bytes: { offset: 0, value: '0A' } }
    const always = { ports: [], lengthMin: null, lengthMax: null, bytes: null }
    for (const parser of [
      { kind: 'single', fields },
      {
        kind: 'multi',
        layouts: [
          { title: 'x', when, fields },
          { title: '', when: always, fields },
        ],
      },
      { kind: 'function' },
      { kind: 'url', url: 'https://parser.example.org/', timeoutMs: 500, retries: 0 },
      { kind: 'elixir' },
      { kind: 'unset' },
    ]) {
      expect(toParser(toParserValues(Parser.parse(parser)))).toEqual(parser)
    }
  })

  it('is not tried while something is missing', () => {
    const layout = { ...emptyLayout(), fields: [field({ target: '' })] }
    const tried = {
      parser: { ...emptyParser('single'), layouts: [layout] },
      script: '',
      calculated: [],
      parserSecret: '',
      health: noHealthConfig(),
    }
    expect(toTrial(tried)).toBeNull()
    const calculated = [
      { key: '', expression: '' },
      { key: 'x', expression: 'v' },
    ]
    const parser = { ...emptyParser('single'), layouts: [{ ...layout, fields: [field({})] }] }
    expect(toTrial({ ...tried, parser, calculated })).toMatchObject({ calculated: [{ key: 'x' }] })
    expect(toTrial({ ...tried, parser: emptyParser('function') })).toBeNull()
  })

  it('is judged by the health configuration once there is one that is whole', () => {
    const entry = {
      identifier: 'low',
      category: 'battery' as const,
      type: 'warning' as const,
      description: '',
      expression: '',
      olderThanDuration: null,
      olderThanVariable: null,
      condition: { variable: 'battery', operator: 'lt' as const, value: 20 },
    }
    const tried = (entries: (typeof entry)[]) =>
      toTrial({
        parser: emptyParser('function'),
        script: 'x',
        calculated: [],
        parserSecret: '',
        health: { ...noHealthConfig(), entries },
      })
    expect(tried([entry])?.health?.entries).toEqual([entry])
    expect(tried([])).not.toHaveProperty('health')
    expect(tried([{ ...entry, identifier: '' }])).not.toHaveProperty('health')
  })

  it('the next field stands behind the last one', () => {
    expect(nextField([])).toMatchObject({ offset: 0, length: 1 })
    const last = field({ type: 'float', unit: 'bit', offset: 8, length: 32 })
    expect(nextField([last])).toMatchObject({ type: 'float', unit: 'bit', offset: 40, length: 32 })
  })
})

describe('the picture of a payload', () => {
  it('shows which bits belong to which field, the later one above', () => {
    const fields = [field({ offset: 0, length: 1 }), field({ unit: 'bit', offset: 6, length: 4 })]
    const bits = pictureOf('0aff', fields).map((byte) => byte.bits.map((bit) => bit.field ?? '-').join(''))
    expect(bits).toEqual(['00000011', '11------'])
    expect(pictureOf('0aff', fields).map(({ hex }) => hex)).toEqual(['0A', 'FF'])
  })

  it('shows places beyond the packet, and none while numbers are missing', () => {
    expect(pictureOf('', [field({ offset: 1, length: 2 })]).map(({ hex }) => hex)).toEqual([null, null, null])
    expect(bitsOf(field({ offset: '' }))).toBeNull()
    expect(pictureOf('', [field({ offset: '' })])).toEqual([])
    expect(pictureOf('', [field({ offset: 0, length: 1_000_000 })])).toHaveLength(128)
  })

  it('reads bytes however they are written', () => {
    expect(hexOf({ payload: '0A ff', encoding: 'base16' })).toBe('0aff')
    expect(hexOf({ payload: 'Cv8=', encoding: 'base64' })).toBe('0aff')
    expect(hexOf({ payload: 'A', encoding: 'base64' })).toBe('')
    expect(hexOf({ payload: '{}', encoding: 'json' })).toBe('')
  })
})

describe('any field', () => {
  const place = {
    target: fc.stringMatching(/^[a-z][a-z0-9_]{0,9}$/),
    unit: fc.constantFrom('byte' as const, 'bit' as const),
    optional: fc.boolean(),
    offset: fc.nat({ max: 500 }),
    length: fc.integer({ min: 1, max: 64 }),
  }
  const scale = {
    factor: fc.double({ noNaN: true, noDefaultInfinity: true }),
    summand: fc.double({ noNaN: true, noDefaultInfinity: true }),
    decimals: fc.option(fc.nat({ max: 10 })),
  }
  const endian = fc.constantFrom('big' as const, 'little' as const)
  const anyField = fc.oneof(
    fc.record({ type: fc.constant('integer' as const), ...place, signed: fc.boolean(), endian, ...scale }),
    fc.record({ type: fc.constantFrom('float' as const, 'bcd' as const), ...place, endian, ...scale }),
    fc.record({ type: fc.constant('boolean' as const), ...place, inverted: fc.boolean() }),
    fc.record({
      type: fc.constant('text' as const),
      ...place,
      encoding: fc.constantFrom('utf8' as const, 'latin1' as const, 'hex' as const),
    }),
  )
  const anyLayout = fc.record({
    title: fc.string(),
    when: fc.record({
      ports: fc.array(fc.nat({ max: 255 }), { maxLength: 3 }),
      lengthMin: fc.option(fc.nat({ max: 100 })),
      lengthMax: fc.option(fc.nat({ max: 100 })),
      bytes: fc.option(fc.record({ offset: fc.nat({ max: 9 }), value: fc.constantFrom('00', '0AFF') })),
    }),
    fields: fc.array(anyField, { maxLength: 3 }),
  })

  it('comes back from its form', () => {
    fc.assert(
      fc.property(anyField, (given) => {
        expect(toField(toFieldValues(given))).toEqual(given)
      }),
    )
  })

  it('comes back with its layout', () => {
    fc.assert(
      fc.property(anyLayout, (layout) => {
        expect(toLayout(toLayoutValues(layout))).toEqual(layout)
      }),
    )
  })

  it('keeps no entries of a type it had before', () => {
    for (const type of fieldTypes) {
      const keys = Object.keys(toField({ ...emptyField(), target: 'a', type }))
      expect(keys.includes('signed')).toBe(type === 'integer')
      expect(keys.includes('encoding')).toBe(type === 'text')
      expect(keys.includes('inverted')).toBe(type === 'boolean')
      expect(keys.includes('factor')).toBe(['integer', 'float', 'bcd'].includes(type))
    }
  })

  it('has its bits exactly where they are, in the picture', () => {
    const place = fc.record({
      unit: fc.constantFrom('byte' as const, 'bit' as const),
      offset: fc.nat({ max: 20 }),
      length: fc.integer({ min: 1, max: 20 }),
    })
    fc.assert(
      fc.property(fc.array(place, { maxLength: 4 }), fc.uint8Array({ maxLength: 20 }), (places, bytes) => {
        const fields = places.map((each) => field(each))
        const picture = pictureOf(Buffer.from(bytes).toString('hex'), fields)
        expect(picture.map(({ index }) => index)).toEqual(picture.map((_, index) => index))
        expect(picture.length).toBeGreaterThanOrEqual(Math.min(bytes.length, 128))
        for (const { index, hex, bits } of picture) {
          expect(hex).toBe(
            index < bytes.length
              ? Buffer.from(bytes.slice(index, index + 1))
                  .toString('hex')
                  .toUpperCase()
              : null,
          )
          for (const { bit, field: found } of bits) {
            const at = places.map(({ unit, offset, length }) => {
              const size = unit === 'byte' ? 8 : 1
              return bit >= offset * size && bit < (offset + length) * size
            })
            expect(found).toBe(at.includes(true) ? at.lastIndexOf(true) : null)
          }
        }
      }),
    )
  })
})

describe('numbers while they are typed', () => {
  it.each([
    ['', Number.NaN],
    ['  ', Number.NaN],
    ['-', Number.NaN],
    ['1,5', Number.NaN],
    ['12', 12],
    [' 12 ', 12],
    [0, 0],
    [-1.5, -1.5],
  ])('%j is %d', (typed, number) => {
    expect(numberOf(typed)).toBe(number)
  })

  it.each([
    [{ offset: '', length: 1 }, null],
    [{ offset: -1, length: 1 }, null],
    [{ offset: 0, length: 0 }, null],
    [{ offset: 0.3, length: 1 }, null],
    [
      { offset: '2', length: '3' },
      { from: 16, to: 40 },
    ],
    [
      { offset: 3, length: 5, unit: 'bit' },
      { from: 3, to: 8 },
    ],
  ])('%j covers %j', (change, bits) => {
    expect(bitsOf(field(change))).toEqual(bits)
  })

  it('an incomplete place of the last field starts the next one at the beginning', () => {
    expect(nextField([field({ offset: 'x', length: 2 })])).toMatchObject({ offset: 0, length: 2 })
    expect(nextField([field({ offset: '4', length: '2' })])).toMatchObject({ offset: 6 })
  })

  it('bytes of a condition are read without blanks, in capitals', () => {
    const layout = emptyLayout()
    const when = { ...layout.when, ports: ['1', 'x'], bytes: { offset: '1', value: ' 0a ff ' } }
    const read = toLayout({ ...layout, when })
    expect(read.when.bytes).toEqual({ offset: 1, value: '0AFF' })
    expect(read.when.ports).toEqual([1, Number.NaN])
    expect(toLayout(layout).when).toEqual({ ports: [], lengthMin: null, lengthMax: null, bytes: null })
  })
})

describe('a place in the other unit', () => {
  it.each([
    [{ offset: 2, length: 3 }, 'bit', { offset: 16, length: 24 }],
    [{ unit: 'bit', offset: 17, length: 9 }, 'byte', { offset: 2, length: 1 }],
    [{ unit: 'bit', offset: 0, length: 3 }, 'byte', { offset: 0, length: 1 }],
    [{ offset: '', length: 'x' }, 'bit', { offset: '', length: 'x' }],
    [{ offset: '2', length: '1' }, 'bit', { offset: 16, length: 8 }],
    [{ offset: 2, length: 3 }, 'byte', { offset: 2, length: 3 }],
  ] as const)('%j in %s', (place, unit, expected) => {
    expect(inUnit(field(place), unit)).toMatchObject({ ...expected, unit })
  })

  it('covers the same bits, and whole bytes come back', () => {
    fc.assert(
      fc.property(fc.nat({ max: 100 }), fc.integer({ min: 1, max: 8 }), (offset, length) => {
        const bytes = field({ offset, length })
        const bits = inUnit(bytes, 'bit')
        expect(bitsOf(bits)).toEqual(bitsOf(bytes))
        expect(inUnit(bits, 'byte')).toEqual(bytes)
      }),
    )
  })
})
