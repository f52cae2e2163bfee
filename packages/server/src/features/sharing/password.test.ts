import { expect, test } from 'vitest'
import { Secrets } from '../../platform/secrets.ts'
import { accessFor, accessLastsMs, isUnlocked } from './password.ts'

const secrets = new Secrets('a secret of this test')
const share = { keyId: 7, passwordHash: 'hash' }
const untilMs = Date.UTC(2026, 5, 1)

test('a link without a password is open to everyone', () => {
  for (const access of [undefined, '', 'x.y'])
    expect(isUnlocked(secrets, { keyId: 7, passwordHash: null }, access, untilMs)).toBe(true)
})

test('the password opens a link until its time is over', () => {
  const access = accessFor(secrets, share, untilMs)
  expect(isUnlocked(secrets, share, access, untilMs - 1)).toBe(true)
  expect(isUnlocked(secrets, share, access, untilMs)).toBe(false)
  expect(accessLastsMs).toBe(43_200_000)
})

test('it opens no other link, none with another password, and not for longer than it says', () => {
  const access = accessFor(secrets, share, untilMs)
  expect(isUnlocked(secrets, { ...share, keyId: 8 }, access, 0)).toBe(false)
  expect(isUnlocked(secrets, { ...share, passwordHash: 'other' }, access, 0)).toBe(false)
  expect(isUnlocked(new Secrets('another secret'), share, access, 0)).toBe(false)
  const [, mac] = access.split('.')
  expect(isUnlocked(secrets, share, `${(untilMs + 1).toString(36)}.${mac}`, 0)).toBe(false)
})

test('a time is only what was given out, with nothing around it', () => {
  const [until = '', mac] = accessFor(secrets, share, untilMs).split('.')
  for (const other of [`-${until}`, `${until}-`, ` ${until}`, `${until} `])
    expect(isUnlocked(secrets, share, `${other}.${mac}`, 0)).toBe(false)
})

test('a seal of the same text for another purpose opens nothing', () => {
  const mac = secrets.mac(`7\0${untilMs}\0hash`, 'another purpose').toString('base64url')
  expect(isUnlocked(secrets, share, `${untilMs.toString(36)}.${mac}`, 0)).toBe(false)
})

test.each([
  undefined,
  '',
  '.',
  'zzzzzzzzzz.',
  '-1.AAAA',
  `${untilMs.toString(36)}.`,
  'zzzzzzzzzzz.AAAA',
  '∞.AAAA',
])('access of another form is none: %s', (access) => {
  expect(isUnlocked(secrets, share, access, 0)).toBe(false)
})
