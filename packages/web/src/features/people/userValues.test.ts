import { expect, test } from 'vitest'
import { readTexts, toUserInput, toUserValues, writeTexts } from './userValues.ts'

const values = { ...toUserValues(undefined), email: 'vera@example.org' }

test('defaults are stored as chosen; what was taken away is gone, what the form does not show stays', () => {
  const before = {
    userDefaults: { language: 'de' as const, mapLayout: 'plain' },
    columns: { devices: ['a'] },
  }
  const defaults = { ...before.userDefaults, language: undefined, color: 'violet', uiTheme: true }
  expect(toUserInput({ ...values, defaults }, before).properties).toEqual({
    columns: { devices: ['a'] },
    userDefaults: { mapLayout: 'plain', color: 'violet', uiTheme: true },
  })
})

test('without any choice nothing is stored', () => {
  expect(toUserInput({ ...values, defaults: { color: undefined } }).properties).toEqual({})
})

test('free properties stand beside what the console keeps', () => {
  const typed = { ...values, properties: '{"department": "roads"}', defaults: { pagination: 50 } }
  expect(toUserInput(typed).properties).toEqual({ department: 'roads', userDefaults: { pagination: 50 } })
})

test('properties are rows of key and value as long as all of them are texts', () => {
  expect(readTexts(writeTexts({ department: 'roads' }))).toEqual({ department: 'roads' })
  expect([readTexts(''), writeTexts({})]).toEqual([{}, ''])
  expect([readTexts('{"floor": 3}'), readTexts('{"a": {"b": "c"}}'), readTexts('{')]).toEqual([
    null,
    null,
    null,
  ])
})
