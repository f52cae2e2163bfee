import { Parser, parserKinds } from '@leitstand/contract/parsers'
import { describe, expect, it } from 'vitest'
import de from '../../../../locales/de.json' with { type: 'json' }
import en from '../../../../locales/en.json' with { type: 'json' }
import { addressOf, emptyParser, kinds, toParser, toParserValues } from './index.ts'

describe.each(parserKinds)('a parser of kind %s', (kind) => {
  it('has its texts in both languages', () => {
    for (const { drivers } of [de, en]) {
      expect(drivers.kind.name[kind]).not.toBe('')
      expect(drivers.kind.hint[kind]).not.toBe('')
    }
  })

  it('begins as one of its kind', () => {
    expect(toParser(emptyParser(kind)).kind).toBe(kind)
  })
})

describe('a stored parser', () => {
  const layout = {
    title: 'Port 1',
    when: { ports: [1, 2], lengthMin: 2, lengthMax: null, bytes: { offset: 0, value: '01FF' } },
    fields: [
      {
        type: 'integer',
        target: 'temperature',
        unit: 'byte',
        optional: false,
        offset: 0,
        length: 2,
        signed: true,
        endian: 'little',
        factor: 0.1,
        summand: -40,
        decimals: 1,
      },
      { type: 'boolean', target: 'open', unit: 'bit', optional: true, offset: 16, length: 1, inverted: true },
      {
        type: 'text',
        target: 'serial',
        unit: 'byte',
        optional: false,
        offset: 3,
        length: 4,
        encoding: 'latin1',
      },
    ],
  }
  const parsers = [
    { kind: 'single', fields: layout.fields },
    {
      kind: 'multi',
      layouts: [
        layout,
        { ...layout, title: '', when: { ports: [], lengthMin: null, lengthMax: 51, bytes: null } },
      ],
    },
    { kind: 'function' },
    { kind: 'elixir' },
    { kind: 'unset' },
    { kind: 'url', url: 'https://parser.example.org', timeoutMs: 500, retries: 0 },
  ].map((parser) => Parser.parse(parser))

  it.each(parsers)('$kind comes back unchanged from its form', (parser) => {
    expect(Parser.parse(toParser(toParserValues(parser)))).toEqual(parser)
  })

  it('sends packets to no address but that of an external parser', () => {
    expect(parsers.flatMap((parser) => addressOf(parser) ?? [])).toEqual(['https://parser.example.org'])
  })
})

describe('numbers that are being typed', () => {
  it.each(['', ' ', '-', 'drei', '1,5'])('%j is no number of milliseconds', (timeoutMs) => {
    const parser = toParser({ ...emptyParser('url'), url: 'https://parser.example.org', timeoutMs })
    expect(Parser.safeParse(parser).success).toBe(false)
  })
})

it('an error of a single layout is shown at its field', () => {
  const { placeOfFault } = kinds.single
  expect(placeOfFault?.('parser.fields.2.target')).toBe('parser.layouts.0.fields.2.target')
  expect(placeOfFault?.('parser.fields')).toBe('parser.layouts.0.fields')
  expect(placeOfFault?.('parser.kind')).toBe('parser.kind')
})
