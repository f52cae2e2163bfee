import type { Share } from '@leitstand/contract/sharing'
import { expect, it } from 'vitest'
import { settingsOf, valuesOf } from './values.ts'

const share: Share = {
  keyId: 1,
  kind: 'twin',
  objectId: 2,
  title: 'Hall',
  token: 'lss_a',
  validUntil: '2026-07-01T10:30:00.000Z',
  hasPassword: true,
  origins: ['https://www.example.org'],
  createdBy: 'kim',
  createdAt: '2026-01-01T00:00:00.000Z',
  lastUsedAt: null,
}

it('a new link is open to everyone without an end', () => {
  expect(settingsOf(valuesOf(null))).toEqual({ validUntil: null, origins: [], password: null })
})

it('what is not touched stays, the password too', () => {
  expect(settingsOf(valuesOf(share))).toEqual({
    validUntil: '2026-07-01T10:30:00.000Z',
    origins: ['https://www.example.org'],
  })
})

it('a password is set, replaced and removed', () => {
  const values = valuesOf(share)
  expect(settingsOf({ ...values, keepsPassword: false, password: 'open sesame' }).password).toBe(
    'open sesame',
  )
  expect(settingsOf({ ...values, withPassword: false, keepsPassword: false }).password).toBeNull()
})
