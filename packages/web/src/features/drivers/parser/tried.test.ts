import { describe, expect, test } from 'vitest'
import { emptyDriver } from '../values.ts'
import { emptyParser } from './kinds/index.ts'
import { type Tried, toTrial } from './tried.ts'

const tried = (change: Partial<Tried> = {}): Tried => {
  const { parser, script, calculated, parserSecret, health } = emptyDriver()
  return { parser, script, calculated, parserSecret, health, ...change }
}
const entry = {
  ...emptyDriver().health,
  entries: [
    {
      identifier: 'low',
      type: 'warning',
      category: 'device',
      description: '',
      condition: { variable: 'battery', operator: 'lt', value: 3 },
      expression: '',
      olderThanDuration: null,
      olderThanVariable: null,
    },
  ],
} as Tried['health']
const url = { ...emptyParser('url'), url: 'https://parser.example.org/decode' }

describe('what the tester runs', () => {
  test('is the parser with its script', () => {
    expect(toTrial(tried({ script: '// x' }))).toEqual({
      parser: { kind: 'function' },
      script: '// x',
      calculated: [],
    })
  })

  test.each([
    ['a script of blanks', { script: ' \n' }],
    ['no script', { script: '' }],
    ['no address', { parser: emptyParser('url') }],
    ['an address that is none', { parser: { ...emptyParser('url'), url: 'javascript:alert(1)' } }],
    ['a timeout that is being typed', { parser: { ...url, timeoutMs: '' } }],
    ['a timeout that is no number', { parser: { ...url, timeoutMs: 'drei' } }],
    ['a field without a variable', { parser: emptyParser('single') }],
    ['an expression that is too long', { calculated: [{ key: 'a', expression: 'x'.repeat(100_000) }] }],
  ])('is nothing with %s', (_name, change) => {
    expect(toTrial(tried(change))).toBeNull()
  })

  test('needs no script where the parser has none', () => {
    expect(toTrial(tried({ parser: emptyParser('unset'), script: '' }))).not.toBeNull()
  })
})

describe('calculated variables', () => {
  test('that have just been added are left out', () => {
    const calculated = [
      { key: '', expression: '1' },
      { key: 'a', expression: '  ' },
      { key: 'dew', expression: 'temperature - 2' },
    ]
    expect(toTrial(tried({ calculated }))?.calculated).toEqual([
      { key: 'dew', expression: 'temperature - 2' },
    ])
  })

  test('with a name that cannot be one stop the run', () => {
    expect(toTrial(tried({ calculated: [{ key: 'a b', expression: '1' }] }))).toBeNull()
  })
})

describe('the token of an external parser', () => {
  test.each([
    ['secret', { parserSecret: 'secret' }],
    ['', {}],
    [null, {}],
  ])('%j is sent to its address as %j', (parserSecret, sent) => {
    const { parserSecret: given } = {
      parserSecret: undefined,
      ...toTrial(tried({ parser: url, parserSecret })),
    }
    expect(given === undefined ? {} : { parserSecret: given }).toEqual(sent)
  })

  test('is not sent with a parser that stays on the platform', () => {
    expect(toTrial(tried({ parserSecret: 'secret' }))).not.toHaveProperty('parserSecret')
  })
})

describe('health', () => {
  test('is evaluated if it has entries', () => {
    expect(toTrial(tried({ health: entry }))).toHaveProperty('health')
    expect(toTrial(tried())).not.toHaveProperty('health')
  })

  test('that is incomplete does not stop the run', () => {
    const [first] = entry.entries
    const health = { ...entry, entries: [{ ...first, identifier: '' }] } as Tried['health']
    const trial = toTrial(tried({ health }))
    expect(trial).not.toBeNull()
    expect(trial).not.toHaveProperty('health')
  })
})
