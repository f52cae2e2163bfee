import { ORPCError } from '@orpc/client'
import i18next from 'i18next'
import { beforeAll, describe, expect, test } from 'vitest'
import * as z from 'zod'
import de from '../locales/de.json' with { type: 'json' }
import { describeError, fieldIssues } from './errors.ts'
import { check } from './validation.ts'

beforeAll(() =>
  i18next.init({ lng: 'de', resources: { de: { translation: de } }, interpolation: { escapeValue: false } }),
)

describe('anything that is thrown', () => {
  test.each([
    [undefined],
    [null],
    ['text'],
    [7],
    [{}],
    [[]],
    [new Error('')],
    [Object.create(null)],
    [new ORPCError('UNKNOWN_TO_US', { data: null })],
    [new ORPCError('UNKNOWN_TO_US', { data: 'text' })],
    [new ORPCError('UNKNOWN_TO_US', { data: { details: [1], requestId: 7 } })],
  ])('%# is described by a sentence', (error) => {
    const info = describeError(error)
    expect(info.text.length).toBeGreaterThan(5)
    expect(info.requestId).toBeNull()
    expect(fieldIssues(error)).toEqual([])
  })

  test.each([
    ['Failed to fetch', 'NETWORK_ERROR'],
    ['NetworkError when attempting to fetch resource.', 'NETWORK_ERROR'],
    ['Load failed', 'NETWORK_ERROR'],
    ['x is not a function', 'UNKNOWN'],
  ])('a TypeError that says %j is %s', (message, code) => {
    expect(describeError(new TypeError(message)).code).toBe(code)
  })

  test('markup in a message of the server stays text', () => {
    const error = new ORPCError('UNKNOWN_TO_US', { message: '<img src=x onerror=alert(1)>' })
    expect(describeError(error).text).toBe('<img src=x onerror=alert(1)>')
  })
})

describe('errors of fields', () => {
  const refused = (issues: unknown) => new ORPCError('INPUT_INVALID', { data: { details: { issues } } })

  test.each([
    [[{ path: 'a', message: 'b' }], [{ path: 'a', message: 'b' }]],
    [[{ path: ['a', 0, 'b'], message: 'c' }], [{ path: 'a.0.b', message: 'c' }]],
    [[{ path: [] }], [{ path: '', message: '' }]],
    [[{ path: 7, message: 'b' }, null, 'x', {}], []],
    [{ path: 'a' }, []],
    [undefined, []],
  ])('%j are %j', (issues, fields) => {
    expect(fieldIssues(refused(issues))).toEqual(fields)
  })
})

describe('a form with names that every object has', () => {
  const faults = check(z.object({ values: z.record(z.string(), z.number()) }))

  test.each(['toString', 'hasOwnProperty', 'größe'])('the field values.%s has its own error', (name) => {
    expect(Object.keys(faults({ values: { [name]: 'x' } }))).toEqual([`values.${name}`])
    expect(faults({ values: { [name]: 1 } })).toEqual({})
  })

  test.each([undefined, null, 7, 'text', []])('%j in place of a form is an error, not a crash', (given) => {
    expect(Object.keys(faults(given)).length).toBe(1)
  })
})
