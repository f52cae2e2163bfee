import i18next from 'i18next'
import { beforeAll, describe, expect, test } from 'vitest'
import de from '../../locales/de.json' with { type: 'json' }
import { faultsOf } from './faults.ts'
import { problemOf } from './problem.ts'
import { type SsoKind, type SsoValues, valuesOf } from './values.ts'

beforeAll(() => i18next.init({ lng: 'de', resources: { de: { translation: de } } }))

const complete: Partial<SsoValues> = {
  title: 'Stadt-Login',
  clientId: 'leitstand',
  clientSecret: 'geheim',
  discoveryUrl: 'https://login.example.org/.well-known/openid-configuration',
  authorization: 'https://login.example.org/authorize',
  token: 'https://login.example.org/token',
  userinfo: 'https://login.example.org/userinfo',
}
const faulty = (kind: SsoKind, change: Partial<SsoValues> = {}, hasSecret = false) =>
  Object.keys(
    faultsOf(kind, { ...valuesOf(null, kind, 1), ...complete, ...change } as SsoValues, 1, hasSecret),
  ).sort()

describe.each(['oidc', 'oauth2'] as const)('a client of the kind %s', (kind) => {
  test('that is complete has no faults', () => {
    expect(faulty(kind)).toEqual([])
  })

  test.each([
    [{ title: ' ' }, ['title']],
    [{ clientId: '' }, ['clientId']],
    [{ clientSecret: '' }, ['clientSecret']],
    [{ clientSecret: '', isPublic: true }, []],
  ])('with %j is faulty at %j', (change, fields) => {
    expect(faulty(kind, change)).toEqual(fields)
  })

  test('keeps its stored secret', () => {
    expect(faulty(kind, { clientSecret: '' }, true)).toEqual([])
  })
})

describe('addresses', () => {
  test.each(['', 'login.example.org', 'javascript:alert(1)', 'ftp://login.example.org/x'])(
    '%j is none to discover a provider at',
    (discoveryUrl) => {
      expect(faulty('oidc', { discoveryUrl })).toEqual(['discoveryUrl'])
    },
  )

  test.each(['authorization', 'token', 'userinfo'] as const)('OAuth2 needs %s', (field) => {
    expect(faulty('oauth2', { [field]: '' })).toEqual([field])
  })

  test('are asked for by name where the provider is not discovered', () => {
    const fields = faulty('oidc', { mode: 'endpoints', issuer: '', jwks: '', authorization: '' })
    expect(fields).toEqual(['authorization', 'issuer', 'jwks'])
  })
})

describe('an error code in the address', () => {
  test.each(['SSO_DENIED', 'LOGIN_FAILED', 'A', 'X_1'])('%s is shown', (code) => {
    expect(problemOf(code)).toMatchObject({ code })
  })

  test.each([undefined, '', 'Ihr Konto ist gesperrt', '<b>', 'sso_denied', 'A'.repeat(61), 'A\nB', 'ÄÖ'])(
    '%j, which anyone may have written, is not',
    (code) => {
      expect(problemOf(code)).toBeUndefined()
    },
  )
})
