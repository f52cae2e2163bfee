import { expect, test } from 'vitest'
import { sourceOf } from './source.ts'

const calculated = [{ key: 'dew', expression: 'temperature - 2' }]

test('a script is shown as it is, with the calculated variables below', () => {
  const script = 'function decodeUplink() {\n}'
  expect(sourceOf({ parser: { kind: 'function' }, script, calculated })).toBe(
    `${script}\ndew = temperature - 2`,
  )
  expect(sourceOf({ parser: { kind: 'function' }, script, calculated: [] })).toBe(script)
})

test('a parser without a script is shown as JSON, and an old script is not', () => {
  const text = sourceOf({ parser: { kind: 'unset' }, script: 'old', calculated: [] })
  expect(JSON.parse(text)).toEqual({ kind: 'unset' })
  expect(text).not.toContain('old')
})
