import { describe, expect, it } from 'vitest'
import { failed } from '../../../connectors/index.ts'
import {
  afterAttempt,
  afterInterruption,
  afterTime,
  attemptBounds,
  type Progress,
  waitAfter,
} from './follow.ts'

const now = new Date('2026-05-04T10:00:00Z')
const later = (ms: number) => new Date(now.getTime() + ms)
const queued: Progress = {
  state: 'queued',
  reason: null,
  detail: '',
  attempts: 1,
  nextAttemptAt: now,
  validUntil: later(86_400_000),
  endedAt: null,
}

it('waits twice as long after each attempt, up to an hour', () => {
  expect([1, 2, 3, 10, 11, 12, 40].map(waitAfter)).toEqual([
    5_000, 10_000, 20_000, 2_560_000, 3_600_000, 3_600_000, 3_600_000,
  ])
})

describe('after an attempt', () => {
  it('that was taken it is sent', () => {
    const before = { ...queued, reason: 'unreachable', detail: 'x' } as const
    expect(afterAttempt(before, { outcome: 'taken' }, now)).toEqual({
      ...queued,
      state: 'sent',
      endedAt: now,
    })
  })

  it('that can be repeated it waits, with the reason', () => {
    expect(afterAttempt({ ...queued, attempts: 2 }, failed('again', 'overloaded', 'HTTP 503'), now)).toEqual({
      ...queued,
      attempts: 2,
      reason: 'overloaded',
      detail: 'HTTP 503',
      nextAttemptAt: later(10_000),
    })
  })

  it.each([
    [{ attempts: attemptBounds.max - 1 }, 'queued'],
    [{ attempts: attemptBounds.max }, 'failed'],
    [{ validUntil: later(5_001) }, 'queued'],
    [{ validUntil: later(5_000) }, 'failed'],
  ])('it is given up in time: %o', (change, state) => {
    expect(afterAttempt({ ...queued, ...change }, failed('again', 'unreachable'), now)).toMatchObject({
      state,
      reason: 'unreachable',
      endedAt: state === 'failed' ? now : null,
    })
  })

  it('that may have arrived it is not repeated', () => {
    expect(afterAttempt(queued, failed('unknown', 'noAnswer'), now)).toMatchObject({
      state: 'uncertain',
      reason: 'noAnswer',
      endedAt: now,
    })
  })

  it('that is refused it has failed', () => {
    expect(afterAttempt(queued, failed('never', 'refused', 'HTTP 404'), now)).toMatchObject({
      state: 'failed',
      detail: 'HTTP 404',
      endedAt: now,
    })
  })
})

it('is uncertain when the server stopped during an attempt', () => {
  const before = { ...queued, detail: 'HTTP 503' }
  expect(afterInterruption(before, now)).toEqual({
    ...queued,
    state: 'uncertain',
    reason: 'interrupted',
    endedAt: now,
  })
})

it('has failed when it waited too long, with the last reason', () => {
  expect(afterTime(queued, now)).toEqual({ ...queued, state: 'failed', reason: 'late', endedAt: now })
  expect(afterTime({ ...queued, reason: 'unreachable' }, now).reason).toBe('unreachable')
})
