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
