import i18next from 'i18next'
import { beforeAll, describe, expect, test } from 'vitest'
import de from '../../locales/de.json' with { type: 'json' }
import type { User } from './queries.ts'
import { checkUser, readTexts, toLine, toUserInput, toUserValues, writeTexts } from './userValues.ts'

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

beforeAll(() => i18next.init({ lng: 'de', resources: { de: { translation: de } } }))

const stored = {
  username: 'ada',
  email: 'ada@example.org',
  firstName: 'Ada',
  lastName: 'Lind',
  phone: '+49 231 1',
  mobile: '',
  active: false,
  properties: {
    department: 'Straßen',
    floor: 3,
    userDefaults: { language: 'de' },
    columns: { devices: ['title'] },
  },
  access: [
    { scopeId: 3, roleId: 5, isMain: true },
    { scopeId: 4, roleId: 6, isMain: false },
  ],
} as unknown as User

describe('a stored user', () => {
  test('comes back unchanged from the form', () => {
    expect(toUserInput(toUserValues(stored), stored.properties)).toEqual(stored)
  })

  test('shows only properties the console does not use itself', () => {
    expect(JSON.parse(toUserValues(stored).properties)).toEqual({ department: 'Straßen', floor: 3 })
    expect(toUserValues({ ...stored, properties: { columns: {} } } as User).properties).toBe('')
  })

  test('what a property was called before does not survive a renaming', () => {
    const renamed = { ...toUserValues(stored), properties: '{"abteilung": "Straßen"}' }
    expect(toUserInput(renamed, stored.properties).properties).toEqual({
      abteilung: 'Straßen',
      userDefaults: { language: 'de' },
      columns: { devices: ['title'] },
    })
  })
})

describe('a new user', () => {
  test.each([
    ['', 'vera@example.org'],
    ['  ', 'vera@example.org'],
    [' vera ', 'vera'],
  ])('with the name %j signs in as %s', (username, expected) => {
    expect(toUserInput({ ...values, username, email: ' vera@example.org ' })).toMatchObject({
      username: expected,
      email: 'vera@example.org',
    })
  })

  test('has the access it was offered, and is active', () => {
    const access = [{ key: 0, scopeId: null, roleId: null, isMain: true }]
    expect(toUserValues(undefined, access)).toMatchObject({ active: true, access })
  })
})

describe('rows of access', () => {
  test('only complete ones are sent, as numbers', () => {
    const lines = [
      toLine({ scopeId: 3, roleId: 5, isMain: true }, 0),
      { key: 1, scopeId: null, roleId: null, isMain: false },
      { key: 2, scopeId: '4', roleId: null, isMain: false },
    ]
    expect(toUserInput({ ...values, access: lines }).access).toEqual([
      { scopeId: 3, roleId: 5, isMain: true },
    ])
  })
})

describe('faults of a user', () => {
  const line = { key: 0, scopeId: '3', roleId: '5', isMain: true }
  test.each([
    [{}, []],
    [{ email: '' }, ['username', 'email']],
    [{ email: 'vera' }, ['email']],
    [{ properties: '{' }, ['properties']],
    [{ properties: '[]' }, ['properties']],
    [{ properties: ' ' }, []],
    [{ access: [line] }, []],
    [{ access: [{ ...line, roleId: null }] }, ['access']],
    [{ access: [{ ...line, scopeId: null }] }, ['access']],
    [{ access: [{ ...line, scopeId: null, roleId: null }] }, []],
  ])('%j', (change, fields) => {
    expect(Object.keys(checkUser({ ...values, ...change }))).toEqual(fields)
  })
})

test.each([
  ['', {}],
  ['{}', {}],
  ['{"a":"b","ü":""}', { a: 'b', ü: '' }],
  ['{"a":1}', null],
  ['{"a":null}', null],
  ['[]', null],
  ['text', null],
])('properties %j as rows', (text, rows) => {
  expect(readTexts(text)).toEqual(rows)
})
