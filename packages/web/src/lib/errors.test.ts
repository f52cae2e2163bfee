import { errorCatalogue } from '@leitstand/contract/errors'
import { ORPCError } from '@orpc/client'
import i18next from 'i18next'
import { beforeAll, expect, test } from 'vitest'
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
      'nonsense',
    ],
  })
  expect(fieldIssues(error)).toEqual([
    { path: 'keyValues.a', message: 'too long' },
    { path: 'title', message: 'missing' },
  ])
})

test('every code of the catalogue has a text in both languages', () => {
  for (const texts of [de.errors, en.errors]) {
    expect(Object.keys(errorCatalogue).filter((code) => !(code in texts))).toEqual([])
  }
})
