import type { RefusalReason } from '@leitstand/contract/keys'
import { metresBetween, type Place } from '../../platform/geo/metres.ts'
import { closedAt, type Validity } from './validity.ts'

/** What is known when a person wants to open a lock. */
export interface Attempt {
  key: Validity
  /** the right to use keys at the door is still there */
  hasRight: boolean
  throttleSeconds: number
  /** when the person has opened the lock last; null: never */
  lastAt: Date | null
  withinMetres: number | null
  door: Place | null
  /** what the browser says */
  position: Place | null
}

export interface Refusal {
  reason: RefusalReason
  /** of `throttled`: until it can be opened again */
  seconds?: number
  /** of `tooFar`: to the door; absent: the door has no position any more */
  metres?: number
}

/** Why an attempt is refused; null: it is not. The second factor is checked apart, because a code counts once. */
export function refusalOf(attempt: Attempt, now: Date): Refusal | null {
  if (!attempt.hasRight) return { reason: 'noRight' }
  const closed = closedAt(attempt.key, now)
  if (closed !== null) return { reason: closed }
  const waitMs = throttledMs(attempt, now)
  if (waitMs > 0) return { reason: 'throttled', seconds: Math.ceil(waitMs / 1000) }
  if (attempt.withinMetres === null) return null
  if (attempt.position === null) return { reason: 'positionNeeded' }
  const metres = metresOf(attempt)
  if (metres === null) return { reason: 'tooFar' }
  return metres > attempt.withinMetres ? { reason: 'tooFar', metres } : null
}

/** Metres from the person to the door; null: one of both is not known. */
export function metresOf({ door, position }: Pick<Attempt, 'door' | 'position'>): number | null {
  return door === null || position === null ? null : Math.round(metresBetween(door, position))
}

/** A clock that was put back must not keep a door shut for longer than the throttle. */
function throttledMs({ throttleSeconds, lastAt }: Attempt, now: Date): number {
  if (lastAt === null) return 0
  const sinceMs = Math.abs(now.getTime() - lastAt.getTime())
  return Math.max(0, throttleSeconds * 1000 - sinceMs)
}
