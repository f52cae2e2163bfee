import type { GoldenPacket } from '@leitstand/contract/drivers'
import { Parser } from '@leitstand/contract/parsers'
import { expect, test } from 'vitest'
import { statesOf } from './variables.ts'

const golden = (expected: GoldenPacket['expected']): GoldenPacket => ({
  title: '',
  fPort: null,
  payload: '',
  encoding: 'base16',
  expected,
})
const packets = [
  golden({ t: 1, door: 'open', on: true, mixed: 1, list: [1] }),
  golden({ t: 2.5, mixed: 'x' }),
]

test.each([
  ['t', undefined, 'number'],
  ['door', undefined, 'text'],
  ['on', undefined, 'boolean'],
  ['list', undefined, 'json'],
  ['mixed', undefined, 'json'],
  ['never_seen', undefined, 'number'],
  ['door', 'json', 'json'],
] as const)('%s with type %s becomes %s', (key, valueType, expected) => {
  const variable = { key, title: 'Title', unit: 'u', ...(valueType ? { valueType } : {}) }
  const described = { parser: { kind: 'function' as const }, variables: [variable], golden: packets }
  expect(statesOf(described)).toEqual([{ key, title: 'Title', unit: 'u', valueType: expected }])
})

test.each([
  ['serial', 'text'],
  ['open', 'boolean'],
  ['level', 'number'],
  ['either', 'json'],
])('%s of a layout becomes %s without a golden packet', (key, expected) => {
  const field = { offset: 0, length: 1 }
  const parser = Parser.parse({
    kind: 'multi',
    layouts: [
      {
        when: { ports: [1] },
        fields: [
          { ...field, type: 'text', target: 'serial' },
          { ...field, type: 'boolean', target: 'open' },
          { ...field, type: 'bcd', target: 'either' },
        ],
      },
      {
        fields: [
          { ...field, type: 'integer', target: 'level' },
          { ...field, type: 'text', target: 'either' },
        ],
      },
    ],
  })
  const [state] = statesOf({ parser, variables: [{ key, title: '', unit: '' }], golden: [] })
  expect(state).toMatchObject({ key, valueType: expected })
})
