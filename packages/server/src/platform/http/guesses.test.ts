import { expect, test } from 'vitest'
import { WrongGuesses } from './guesses.ts'

test('an address that brings wrong secrets waits, another one does not, and after a minute it may again', () => {
  const guesses = new WrongGuesses(3)
  for (let n = 0; n < 3; n++) {
    expect(guesses.waitSeconds('192.0.2.1', 0)).toBe(0)
    guesses.note('192.0.2.1', 0)
  }
  expect(guesses.waitSeconds('192.0.2.1', 0)).toBe(20)
  expect(guesses.waitSeconds('192.0.2.2', 0)).toBe(0)
  expect(guesses.waitSeconds('192.0.2.1', 60_000)).toBe(0)
})
