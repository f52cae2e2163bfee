import type { DownlinkReason, DownlinkState } from '@leitstand/contract/downlinks'
import type { DownlinkReported } from '../../topics/downlinkReported.ts'
import type { Delivery } from '../connectors/index.ts'

/** The fields of a downlink that determine its state. */
export interface Progress {
  readonly state: DownlinkState
  readonly reason: DownlinkReason | null
  readonly detail: string
  readonly confirmed: boolean
  readonly attempts: number
  readonly nextAttemptAt: Date
  /** set while an attempt is running, and when its outcome is unknown */
  readonly attemptUntil: Date | null
  readonly networkId: string | null
  readonly sentAt: Date | null
  readonly transmittedAt: Date | null
  readonly endedAt: Date | null
}

export const attempts = {
  /**
   * attempts that may have reached the network server; while the connection is down, attempts continue until
   * the downlink expires
   */
  max: 10,
  firstWaitMs: 5_000,
  waitMaxMs: 300_000,
} as const

/** Milliseconds until the next attempt, after this many. */
export function waitAfter(made: number): number {
  return Math.min(attempts.firstWaitMs * 2 ** Math.min(made - 1, 20), attempts.waitMaxMs)
}

/**
 * State of a downlink after a send attempt. A report that arrived in the meantime takes precedence over our
 * own failure.
 */
export function afterAttempt(before: Progress, delivery: Delivery, now: Date): Progress {
  if (before.state !== 'requested') return { ...before, attemptUntil: null }
  if (delivery.outcome === 'taken')
    return {
      ...before,
      state: 'sent',
      reason: null,
      detail: '',
      sentAt: now,
      attemptUntil: null,
      networkId: delivery.name ?? before.networkId,
    }
  const { outcome, reason, detail } = delivery
  const isLast = reason !== 'notConnected' && before.attempts >= attempts.max
  if (outcome === 'never' || isLast)
    return { ...before, state: 'failed', reason, detail, attemptUntil: null, endedAt: now }
  return {
    ...before,
    reason,
    detail,
    attemptUntil: outcome === 'unknown' ? now : null,
    nextAttemptAt: new Date(now.getTime() + waitAfter(before.attempts)),
  }
}

/**
 * State of a downlink after a report of the network server; reports may be repeated or late. A downlink the
 * device has acknowledged stays acknowledged; one that was given up here but arrives anyway shows its real
 * state.
 */
export function afterReport(before: Progress, { what, detail }: DownlinkReported, at: Date): Progress {
  if (before.state === 'acknowledged') return before
  const sentAt = before.sentAt ?? at
  if (what === 'acknowledged')
    return {
      ...before,
      state: 'acknowledged',
      reason: null,
      detail: '',
      sentAt,
      attemptUntil: null,
      transmittedAt: before.transmittedAt ?? at,
      endedAt: at,
    }
  if (what === 'refused' || what === 'failed') {
    if (before.state === 'failed') return before
    const reason = what === 'refused' ? 'notAcknowledged' : 'network'
    return { ...before, state: 'failed', reason, detail, sentAt, attemptUntil: null, endedAt: at }
  }
  const transmittedAt = what === 'transmitted' ? (before.transmittedAt ?? at) : before.transmittedAt
  if (before.state === 'failed' || before.state === 'expired') return { ...before, transmittedAt }
  if (before.state === 'sent') return { ...before, transmittedAt }
  return {
    ...before,
    state: 'sent',
    reason: null,
    detail: '',
    sentAt,
    transmittedAt,
    attemptUntil: null,
    endedAt: null,
  }
}

/** State of an expired downlink; undefined when nothing changes. */
export function afterTime(before: Progress, now: Date): Progress | undefined {
  const isUnderWay = before.attemptUntil !== null && before.attemptUntil > now
  const waits = before.state === 'requested' && !isUnderWay
  const isUnanswered = before.state === 'sent' && before.confirmed
  if (!waits && !isUnanswered) return undefined
  const reason = before.state === 'sent' ? 'notAcknowledged' : (before.reason ?? 'late')
  return { ...before, state: 'expired', reason, attemptUntil: null, endedAt: now }
}
