import { failedSignInLimits } from '@leitstand/contract/failedSignIns'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { bounded, type Failure, keptName, keyOf } from './bounds.ts'

const at = new Date('2026-06-15T12:00:00.000Z')
const failure = (of: Partial<Failure>): Failure => ({
  name: 'ada',
  network: '192.0.2.1',
  address: '192.0.2.1',
  reason: 'password',
  code: '',
  userId: null,
  accountId: null,
  firstAt: at,
  lastAt: at,
  times: 1,
  ...of,
})

test('of a name that nobody has only the beginning is kept', () => {
  expect(keptName(' Correct Horse Battery ', false)).toBe('cor…')
  expect(keptName('bob', false)).toBe('bob')
  expect(keptName('Ada@Example.org', true)).toBe('ada@example.org')
  expect(keptName('ada\u0000\u001b[31m\u202e\n', true)).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u)
  expect([...keptName('😀'.repeat(99), true)]).toHaveLength(61)
})

test('a network that tries many names has a limited number of rows, and nothing is left uncounted', () => {
  const names = Array.from({ length: 1000 }, (_, at) => failure({ name: `name ${at}` }))
  const rows = bounded(names, [])
  expect(rows).toHaveLength(failedSignInLimits.ofNetworkMax + 1)
  expect(rows.at(-1)).toMatchObject({ name: '', network: '192.0.2.1', times: 900 })
  const later = bounded([failure({ name: 'another' }), failure({ name: 'name 5' })], rows)
  expect(later.map(({ name }) => name)).toEqual(['', 'name 5'])
})

test('a name that is tried from many networks has a limited number of rows', () => {
  const tries = Array.from({ length: 1000 }, (_, at) => failure({ network: `n${at}`, address: `n${at}` }))
  const rows = bounded(tries, [])
  expect(rows).toHaveLength(failedSignInLimits.ofNameMax + 1)
  expect(rows.at(-1)).toMatchObject({ name: 'ada', network: '', address: '', times: 900 })
})

test('whatever comes, each row is there once and no attempt is lost', () => {
  const small = fc.nat(250).map(String)
  const some = fc.record({ name: small, network: small, reason: fc.constantFrom('password', 'unknown') })
  fc.assert(
    fc.property(fc.array(some, { maxLength: 500 }), fc.array(some, { maxLength: 300 }), (now, before) => {
      const rows = bounded(
        now.map((of) => failure(of as Partial<Failure>)),
        before.map((of) => failure(of as Partial<Failure>)),
      )
      expect(new Set(rows.map(keyOf)).size).toBe(rows.length)
      expect(rows.reduce((sum, { times }) => sum + times, 0)).toBe(now.length)
    }),
  )
})
