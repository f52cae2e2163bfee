import { expect, test } from 'vitest'
import { SignIns, signInRates } from './signIns.ts'

/** Tries wrong passwords until no more are checked. @returns the number checked */
function guess(signIns: SignIns, name: string, ip: string, most = 1000): number {
  let tries = 0
  while (tries < most && signIns.mayTry(name, ip)) {
    signIns.begin(name, ip)
    tries++
  }
  return tries
}

test('few passwords of a name are looked at from one address, and few more with time', () => {
  let nowMs = 0
  const signIns = new SignIns(() => nowMs)
  expect(guess(signIns, 'city', '203.0.113.1')).toBe(signInRates.perNameAndAddress.burst)
  nowMs += 3_600_000
  expect(guess(signIns, 'city', '203.0.113.1')).toBe(signInRates.perNameAndAddress.burst)
  let inAnHour = 0
  for (let second = 0; second < 3600; second++) {
    nowMs += 1000
    inAnHour += guess(signIns, 'city', '203.0.113.1')
  }
  expect(inAnHour).toBeLessThanOrEqual(3600 * signInRates.perNameAndAddress.perSecond)
})

test('an address that tries many names is stopped, and another one is not', () => {
  const signIns = new SignIns(() => 0)
  let tries = 0
  for (let name = 0; name < 100; name++) tries += guess(signIns, `name ${name}`, '203.0.113.1')
  expect(tries).toBe(signInRates.perAddress.burst)
  expect(signIns.mayTry('name 5', '203.0.113.2')).toBe(true)
})

test('many addresses that try one name are stopped together; one that knows the password is not', () => {
  const signIns = new SignIns(() => 0)
  signIns.begin('city', '198.51.100.7').succeed()
  let tries = 0
  for (let n = 0; n < 200; n++) tries += guess(signIns, 'city', `203.0.113.${n}`)
  expect(tries).toBe(signInRates.perName.burst)
  expect(signIns.mayTry('city', '198.51.100.8')).toBe(false)
  expect(signIns.mayTry('city', '198.51.100.7')).toBe(true)
  expect(signIns.mayTry('village', '198.51.100.8')).toBe(true)
})

test('an IPv6 network is one address, and right passwords cost nothing', () => {
  const signIns = new SignIns(() => 0)
  for (let n = 0; n < 1000; n++) signIns.begin('city', '2001:db8::1').succeed()
  expect(guess(signIns, 'city', '2001:db8::1')).toBe(signInRates.perNameAndAddress.burst)
  expect(signIns.mayTry('city', '2001:db8::2')).toBe(false)
})
