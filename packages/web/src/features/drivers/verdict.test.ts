import { expect, test } from 'vitest'
import { verdictOf } from './verdict.ts'

const result = (ok: boolean, variables: object = {}) =>
  ({ ok, variables }) as NonNullable<Parameters<typeof verdictOf>[1]>

test.each([
  ['no result yet', { a: 1 }, undefined, 'waiting'],
  ['a failure', { a: 1 }, result(false, { a: 1 }), 'failed'],
  ['another value', { a: 1 }, result(true, { a: 2 }), 'differs'],
  ['a missing value', { a: 1, b: 2 }, result(true, { a: 1 }), 'differs'],
  ['one more value', { a: 1 }, result(true, { a: 1, b: 2 }), 'differs'],
  ['rounding', { a: 0.3 }, result(true, { a: 0.1 + 0.2 }), 'ok'],
  ['nothing expected and nothing found', {}, result(true), 'ok'],
] as const)('%s', (_name, expected, run, verdict) => {
  expect(verdictOf({ expected } as Parameters<typeof verdictOf>[0], run)).toBe(verdict)
})
