import type { ApiKey } from '@leitstand/contract'
import dayjs from 'dayjs'
import fc from 'fast-check'
import i18next from 'i18next'
import { beforeAll, describe, expect, test } from 'vitest'
import de from '../../locales/de.json' with { type: 'json' }
import { faultsOf, inputOf, stateOf, valuesOf } from './values.ts'

beforeAll(() => i18next.init({ lng: 'de', resources: { de: { translation: de } } }))

const good = { ...valuesOf(null, 7), title: ' Weather ', roleId: '3' }

test('a new key begins with the most calls, on the scope of the account', () => {
  expect(inputOf(good)).toEqual({
    title: 'Weather',
    callsPerMinute: 100,
    validFrom: null,
    validUntil: null,
    scopeId: 7,
    roleId: 3,
  })
  expect(faultsOf(good)).toEqual({})
})

test('what is missing or contradicts itself is said at its field', () => {
  expect(Object.keys(faultsOf(valuesOf(null, undefined)))).toEqual(['title', 'scopeId', 'roleId'])
  const limits = ['', 0, 101, 1.5, 'x'].map((callsPerMinute) => faultsOf({ ...good, callsPerMinute }))
  for (const faults of limits) expect(Object.keys(faults)).toEqual(['callsPerMinute'])
  const backwards = { ...good, validFrom: '2026-11-20T12:00', validUntil: '2026-11-20T12:00' }
  expect(faultsOf(backwards)).toEqual({ validUntil: de.errors.INVALID_DATE_RANGE })
})

test('a key is valid from its beginning to its end', () => {
  const [from, until] = ['2026-11-20T10:00:00.000Z', '2026-11-20T11:00:00.000Z']
  const at = (time: string) => stateOf({ validFrom: from, validUntil: until }, Date.parse(time))
  expect(at('2026-11-20T09:59:59.999Z')).toBe('notYet')
  expect(at(from)).toBe('valid')
  expect(at(until)).toBe('ended')
  expect(stateOf({ validFrom: null, validUntil: null }, 0)).toBe('valid')
})

describe('times of a key', () => {
  const key = { title: 'A', callsPerMinute: 5, scopeId: 7, roleId: 3 }
  const stored = (validFrom: string | null, validUntil: string | null) =>
    ({ ...key, validFrom, validUntil }) as unknown as ApiKey

  test('come back from the form to the minute', () => {
    // Without the hours around changes of the clocks, of which one local time names two.
    const time = fc
      .integer({ min: Date.UTC(2026, 11, 1), max: Date.UTC(2027, 1, 1) })
      .map((ms) => ms - (ms % 60_000))
    fc.assert(
      fc.property(time, (ms) => {
        const iso = new Date(ms).toISOString()
        expect(inputOf(valuesOf(stored(iso, null), undefined)).validFrom).toBe(iso)
        expect(inputOf(valuesOf(stored(null, iso), undefined)).validUntil).toBe(iso)
      }),
    )
  })

  test('are local in the form, as the input of the browser needs them', () => {
    const local = new Date(2026, 10, 20, 8, 5)
    expect(valuesOf(stored(local.toISOString(), null), undefined)).toMatchObject({
      validFrom: '2026-11-20T08:05',
      validUntil: '',
    })
    expect(inputOf({ ...good, validFrom: '2026-11-20T08:05' }).validFrom).toBe(local.toISOString())
  })

  test.each([
    ['', '', []],
    ['2026-01-01T00:00', '', []],
    ['', '2020-01-01T00:00', []],
    ['2026-01-01T00:00', '2026-01-01T00:01', []],
    ['2026-01-01T00:01', '2026-01-01T00:00', ['validUntil']],
  ])('from %j until %j', (validFrom, validUntil, fields) => {
    expect(Object.keys(faultsOf({ ...good, validFrom, validUntil }))).toEqual(fields)
  })

  test('a key is in exactly one state at any time', () => {
    const time = fc.option(fc.integer({ min: 0, max: 100 }).map((ms) => new Date(ms).toISOString()))
    fc.assert(
      fc.property(time, time, fc.integer({ min: 0, max: 100 }), (validFrom, validUntil, nowMs) => {
        const state = stateOf({ validFrom, validUntil }, nowMs)
        if (validUntil && Date.parse(validUntil) <= nowMs) expect(state).toBe('ended')
        else expect(state).toBe(validFrom && Date.parse(validFrom) > nowMs ? 'notYet' : 'valid')
      }),
    )
  })

  test('the form of a stored key has its scope, not that of the account', () => {
    expect(valuesOf(stored(null, null), 99)).toMatchObject({ scopeId: '7', roleId: '3', title: 'A' })
    expect(valuesOf(null, 99)).toMatchObject({ scopeId: '99', roleId: null })
  })

  test.each([1, 50, 100, '100', '7'])('%j calls a minute are possible', (callsPerMinute) => {
    expect(faultsOf({ ...good, callsPerMinute })).toEqual({})
    expect(inputOf({ ...good, callsPerMinute }).callsPerMinute).toBe(Number(callsPerMinute))
  })

  test('dayjs reads the format of the input as local time', () => {
    expect(dayjs('2026-03-29T02:30').isValid()).toBe(true)
  })
})
