import { errorCatalogue } from '@leitstand/contract/errors'
import { ORPCError } from '@orpc/client'
import i18next from 'i18next'
import { beforeAll, describe, expect, test } from 'vitest'
import de from '../locales/de.json' with { type: 'json' }
import en from '../locales/en.json' with { type: 'json' }
import { describeError, fieldIssues } from './errors.ts'

beforeAll(async () => {
  await i18next.init({ lng: 'de', resources: { de: { translation: de } } })
})

function apiError(code: string, details: Record<string, unknown> = {}): ORPCError<string, unknown> {
  return new ORPCError(code, { status: 422, message: 'for developers', data: { requestId: 'r-1', details } })
}

test('a known code has its own text and keeps the request id', () => {
  expect(describeError(apiError('DEVICE_ALREADY_EXISTS'))).toMatchObject({
    text: de.errors.DEVICE_ALREADY_EXISTS,
    requestId: 'r-1',
    status: 422,
  })
})

test.each([
  [{ subject: 'VirtualDevice', action: 'manage' }, 'Ihnen fehlt das Recht „Verwalten“ für: Geräte'],
  [{ needed: { any: [{ subject: 'super.system', action: 'manage' }] } }, null],
  [{ needed: { any: [{ subject: 'VirtualDevice', action: 'read' }] } }, null],
  [{ needed: [{ subject: 'VirtualDevice', action: 'read' }] }, null],
  [{ needed: { subject: 'Dashboards', action: 'manage' } }, null],
])('a missing permission is named: %j', (details, text) => {
  const said = describeError(apiError('NO_PERMISSION', details)).text
  if (text !== null) expect(said).toBe(text)
  expect(said).toMatch(/^Ihnen fehlt das Recht „.+“ für: .+/)
})

test.each([
  {},
  { needed: 'session' },
  { needed: [] },
  { subject: 'x', action: 'y' },
  { needed: { any: [7] } },
])('a refusal that names no permission keeps the general text: %j', (details) => {
  expect(describeError(apiError('NO_PERMISSION', details)).text).toBe(de.errors.NO_PERMISSION)
})

test('an unknown code shows what the server said', () => {
  expect(describeError(apiError('SOMETHING_NEW')).text).toBe('for developers')
})

test('an unreachable server and a timeout are told apart', () => {
  expect(describeError(new TypeError('Failed to fetch')).code).toBe('NETWORK_ERROR')
  expect(describeError(new DOMException('late', 'TimeoutError')).code).toBe('REQUEST_TIMEOUT')
  expect(describeError(new Error('boom')).text).toBe(de.errors.UNKNOWN)
})

test('faults of fields are read from the details', () => {
  const error = apiError('PARAMETER_VALIDATION_ERROR', {
    issues: [
      { path: ['keyValues', 'a'], message: 'too long' },
      { path: 'title', message: 'missing' },
      { path: 'zone', code: 'custom', message: 'not a time zone' },
      { path: 'name', code: 'custom', message: 'a sentence for developers' },
      { path: 'state', message: 'x is computed', text: 'stateComputed', params: { state: 'Summe' } },
      'nonsense',
    ],
  })
  expect(fieldIssues(error)).toEqual([
    { path: 'keyValues.a', message: 'too long' },
    { path: 'title', message: 'missing' },
    { path: 'zone', message: 'Das ist keine Zeitzone.' },
    { path: 'name', message: de.validation.format },
    { path: 'state', message: '„Summe“ wird berechnet und lässt sich nicht setzen.' },
  ])
})

test('every code of the catalogue has a text in both languages', () => {
  for (const texts of [de.errors, en.errors]) {
    expect(Object.keys(errorCatalogue).filter((code) => !(code in texts))).toEqual([])
  }
})

describe('what is thrown', () => {
  test.each([
    [new TypeError('NetworkError when attempting to fetch resource.'), 'NETWORK_ERROR'],
    [new TypeError('Load failed'), 'NETWORK_ERROR'],
    [new TypeError('fetch failed'), 'NETWORK_ERROR'],
    [new TypeError("Cannot read properties of undefined (reading 'a')"), 'UNKNOWN'],
    [new DOMException('gone', 'AbortError'), 'UNKNOWN'],
    ['a text', 'UNKNOWN'],
    [null, 'UNKNOWN'],
    [undefined, 'UNKNOWN'],
    [{ code: 'DEVICE_ALREADY_EXISTS' }, 'UNKNOWN'],
  ])('%s is %s', (thrown, code) => {
    const info = describeError(thrown)
    expect(info.code).toBe(code)
    expect(info.text).toBe((de.errors as Record<string, string>)[code])
    expect([info.requestId, info.status, info.details]).toEqual([null, null, {}])
  })
})

describe('the data of an error', () => {
  test.each([undefined, null, 'text', 7, { requestId: 5 }, { details: 'text' }, { details: null }])(
    '%j is read as empty',
    (data) => {
      const error = new ORPCError('DEVICE_ALREADY_EXISTS', { status: 409, data })
      expect(describeError(error)).toEqual({
        code: 'DEVICE_ALREADY_EXISTS',
        text: de.errors.DEVICE_ALREADY_EXISTS,
        requestId: null,
        status: 409,
        details: {},
      })
      expect(fieldIssues(error)).toEqual([])
    },
  )

  test('a code without a text and without a message has a general sentence', () => {
    const error = new ORPCError('SOMETHING_NEW', { status: 500, message: '' })
    expect(describeError(error).text).toBe(de.errors.UNKNOWN)
    expect(describeError(new ORPCError('SOMETHING_NEW', { message: 'SOMETHING_NEW' })).text).toBe(
      de.errors.UNKNOWN,
    )
  })
})

describe('issues of fields', () => {
  test.each([
    [[{ path: [], message: 'a' }], [{ path: '', message: 'a' }]],
    [[{ path: ['rows', 0, 'name'], message: 'a' }], [{ path: 'rows.0.name', message: 'a' }]],
    [[{ path: 'title' }], [{ path: 'title', message: '' }]],
    [[{ message: 'a' }, null, 3, []], []],
    ['text', []],
  ])('%j', (issues, expected) => {
    expect(fieldIssues(apiError('PARAMETER_VALIDATION_ERROR', { issues }))).toEqual(expected)
  })
})
