import type { DeliveryReason } from '@leitstand/contract/rules/deliveries'
import type { Attempt } from '../../../connectors/index.ts'

export type DeliveryState = 'queued' | 'sent' | 'failed' | 'uncertain'

/** The fields of a delivery that its attempts change. */
export interface Progress {
  readonly state: DeliveryState
  readonly reason: DeliveryReason | null
  readonly detail: string
  readonly attempts: number
  readonly nextAttemptAt: Date
  readonly validUntil: Date
  readonly endedAt: Date | null
}

/** Attempts and the waits between them; the last one comes after about three hours. */
export const attemptBounds = { max: 12, firstWaitMs: 5_000, waitMaxMs: 3_600_000 } as const

/** Milliseconds until the next attempt, after this many. */
export function waitAfter(made: number): number {
  return Math.min(attemptBounds.firstWaitMs * 2 ** Math.min(made - 1, 20), attemptBounds.waitMaxMs)
}

/**
 * The delivery after an attempt. What may have arrived is not sent again, because a command or message that
 * arrives twice can do harm: it is `uncertain`.
 */
export function afterAttempt(before: Progress, attempt: Attempt, now: Date): Progress {
  if (attempt.outcome === 'taken') return { ...before, state: 'sent', reason: null, detail: '', endedAt: now }
  const { outcome, reason, detail } = attempt
  const why = { ...before, reason, detail }
  if (outcome === 'unknown') return { ...why, state: 'uncertain', endedAt: now }
  const next = new Date(now.getTime() + waitAfter(before.attempts))
  const isLast = before.attempts >= attemptBounds.max || next >= before.validUntil
  if (outcome === 'never' || isLast) return { ...why, state: 'failed', endedAt: now }
  return { ...why, nextAttemptAt: next }
}

/** The delivery whose attempt was never finished: the server stopped while it was under way. */
export function afterInterruption(before: Progress, now: Date): Progress {
  return { ...before, state: 'uncertain', reason: 'interrupted', detail: '', endedAt: now }
}

/** The delivery that waited too long, e.g. because the server did not run. */
export function afterTime(before: Progress, now: Date): Progress {
  return { ...before, state: 'failed', reason: before.reason ?? 'late', endedAt: now }
}
