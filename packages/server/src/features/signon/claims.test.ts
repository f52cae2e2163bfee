import { describe, expect, test } from 'vitest'
import { claimAt, hasFactor, hasValue, mappedAccess, profileOf, subjectOf } from './claims.ts'

const claims = {
  sub: 'abc',
  groups: ['ops', 'dev'],
  realm_access: { roles: ['admin', 7] },
  'https://example.org/team': 'blue',
  'a.b': 1,
  a: { b: 2 },
  level: 3,
  flag: true,
}

test.each([
  ['sub', 'abc'],
  ['realm_access.roles', ['admin', 7]],
  ['https://example.org/team', 'blue'],
  ['a.b', 1],
  ['missing', undefined],
  ['sub.length', undefined],
  ['groups.0', 'ops'],
  ['constructor', undefined],
  ['__proto__.toString', undefined],
])('at %s stands %j', (path, expected) => expect(claimAt(claims, path)).toEqual(expected))

test.each([
  ['groups', 'ops', true],
  ['groups', 'op', false],
  ['realm_access.roles', '7', true],
  ['level', '3', true],
  ['flag', 'true', true],
  ['a', '[object Object]', false],
  ['missing', 'undefined', false],
])('%s has %s: %s', (path, value, expected) => expect(hasValue(claims, path, value)).toBe(expected))

describe('a profile', () => {
  const fields = {
    email: 'email',
    emailVerified: 'email_verified',
    firstName: 'given_name',
    lastName: 'n.last',
  }
  test('is read from where the fields say', () => {
    const said = { email: ' a@b.c ', email_verified: true, given_name: 'Ada', n: { last: 'x'.repeat(300) } }
    expect(profileOf(said, fields)).toEqual({
      email: 'a@b.c',
      emailVerified: true,
      firstName: 'Ada',
      lastName: 'x'.repeat(100),
    })
  })
  test.each([
    [undefined, null],
    [null, null],
    [false, false],
    ['false', false],
    ['true', true],
    ['1', true],
    [1, true],
    ['yes', false],
    [{}, false],
  ])('with %j the address counts as verified: %s', (said, expected) =>
    expect(profileOf({ email: 'a@b.c', email_verified: said }, fields).emailVerified).toBe(expected),
  )
  test.each(['', 'a', 'a b@c', 'a@b@c', `${'a'.repeat(200)}@b.c`, 7, ['a@b.c']])(
    'takes no %j as address',
    (email) => expect(profileOf({ email }, fields).email).toBe(null),
  )
})

test.each([
  ['abc', 'abc'],
  [42, '42'],
  ['', null],
  [undefined, null],
  [{}, null],
  ['x'.repeat(256), null],
])('the subject of %j is %j', (sub, expected) => expect(subjectOf({ sub }, 'sub')).toBe(expected))

describe('the mapping', () => {
  const mappings = [
    { claim: 'groups', value: 'ops', scopeId: 1, roleId: 10 },
    { claim: 'groups', value: 'dev', scopeId: 2, roleId: 11 },
    { claim: 'realm_access.roles', value: 'admin', scopeId: 1, roleId: 10 },
    { claim: 'groups', value: 'none', scopeId: 1, roleId: 12 },
  ]
  test('gives every role that fits once, the first on the main scope', () => {
    expect(mappedAccess(claims, mappings, { scopeId: 9, roleId: 9 })).toEqual([
      { scopeId: 1, roleId: 10, isMain: true },
      { scopeId: 2, roleId: 11, isMain: false },
    ])
  })
  test('falls back only when nothing fits', () => {
    expect(mappedAccess({}, mappings, { scopeId: 9, roleId: 9 })).toEqual([
      { scopeId: 9, roleId: 9, isMain: true },
    ])
    expect(mappedAccess({}, mappings, null)).toEqual([])
  })
})

test.each([
  [{}, 'provider', true],
  [{ amr: ['mfa'] }, 'own', false],
  [{ amr: ['pwd', 'otp'] }, 'amr', true],
  [{ amr: ['pwd'] }, 'amr', false],
  [{ amr: 'mfa' }, 'amr', false],
  [{}, 'amr', false],
] as const)('%j with %s: second factor %s', (said, setting, expected) =>
  expect(hasFactor(said, setting)).toBe(expected),
)
