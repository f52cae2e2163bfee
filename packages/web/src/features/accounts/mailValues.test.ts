import i18next from 'i18next'
import { beforeAll, describe, expect, test } from 'vitest'
import de from '../../locales/de.json' with { type: 'json' }
import { checkMail, toMailInput, toMailValues, usualPorts, withSecurity } from './mailValues.ts'

const server = {
  host: 'mail.example.org',
  port: 587,
  security: 'starttls' as const,
  user: 'iot',
  senderName: 'City',
  senderAddress: 'iot@example.org',
}
const inherited = { kind: 'none' as const, accountName: null, sender: null }

test('an own server is shown without its password, and keeps it unless another one is entered', () => {
  const values = toMailValues({ version: 1, own: { ...server, hasPassword: true }, inherited })
  expect(values).toEqual({ ...server, own: true, password: '' })
  expect(toMailInput(values)).toEqual(server)
  expect(toMailInput({ ...values, password: 'new' })).toEqual({ ...server, password: 'new' })
})

test('an inherited one is nothing to store', () => {
  const values = toMailValues({ version: 1, own: null, inherited })
  expect(values).toMatchObject({ own: false, host: '', port: 587, security: 'starttls' })
  expect(toMailInput(values)).toBeUndefined()
})

test.each([
  ['starttls', 587, 'tls', 465],
  ['tls', 465, 'none', 25],
  ['tls', 2525, 'none', 2525],
] as const)('%s on port %i becomes %s on port %i', (from, port, to, expected) => {
  expect(withSecurity({ security: from, port }, to)).toEqual({ security: to, port: expected })
})

beforeAll(() => i18next.init({ lng: 'de', resources: { de: { translation: de } } }))

describe('faults of a mail server', () => {
  const good = { ...server, own: true, password: '' }
  test.each([
    [{}, []],
    [{ host: '' }, ['host']],
    [{ host: '   ' }, ['host']],
    [{ host: ' Mail.Example.ORG ' }, []],
    [{ host: '2001:db8::1' }, []],
    [{ host: 'mail example' }, ['host']],
    [{ host: 'https://mail.example.org' }, ['host']],
    [{ port: null }, ['port']],
    [{ port: 65_536 }, ['port']],
    [{ senderAddress: '' }, ['senderAddress']],
    [{ senderAddress: 'iot' }, ['senderAddress']],
    [{ senderName: 'x'.repeat(101) }, ['senderName']],
    [{ user: '' }, []],
    [{ own: false, host: '', port: null, senderAddress: '' }, []],
  ])('%j', (change, fields) => {
    expect(Object.keys(checkMail({ ...good, ...change }))).toEqual(fields)
  })
})

test('every kind of security has a port of its own', () => {
  expect(new Set(Object.values(usualPorts)).size).toBe(3)
})

test('changing the security there and back keeps the port', () => {
  for (const port of [25, 465, 587, 2525, null]) {
    const there = withSecurity({ security: 'starttls', port }, 'tls')
    expect(withSecurity(there, 'starttls').port).toBe(port === 465 ? 587 : port)
  }
})
