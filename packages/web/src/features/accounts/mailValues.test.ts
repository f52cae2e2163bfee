import { expect, test } from 'vitest'
import { toMailInput, toMailValues, withSecurity } from './mailValues.ts'

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
