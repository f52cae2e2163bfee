import { describe, expect, it } from 'vitest'
import { outcomeOf } from './outcome.ts'

const deadline = new Date('2026-06-15T12:00:20.000Z')
const before = new Date('2026-06-15T12:00:19.999Z')
const reporting = { deadline, report: {} }
const silent = { deadline, report: null }
const downlink = (outcome: string, reason: string | null = null) => ({ outcome, reason, detail: 'x' })

describe('an activation that was sent', () => {
  it('has opened once the lock says so, also if that is read after the deadline', () => {
    expect(outcomeOf(reporting, { now: before, hasReported: true })).toEqual({ result: 'opened' })
    expect(outcomeOf(reporting, { now: deadline, hasReported: true })).toEqual({ result: 'opened' })
    expect(outcomeOf(reporting, { now: before, hasReported: true, downlink: downlink('failed') })).toEqual({
      result: 'opened',
    })
  })

  it('is waited for until the deadline, and then has no answer', () => {
    expect(outcomeOf(reporting, { now: before, hasReported: false })).toBeNull()
    expect(outcomeOf(reporting, { now: deadline, hasReported: false })).toEqual({ result: 'noAnswer' })
    expect(outcomeOf(silent, { now: before, hasReported: false })).toBeNull()
    expect(outcomeOf(silent, { now: deadline, hasReported: false })).toEqual({ result: 'noAnswer' })
  })

  it('fails with its downlink', () => {
    const seen = { now: before, hasReported: false }
    expect(outcomeOf(reporting, { ...seen, downlink: downlink('failed', 'refused') })).toEqual({
      result: 'failed',
      reason: 'refused',
      detail: 'x',
    })
    expect(outcomeOf(reporting, { ...seen, downlink: downlink('expired') })).toMatchObject({
      reason: 'expired',
    })
    expect(outcomeOf(reporting, { ...seen, downlink: downlink('cancelled') })).toMatchObject({
      reason: 'cancelled',
    })
  })

  it('waits for a downlink in the queue, which fails when it is too late', () => {
    const queued = { hasReported: false, downlink: downlink('queued') }
    expect(outcomeOf(silent, { now: before, ...queued })).toBeNull()
    expect(outcomeOf(silent, { now: deadline, ...queued })).toEqual({ result: 'failed', reason: 'late' })
  })

  it('is sent with its downlink where the lock does not report', () => {
    const sent = { hasReported: false, downlink: downlink('sent') }
    expect(outcomeOf(silent, { now: before, ...sent })).toEqual({ result: 'sent' })
    expect(outcomeOf(reporting, { now: before, ...sent })).toBeNull()
    expect(outcomeOf(reporting, { now: deadline, ...sent })).toEqual({ result: 'noAnswer' })
  })
})
