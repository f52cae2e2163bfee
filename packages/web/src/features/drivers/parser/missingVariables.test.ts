import { DriverVariable } from '@leitstand/contract/drivers'
import { expect, test } from 'vitest'
import type { ParseResult } from '../queries.ts'
import { missingVariables } from './missingVariables.ts'

const result = (variables: object) => ({ variables }) as Pick<ParseResult, 'variables'>

test('variables that are not declared yet get the type of their value', () => {
  const variables = { t: 21.5, n: 0, on: false, mode: 'eco', list: [1], nested: { a: 1 }, none: null }
  expect(missingVariables(result(variables), [{ key: 'n' }])).toEqual([
    { key: 't', title: '', unit: '' },
    { key: 'on', title: '', unit: '', valueType: 'boolean' },
    { key: 'mode', title: '', unit: '', valueType: 'text' },
    { key: 'list', title: '', unit: '', valueType: 'json' },
    { key: 'nested', title: '', unit: '', valueType: 'json' },
    { key: 'none', title: '', unit: '', valueType: 'json' },
  ])
})

test('they can be declared as they are', () => {
  for (const variable of missingVariables(result({ a: 1, b: 'x', c: true, d: {} }), []))
    expect(DriverVariable.safeParse(variable).success).toBe(true)
})

test('there are none where all are declared', () => {
  expect(missingVariables(result({ a: 1 }), [{ key: 'a' }, { key: 'b' }])).toEqual([])
  expect(missingVariables(result({}), [])).toEqual([])
})
