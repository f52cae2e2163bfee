import { describe, expect, test } from 'vitest'
import { countAttempt, isLocked, lockMs, wrongMax } from './lockout.ts'

const now = new Date('2026-11-20T12:00:00Z')
const later = (ms: number) => new Date(now.getTime() + ms)

describe('lockout', () => {
  test('the fifth attempt locks for ten minutes', () => {
    let attempts = { failed: 0, lockedUntil: null as Date | null }
    for (let i = 1; i < wrongMax; i++) {
      attempts = countAttempt(attempts, now)
      expect(attempts).toEqual({ failed: i, lockedUntil: null })
    }
    attempts = countAttempt(attempts, now)
    expect(attempts).toEqual({ failed: 5, lockedUntil: later(lockMs) })
    expect(isLocked(attempts, later(lockMs - 1))).toBe(true)
    expect(isLocked(attempts, later(lockMs))).toBe(false)
  })

  test('after a lock the count begins anew', () => {
    expect(countAttempt({ failed: 5, lockedUntil: now }, later(1))).toEqual({ failed: 1, lockedUntil: null })
  })
})
