import { describe, expect, it } from 'vitest'
import { type Attempt, metresOf, refusalOf } from './judge.ts'

const now = new Date('2026-06-15T12:00:00.000Z')
const before = (ms: number) => new Date(now.getTime() - ms)
const door = { latitude: 54, longitude: 10 }
const attempt = (change: Partial<Attempt> = {}): Attempt => ({
  key: {
    validFrom: before(1000),
    validUntil: null,
    weekdays: [],
    hours: null,
    timeZone: 'Europe/Berlin',
    revokedAt: null,
  },
  hasRight: true,
  throttleSeconds: 10,
  lastAt: null,
  withinMetres: null,
  door,
  position: null,
  ...change,
})

describe('an attempt', () => {
  it('opens with a valid key', () => {
    expect(refusalOf(attempt(), now)).toBeNull()
  })

  it('needs the right and a key that is valid, in this order', () => {
    const key = { ...attempt().key, revokedAt: before(1) }
    expect(refusalOf(attempt({ hasRight: false, key }), now)).toEqual({ reason: 'noRight' })
    expect(refusalOf(attempt({ key, lastAt: now }), now)).toEqual({ reason: 'revoked' })
  })

  it('is throttled, and says for how long', () => {
    expect(refusalOf(attempt({ lastAt: now }), now)).toEqual({ reason: 'throttled', seconds: 10 })
    expect(refusalOf(attempt({ lastAt: before(9_001) }), now)).toEqual({ reason: 'throttled', seconds: 1 })
    expect(refusalOf(attempt({ lastAt: before(10_000) }), now)).toBeNull()
  })

  it('is not kept off for longer by a clock that was put back', () => {
    expect(refusalOf(attempt({ lastAt: before(-3_000) }), now)).toEqual({ reason: 'throttled', seconds: 7 })
    expect(refusalOf(attempt({ lastAt: before(-3_600_000) }), now)).toBeNull()
  })

  it('is made near the door where that is asked for', () => {
    const near = { latitude: 54.0004, longitude: 10 }
    const asked = { withinMetres: 50 }
    expect(refusalOf(attempt(asked), now)).toEqual({ reason: 'positionNeeded' })
    expect(refusalOf(attempt({ ...asked, position: near }), now)).toBeNull()
    expect(refusalOf(attempt({ withinMetres: 44, position: near }), now)).toBeNull()
    expect(refusalOf(attempt({ withinMetres: 43, position: near }), now)).toEqual({
      reason: 'tooFar',
      metres: 44,
    })
    expect(refusalOf(attempt({ ...asked, position: near, door: null }), now)).toEqual({ reason: 'tooFar' })
    expect(metresOf({ door, position: near })).toBe(44)
    expect(metresOf({ door, position: null })).toBeNull()
    expect(metresOf({ door: null, position: near })).toBeNull()
  })
})
