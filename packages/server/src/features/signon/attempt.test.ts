import { describe, expect, test } from 'vitest'
import { Secrets } from '../../platform/secrets.ts'
import { isConsolePath, openAttempt, openWaiting, sealAttempt, sealWaiting } from './attempt.ts'

describe('a sign-in under way', () => {
  const secrets = new Secrets('a')
  const attempt = {
    clientId: 1,
    version: 1,
    state: 's',
    nonce: 'n',
    verifier: 'v',
    origin: 'o',
    redirectUri: 'r',
    redirect: '/',
    until: 1000,
  }
  test('comes back as it went, until its time is over', () => {
    const cookie = sealAttempt(secrets, attempt)
    expect(openAttempt(secrets, cookie, 999)).toEqual(attempt)
    expect(openAttempt(secrets, cookie, 1000)).toBe(null)
  })
  test('is nothing when it is missing, changed, of another key or of another step', () => {
    const cookie = sealAttempt(secrets, attempt)
    // Not the last character: some of its bits are padding.
    const changed = `${cookie.slice(0, -2)}${cookie.at(-2) === 'A' ? 'B' : 'A'}${cookie.slice(-1)}`
    for (const other of [undefined, '', 'x', changed]) expect(openAttempt(secrets, other, 0)).toBe(null)
    expect(openAttempt(new Secrets('b'), cookie, 0)).toBe(null)
    const waiting = sealWaiting(secrets, { clientId: 1, subject: 's', userId: 2, until: 1000 })
    expect(openAttempt(secrets, waiting, 0)).toBe(null)
    expect(openWaiting(secrets, cookie, 0)).toBe(null)
    expect(openWaiting(secrets, waiting, 0)).toMatchObject({ userId: 2 })
  })
})

test.each([
  ['/home', true],
  ['/virtual-devices/1?tab=states&a=b', true],
  ['/', true],
  ['/login-things', true],
  ['', false],
  ['home', false],
  ['//evil.example', false],
  ['/\\evil.example', false],
  ['https://evil.example', false],
  ['/login', false],
  ['/login?redirect=/login', false],
  ['/a\nb', false],
  ['/a b', false],
  [`/${'a'.repeat(1500)}`, false],
])('%j is a path of the console: %s', (text, expected) => expect(isConsolePath(text)).toBe(expected))
