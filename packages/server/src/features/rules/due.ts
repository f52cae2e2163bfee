import type { RuleTrigger } from '@leitstand/contract/rules'
import type { DueRow, NextDue } from './store/triggers.ts'
import { nextOf } from './triggers/index.ts'

/** What the clock does with a trigger whose time has come. */
export interface Verdict {
  wakes: boolean
  next: NextDue
}

/**
 * Pure. A time wakes its rule once, also if several passed unnoticed. A silence wakes it once as well: unless a newer value
 * came, it is looked at again after the same time, since the next silence cannot be over before.
 * @param trigger of the rule as it is now
 */
export function judgeDue(row: DueRow, trigger: RuleTrigger, timeZone: string, now: Date): Verdict {
  const { ruleId, twinId, trigger: position, silenceMs, newest, reported } = row
  if (silenceMs === null) {
    const dueAt = nextOf(trigger, now, timeZone)
    return { wakes: true, next: { ruleId, twinId, trigger: position, dueAt, reported: null } }
  }
  const endMs = (newest?.getTime() ?? Number.NEGATIVE_INFINITY) + silenceMs
  if (endMs > now.getTime()) {
    return { wakes: false, next: { ruleId, twinId, trigger: position, dueAt: new Date(endMs), reported } }
  }
  // Without any value yet, the silence since the rule was stored counts.
  const since = newest ?? new Date(0)
  const again = new Date(now.getTime() + silenceMs)
  const wakes = reported?.getTime() !== since.getTime()
  return { wakes, next: { ruleId, twinId, trigger: position, dueAt: again, reported: since } }
}
