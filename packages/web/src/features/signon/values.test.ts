import { OAuth2ClientInput, OidcClientInput } from '@leitstand/contract/sso'
import { describe, expect, test } from 'vitest'
import { fieldAt, newKey, oauth2InputOf, oidcInputOf, type SsoClient, valuesOf } from './values.ts'

const stored: SsoClient = {
  kind: 'oidc',
  id: 1,
  key: 'k'.repeat(24),
  accountId: 3,
  title: 'Stadt',
  logo: null,
  active: true,
  clientId: 'c',
  hasSecret: true,
  clientAuth: 'post',
  scopes: ['openid'],
  createUsers: true,
  linkUsers: false,
  trustEmails: true,
  mapEveryTime: false,
  secondFactor: 'amr',
  users: 2,
  version: 4,
  mappings: [{ claim: 'groups', value: 'ops', scopeId: 5, roleId: 6 }],
  fallback: null,
  discoveryUrl: null,
  redirectUris: [],
  startUrl: '',
  createdAt: '',
  updatedAt: '',
  endpoints: {
    issuer: 'https://a.b',
    authorization: 'https://a.b/a',
    token: 'https://a.b/t',
    userinfo: null,
    jwks: 'https://a.b/j',
  },
  fields: { email: 'mail', emailVerified: 'xms_edov', firstName: 'given_name', lastName: 'family_name' },
}

describe('the form of a client', () => {
  test('gives back what is stored, without the secret', () => {
    const input = oidcInputOf(valuesOf(stored, 'oidc', 9), 3, true)
    expect(input).not.toHaveProperty('clientSecret')
    const { kind, id, key, hasSecret, users, version, redirectUris, startUrl, ...content } = stored
    const { createdAt, updatedAt, ...entered } = content
    expect([
      kind,
      id,
      key,
      hasSecret,
      users,
      version,
      redirectUris,
      startUrl,
      createdAt,
      updatedAt,
    ]).toHaveLength(10)
    expect(input).toEqual(entered)
    expect(OidcClientInput.parse(input)).toEqual(entered)
  })

  test('a new one asks for what is missing, and no more', () => {
    const empty = valuesOf(null, 'oidc', 9)
    const faults = OidcClientInput.safeParse(oidcInputOf(empty, 3, false)).error?.issues ?? []
    expect(new Set(faults.map(({ path }) => fieldAt(path.join('.'))))).toEqual(
      new Set(['title', 'clientId', 'discoveryUrl', 'clientSecret']),
    )
    const filled = { ...empty, title: ' S ', clientId: 'c', clientSecret: 's', discoveryUrl: 'https://a.b' }
    expect(OidcClientInput.parse(oidcInputOf(filled, 3, false))).toMatchObject({
      title: 'S',
      clientSecret: 's',
      endpoints: null,
      fallback: null,
    })
    expect(oidcInputOf({ ...filled, isPublic: true }, 3, false).clientSecret).toBe(null)
    const withRole = { ...filled, fallbackRole: '4' }
    expect(oidcInputOf(withRole, 3, false).fallback).toEqual({ scopeId: 9, roleId: 4 })
  })

  test('OAuth2 alone has its three end points and the field that names people', () => {
    const values = {
      ...valuesOf(null, 'oauth2', undefined),
      title: 'Alt',
      clientId: 'c',
      isPublic: true,
      id: 'uid',
      authorization: 'https://a.b/a',
      token: 'https://a.b/t',
      userinfo: 'https://a.b/u',
    }
    expect(OAuth2ClientInput.parse(oauth2InputOf(values, 3, false))).toMatchObject({
      fields: { id: 'uid', email: 'email' },
      scopes: [],
      clientSecret: null,
    })
  })
})

test.each([
  ['endpoints.token', 'token'],
  ['fields.email', 'email'],
  ['fallback.scopeId', 'fallbackScope'],
  ['mappings.0.claim', 'mappings.0.claim'],
  ['scopes.2', 'scopes'],
  ['title', 'title'],
])('a fault at %s stands at %s', (path, field) => expect(fieldAt(path)).toBe(field))

test('a key has the form the contract asks for', () => {
  expect(newKey()).toMatch(/^[a-z0-9]{24}$/)
  expect(newKey(Uint8Array.from([0, 31, 32, 255]))).toBe('a7a7')
})

describe('either kind of client', () => {
  const oauth2 = {
    ...stored,
    kind: 'oauth2',
    endpoints: { authorization: 'https://a.b/a', token: 'https://a.b/t', userinfo: 'https://a.b/u' },
    fields: { id: 'uid', email: 'mail', emailVerified: 'ok', firstName: 'first', lastName: 'last' },
  } as unknown as SsoClient

  test('of OAuth2 comes back from its form', () => {
    const input = oauth2InputOf(valuesOf(oauth2, 'oauth2', 9), 3, true)
    expect(input.endpoints).toEqual(oauth2.endpoints)
    expect(input.fields).toEqual(oauth2.fields)
    expect(OAuth2ClientInput.safeParse(input).success).toBe(true)
  })

  test('found by its discovery address has no end points, and the other way round', () => {
    const found = { ...stored, endpoints: null, discoveryUrl: 'https://a.b/.well-known' } as SsoClient
    const values = valuesOf(found, 'oidc', 9)
    expect(values.mode).toBe('discovery')
    expect(oidcInputOf(values, 3, true)).toMatchObject({
      discoveryUrl: 'https://a.b/.well-known',
      endpoints: null,
    })
    expect(oidcInputOf({ ...values, mode: 'endpoints', issuer: 'https://c.d' }, 3, true)).toMatchObject({
      discoveryUrl: null,
      endpoints: { issuer: 'https://c.d', userinfo: null },
    })
  })

  test.each([
    ['an unchanged secret is kept', { clientSecret: '' }, true, undefined],
    ['a new secret replaces the old one', { clientSecret: 'n' }, true, 'n'],
    ['a public client has none', { clientSecret: 'n', isPublic: true }, true, null],
    ['a client without a secret asks for one', { clientSecret: '' }, false, ''],
  ])('%s', (_name, change, hasSecret, sent) => {
    expect(oidcInputOf({ ...valuesOf(stored, 'oidc', 9), ...change }, 3, hasSecret).clientSecret).toBe(sent)
  })

  test('mappings are sent without blanks, with the ids they name', () => {
    const line = { key: 0, claim: ' groups ', value: ' ops ', scopeId: '5', roleId: '6' }
    expect(oidcInputOf({ ...valuesOf(stored, 'oidc', 9), mappings: [line] }, 3, true).mappings).toEqual([
      { claim: 'groups', value: 'ops', scopeId: 5, roleId: 6 },
    ])
  })

  test('new users come into the account of the client, others where it was chosen', () => {
    expect(valuesOf(null, 'oidc', 9)).toMatchObject({ fallbackScope: '9', fallbackRole: null })
    expect(valuesOf(stored, 'oidc', 9)).toMatchObject({ fallbackScope: null, fallbackRole: null })
    const chosen = { ...stored, fallback: { scopeId: 4, roleId: 2 } } as SsoClient
    expect(valuesOf(chosen, 'oidc', 9)).toMatchObject({ fallbackScope: '4', fallbackRole: '2' })
    expect(oidcInputOf(valuesOf(chosen, 'oidc', 9), 3, true).fallback).toEqual({ scopeId: 4, roleId: 2 })
  })

  test('keys differ, also those of the same moment', () => {
    const keys = Array.from({ length: 200 }, () => newKey())
    expect(new Set(keys).size).toBe(200)
  })
})
