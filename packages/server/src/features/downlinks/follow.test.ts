import { expect, test } from 'vitest'
import type { DownlinkReported } from '../../topics/downlinkReported.ts'
import { afterAttempt, afterReport, afterTime, attempts, type Progress, waitAfter } from './follow.ts'

const now = new Date('2026-06-15T12:00:00.000Z')
const later = new Date('2026-06-15T12:01:00.000Z')

const waiting: Progress = {
  state: 'requested',
  reason: null,
  detail: '',
  confirmed: true,
  attempts: 1,
  nextAttemptAt: later,
  attemptUntil: later,
  networkId: null,
  sentAt: null,
  transmittedAt: null,
  endedAt: null,
}
const sent: Progress = { ...waiting, state: 'sent', attemptUntil: null, sentAt: now }
const report = (what: DownlinkReported['what'], detail = ''): DownlinkReported => ({
  connectorId: 1,
  names: ['x'],
  what,
  detail,
  at: later.toISOString(),
})

test('what the network server takes is sent, under its name', () => {
  const after = afterAttempt(waiting, { outcome: 'taken', name: 'theirs' }, now)
  expect(after).toMatchObject({ state: 'sent', sentAt: now, networkId: 'theirs', attemptUntil: null })
  expect(
    afterAttempt({ ...waiting, networkId: 'ours' }, { outcome: 'taken', name: null }, now),
  ).toMatchObject({
    networkId: 'ours',
  })
})

test('a failed attempt waits longer each time, and the tenth is the last', () => {
  const failure = { outcome: 'again', reason: 'unreachable', detail: 'x' } as const
  expect(afterAttempt(waiting, failure, now)).toMatchObject({
    state: 'requested',
    reason: 'unreachable',
    attemptUntil: null,
    nextAttemptAt: new Date(now.getTime() + 5_000),
  })
  expect([1, 2, 3, 7, 30].map(waitAfter)).toEqual([5_000, 10_000, 20_000, 300_000, 300_000])
  const last = { ...waiting, attempts: attempts.max }
  expect(afterAttempt(last, failure, now)).toMatchObject({ state: 'failed', endedAt: now })
  expect(afterAttempt(last, { ...failure, reason: 'notConnected' }, now)).toMatchObject({
    state: 'requested',
  })
  expect(afterAttempt(waiting, { ...failure, outcome: 'never' }, now)).toMatchObject({ state: 'failed' })
})

test('an attempt nobody knows the end of stays noted, so that the next one counts as repeated', () => {
  const lost = { outcome: 'unknown', reason: 'noAnswer', detail: '' } as const
  expect(afterAttempt(waiting, lost, now)).toMatchObject({ state: 'requested', attemptUntil: now })
})

test('a report that comes before the result of the attempt counts', () => {
  const reported = afterReport(waiting, report('transmitted'), later)
  expect(reported).toMatchObject({ state: 'sent', sentAt: later, transmittedAt: later })
  const failure = { outcome: 'unknown', reason: 'noAnswer', detail: '' } as const
  expect(afterAttempt(reported, failure, later)).toMatchObject({ state: 'sent', reason: null })
})

test('what a device has confirmed stays confirmed, whatever is said later or again', () => {
  const acknowledged = afterReport(sent, report('acknowledged'), later)
  expect(acknowledged).toMatchObject({ state: 'acknowledged', endedAt: later, transmittedAt: later })
  for (const what of ['queued', 'transmitted', 'acknowledged', 'refused', 'failed'] as const)
    expect(afterReport(acknowledged, report(what), new Date())).toEqual(acknowledged)
})

test('a refusal and a failure end it, and an acknowledgement that comes late puts it right', () => {
  const refused = afterReport(sent, report('refused'), later)
  expect(refused).toMatchObject({ state: 'failed', reason: 'notAcknowledged', endedAt: later })
  expect(afterReport(sent, report('failed', 'too large'), later)).toMatchObject({
    state: 'failed',
    reason: 'network',
    detail: 'too large',
  })
  expect(afterReport(refused, report('acknowledged'), later)).toMatchObject({
    state: 'acknowledged',
    reason: null,
  })
})

test('what was withdrawn but went out all the same is shown as sent', () => {
  const cancelled: Progress = { ...waiting, state: 'cancelled', attemptUntil: null, endedAt: now }
  expect(afterReport(cancelled, report('queued'), later)).toMatchObject({ state: 'sent', endedAt: null })
})

test('time ends what waits and what is not confirmed, but no attempt that is under way', () => {
  expect(afterTime(waiting, now)).toBeUndefined()
  expect(afterTime(waiting, later)).toMatchObject({ state: 'expired', reason: 'late', endedAt: later })
  expect(afterTime({ ...waiting, attemptUntil: null, reason: 'notConnected' }, now)).toMatchObject({
    state: 'expired',
    reason: 'notConnected',
  })
  expect(afterTime(sent, later)).toMatchObject({ state: 'expired', reason: 'notAcknowledged' })
  expect(afterTime({ ...sent, confirmed: false }, later)).toBeUndefined()
})
