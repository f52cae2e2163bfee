import { expect, test } from 'vitest'
import { Passwords, passwordLimits } from './passwords.ts'

/** A slow check that counts its calls and ends when the test decides. */
function slowCheck() {
  const gates: (() => void)[] = []
  const passwords = new Passwords(async (hash, password) => {
    await new Promise<void>((resolve) => gates.push(resolve))
    return hash === `hash of ${password}`
  })
  return { passwords, gates }
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

test('ten thousand reconnects cost one check', async () => {
  const { passwords, gates } = slowCheck()
  const all = Array.from({ length: 10_000 }, () => passwords.fits('hash of a', 'a'))
  await turn()
  expect(gates).toHaveLength(1)
  gates[0]?.()
  expect(new Set(await Promise.all(all))).toEqual(new Set([true]))
  expect(await passwords.fits('hash of a', 'a')).toBe(true)
  expect(gates).toHaveLength(1)
})

test('wrong passwords are refused and remembered, another hash is another question', async () => {
  const { passwords, gates } = slowCheck()
  const wrong = passwords.fits('hash of a', 'b')
  await turn()
  gates[0]?.()
  expect(await wrong).toBe(false)
  expect(await passwords.fits('hash of a', 'b')).toBe(false)
  expect(gates).toHaveLength(1)
  const changed = passwords.fits('hash of b', 'b')
  await turn()
  gates[1]?.()
  expect(await changed).toBe(true)
})

test('few checks run at a time, too many are told to come back', async () => {
  const { passwords, gates } = slowCheck()
  const count = passwordLimits.runningMax + passwordLimits.waitingMax
  const all = Array.from({ length: count }, (_, index) => passwords.fits('hash', String(index)))
  await turn()
  expect(gates).toHaveLength(passwordLimits.runningMax)
  expect(await passwords.fits('hash', 'one more')).toBe('busy')
  for (let done = 0; done < count; done += 1) {
    gates[done]?.()
    await turn()
    expect(gates.length - done - 1).toBeLessThanOrEqual(passwordLimits.runningMax)
  }
  expect(new Set(await Promise.all(all))).toEqual(new Set([false]))
})

test('a check is remembered while it runs and afterwards, and only this one', async () => {
  const { passwords, gates } = slowCheck()
  expect(passwords.isRemembered('hash of a', 'a')).toBe(false)
  const asked = passwords.fits('hash of a', 'a')
  expect(passwords.isRemembered('hash of a', 'a')).toBe(true)
  await turn()
  gates[0]?.()
  await asked
  expect(passwords.isRemembered('hash of a', 'a')).toBe(true)
  // The same letters in a row, but another hash and another password.
  expect(passwords.isRemembered('hash of ', 'aa')).toBe(false)
})

test('a check that failed is not remembered', async () => {
  const outcomes = [Promise.reject(new Error('no thread')), Promise.resolve(true)]
  const passwords = new Passwords(() => outcomes.shift() as Promise<boolean>)
  await expect(passwords.fits('hash', 'a')).rejects.toThrow('no thread')
  expect(passwords.isRemembered('hash', 'a')).toBe(false)
  expect(await passwords.fits('hash', 'a')).toBe(true)
})

/** Whether a password is still remembered so long after it was checked. */
async function isRememberedAfter(ms: number, password: string): Promise<boolean> {
  const passwords = new Passwords(async (hash, given) => hash === `hash of ${given}`)
  const { now } = performance
  const start = performance.now()
  try {
    performance.now = () => start
    await passwords.fits('hash of a', password)
    performance.now = () => start + ms
    return passwords.isRemembered('hash of a', password)
  } finally {
    performance.now = now
  }
}

test.each([
  ['right', 'a', passwordLimits.rightMs],
  ['wrong', 'b', passwordLimits.wrongMs],
])('a %s password is remembered for as long as its limit says', async (_, password, rememberedMs) => {
  expect(await isRememberedAfter(rememberedMs - 10, password)).toBe(true)
  expect(await isRememberedAfter(rememberedMs + 10, password)).toBe(false)
})
