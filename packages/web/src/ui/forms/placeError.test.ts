import { fieldsOfError } from '@leitstand/contract/errorFields'
import { ORPCError } from '@orpc/client'
import i18next from 'i18next'
import { beforeAll, describe, expect, test } from 'vitest'
import de from '../../locales/de.json' with { type: 'json' }
import { placeError } from './placeError.ts'

beforeAll(() => i18next.init({ lng: 'de', resources: { de: { translation: de } } }))

const errorOf = (code: string, details: object = {}) =>
  new ORPCError(code, { status: 409, data: { requestId: null, details } })

describe('an error of the server', () => {
  const user = { username: 'ada', email: 'ada@example.org' }
  test.each([
    ['at the field of its code', 'TENANT_DUPLICATE', {}, { name: '' }, 'name'],
    ['at the field it names', 'USER_DUPLICATE', { field: 'username' }, user, 'username'],
    ['at the first field of its code that the form has', 'USER_DUPLICATE', {}, user, 'email'],
    ['at another one where the form has no such field', 'USER_DUPLICATE', {}, { username: '' }, 'username'],
  ] as const)('is shown %s', (_name, code, details, values, field) => {
    expect(placeError(errorOf(code, details), values)).toEqual({
      placed: { [field]: de.errors[code] },
      isLeft: false,
    })
  })

  test.each([
    ['has no such field', 'TENANT_DUPLICATE', {}, { title: '' }],
    ['has no field of this name of its own', 'USER_DUPLICATE', { field: 'constructor' }, { title: '' }],
    ['is not what it is about', 'NO_PERMISSION', {}, { name: '' }],
  ])('is shown for the form if it %s', (_name, code, details, values) => {
    expect(placeError(errorOf(code, details), values)).toEqual({ placed: {}, isLeft: true })
  })
})

test('every code that has a field has a text in the catalogue of the console', () => {
  const texts: Record<string, unknown> = de.errors
  expect(Object.keys(fieldsOfError).filter((code) => typeof texts[code] !== 'string')).toEqual([])
})

const refused = (issues: unknown) => errorOf('PARAMETER_VALIDATION_ERROR', { issues })

describe('issues of the server', () => {
  test.each([
    ['at a field', [{ path: 'title', message: 'fehlt' }], { title: 'fehlt' }, false],
    [
      'within a field',
      [{ path: ['limits', 'devices'], message: 'zu groß' }],
      { 'limits.devices': 'zu groß' },
      false,
    ],
    [
      'at a field and elsewhere',
      [
        { path: 'title', message: 'fehlt' },
        { path: 'version', message: 'alt' },
      ],
      { title: 'fehlt' },
      true,
    ],
    ['elsewhere', [{ path: 'version', message: 'alt' }], {}, true],
    ['at no field', [], {}, true],
    ['of no known form', 'kaputt', {}, true],
    ['at a name that every object has', [{ path: 'constructor', message: 'x' }], {}, true],
  ])('%s', (_name, issues, expected, others) => {
    const values = { title: '', limits: { devices: 1 } }
    expect(placeError(refused(issues), values)).toEqual({ placed: expected, isLeft: others })
  })

  test('of another kind are not at fields', () => {
    const error = new TypeError('fetch failed')
    expect(placeError(error, { title: '' })).toEqual({ placed: {}, isLeft: true })
  })
})
