import { describe, expect, it } from 'vitest'
import { clockOf, closedAt, minutesOf, type Validity } from './validity.ts'

const key = (change: Partial<Validity> = {}): Validity => ({
  validFrom: new Date('2026-01-01T00:00:00Z'),
  validUntil: null,
  weekdays: [],
  hours: null,
  timeZone: 'Europe/Berlin',
  revokedAt: null,
  ...change,
})
const at = (time: string, change: Partial<Validity> = {}) => closedAt(key(change), new Date(time))
const hours = (from: string, until: string) => ({ hours: { from: minutesOf(from), until: minutesOf(until) } })

describe('a key', () => {
  it('opens from its start on, until before its end, and never once it is revoked', () => {
    const period = {
      validFrom: new Date('2026-06-01T00:00:00Z'),
      validUntil: new Date('2026-06-02T00:00:00Z'),
    }
    expect(at('2026-05-31T23:59:59.999Z', period)).toBe('notYet')
    expect(at('2026-06-01T00:00:00Z', period)).toBeNull()
    expect(at('2026-06-01T23:59:59.999Z', period)).toBeNull()
    expect(at('2026-06-02T00:00:00Z', period)).toBe('expired')
    expect(at('2026-06-01T12:00:00Z', { ...period, revokedAt: new Date('2026-06-30T00:00:00Z') })).toBe(
      'revoked',
    )
  })

  it('opens on its weekdays, in its time zone', () => {
    // 15 June 2026 is a Monday; in Berlin it begins at 22:00 UTC of Sunday.
    expect(at('2026-06-14T21:59:59Z', { weekdays: [1] })).toBe('hours')
    expect(at('2026-06-14T22:00:00Z', { weekdays: [1] })).toBeNull()
    expect(at('2026-06-15T21:59:59Z', { weekdays: [1] })).toBeNull()
    expect(at('2026-06-15T22:00:00Z', { weekdays: [1] })).toBe('hours')
    expect(at('2026-06-14T12:00:00Z', { weekdays: [7] })).toBeNull()
    expect(at('2026-06-14T22:00:00Z', { weekdays: [1], timeZone: 'America/New_York' })).toBe('hours')
  })

  it('opens in its hours, the end not included', () => {
    const office = hours('08:00', '17:00')
    expect(at('2026-06-15T05:59:59Z', office)).toBe('hours')
    expect(at('2026-06-15T06:00:00Z', office)).toBeNull()
    expect(at('2026-06-15T14:59:59Z', office)).toBeNull()
    expect(at('2026-06-15T15:00:00Z', office)).toBe('hours')
  })

  it('over midnight belongs to the day on which it begins', () => {
    const night = { weekdays: [5], ...hours('22:00', '06:00') }
    expect(at('2026-06-19T19:59:00Z', night)).toBe('hours')
    expect(at('2026-06-19T20:00:00Z', night)).toBeNull()
    expect(at('2026-06-20T03:59:00Z', night)).toBeNull()
    expect(at('2026-06-20T04:00:00Z', night)).toBe('hours')
    // The morning of Friday belongs to Thursday.
    expect(at('2026-06-19T02:00:00Z', night)).toBe('hours')
    const sunday = { weekdays: [7], ...hours('22:00', '06:00') }
    expect(at('2026-06-15T02:00:00Z', sunday)).toBeNull()
    expect(at('2026-06-15T21:00:00Z', sunday)).toBe('hours')
  })

  it('until midnight ends there', () => {
    const evening = hours('18:00', '00:00')
    expect(at('2026-06-15T21:59:00Z', evening)).toBeNull()
    expect(at('2026-06-15T22:00:00Z', evening)).toBe('hours')
  })

  it('follows the clock on the wall when that is changed', () => {
    const early = hours('02:00', '03:00')
    // 29 March 2026: from 02:00 to 03:00 at 01:00 UTC. The hour does not exist.
    expect(at('2026-03-29T00:59:59Z', early)).toBe('hours')
    expect(at('2026-03-29T01:00:00Z', early)).toBe('hours')
    // 25 October 2026: from 03:00 back to 02:00 at 01:00 UTC. The hour exists twice.
    expect(at('2026-10-25T00:00:00Z', early)).toBeNull()
    expect(at('2026-10-25T01:30:00Z', early)).toBeNull()
    expect(at('2026-10-25T02:00:00Z', early)).toBe('hours')
    // The same hour of the day before and after a change.
    const office = hours('08:00', '09:00')
    expect(at('2026-03-28T07:30:00Z', office)).toBeNull()
    expect(at('2026-03-29T06:30:00Z', office)).toBeNull()
    expect(at('2026-03-29T07:30:00Z', office)).toBe('hours')
  })

  it('has its hours as minutes', () => {
    expect(['00:00', '08:05', '23:59'].map(minutesOf)).toEqual([0, 485, 1439])
    expect([0, 485, 1439].map(clockOf)).toEqual(['00:00', '08:05', '23:59'])
  })
})
