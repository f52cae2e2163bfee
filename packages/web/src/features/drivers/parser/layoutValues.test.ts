import { noHealthConfig } from '@leitstand/contract/health'
import { Parser } from '@leitstand/contract/parsers'
import { describe, expect, it } from 'vitest'
import { emptyParser, toParser, toParserValues } from './kinds/index.ts'
import { bitsOf, emptyField, emptyLayout, nextField, pictureOf } from './layoutValues.ts'
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
