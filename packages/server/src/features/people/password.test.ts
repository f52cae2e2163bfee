import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { hashPassword, makePassword, passwordFits } from './password.ts'

test('hashes are argon2id of at least what OWASP asks for', async () => {
  const [, kind, version, settings] = (await hashPassword('a password')).split('$')
  expect({ kind, version }).toEqual({ kind: 'argon2id', version: 'v=19' })
  const { m, t, p } = Object.fromEntries((settings ?? '').split(',').map((one) => one.split('=')))
  expect(Number(m)).toBeGreaterThanOrEqual(19 * 1024)
  expect(Number(t)).toBeGreaterThanOrEqual(2)
  expect(Number(p)).toBeGreaterThanOrEqual(1)
})

test('nobody without a password fits, and the same password in another notation does', async () => {
  const hash = await hashPassword('Käse und Öl 1')
  expect(await passwordFits(hash, 'Käse und Öl 1'.normalize('NFD'))).toBe(true)
  expect(await passwordFits(hash, 'Kase und Ol 1')).toBe(false)
  expect(await passwordFits(null, makePassword())).toBe(false)
})

test('the event loop goes on turning while passwords are hashed and compared', async () => {
  const hash = await hashPassword('a password')
  const order: string[] = []
  const slow = [hashPassword('another'), passwordFits(hash, 'a password')].map((work) =>
    work.then(() => order.push('password')),
  )
  // If computed on the main thread, both would be done before the event loop continues.
  await setImmediate()
  order.push('turn')
  await Promise.all(slow)
  expect(order).toEqual(['turn', 'password', 'password'])
})
