import type { GoldenPacket } from '@leitstand/contract/drivers'
import { expect, test } from 'vitest'
import { statesOf } from './variables.ts'

const golden = (expected: GoldenPacket['expected']): GoldenPacket => ({
  ...{ title: '', fPort: null, payload: '', encoding: 'base16' },
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
  expect(statesOf([variable], packets)).toEqual([{ key, title: 'Title', unit: 'u', valueType: expected }])
})
