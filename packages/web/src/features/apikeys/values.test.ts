import { expect, test } from 'vitest'
import { faultsOf, inputOf, stateOf, valuesOf } from './values.ts'

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
  expect(faultsOf(backwards)).toEqual({ validUntil: 'errors.INVALID_DATE_RANGE' })
})

test('a key is valid from its beginning to its end', () => {
  const [from, until] = ['2026-11-20T10:00:00.000Z', '2026-11-20T11:00:00.000Z']
  const at = (time: string) => stateOf({ validFrom: from, validUntil: until }, Date.parse(time))
  expect(at('2026-11-20T09:59:59.999Z')).toBe('notYet')
  expect(at(from)).toBe('valid')
  expect(at(until)).toBe('ended')
  expect(stateOf({ validFrom: null, validUntil: null }, 0)).toBe('valid')
})
