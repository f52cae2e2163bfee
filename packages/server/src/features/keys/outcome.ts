import type { ActivationResult } from '@leitstand/contract/keys'

/** What is known about an activation that was sent. */
export interface Seen {
  now: Date
  /** the lock has reported that it is open */
  hasReported: boolean
  /** what became of its downlink; undefined: it has none */
  downlink?: { outcome: string; reason: string | null; detail: string } | undefined
}

/** What became of an activation that was sent; null: that is still to be seen. */
export function outcomeOf(
  { deadline, report }: { deadline: Date; report: object | null },
  { now, hasReported, downlink }: Seen,
): { result: ActivationResult; reason?: string; detail?: string } | null {
  if (hasReported) return { result: 'opened' }
  const isOver = now >= deadline
  if (downlink !== undefined) {
    const { outcome, reason, detail } = downlink
    if (['failed', 'expired', 'cancelled'].includes(outcome))
      return { result: 'failed', reason: reason ?? outcome, detail }
    if (outcome === 'queued') return isOver ? { result: 'failed', reason: 'late' } : null
    if (report === null) return { result: 'sent' }
  }
  return isOver ? { result: 'noAnswer' } : null
}
