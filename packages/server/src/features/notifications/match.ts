import type { AlarmChanged } from '../../topics/alarmChanged.ts'

/** Which alarms a user wants to hear of. */
export interface Wish {
  userId: number
  errorsOnly: boolean
  /** empty: all */
  categories: readonly string[]
  sources: readonly string[]
  twinId: number | null
  groupId: number | null
  resolved: boolean
}

export type Told = 'raised' | 'severity' | 'resolved' | 'awake' | 'assigned'

/**
 * Whether a change of an alarm needs a notification, and which. Flapping does not, nor what opens during maintenance; of the severity only that it is worse. Whoever
 * is given an alarm is always told.
 * @param above the twin of the alarm and all twins above it
 * @param groups smart groups its device is in
 */
export function toldAs(
  wish: Wish,
  { what = 'raised', resolved, severity, category, source, assignedTo, maintained }: AlarmChanged,
  above: ReadonlySet<number>,
  groups: ReadonlySet<number>,
): Told | null {
  if (what === 'assigned') return assignedTo === wish.userId ? what : null
  if (what === 'again' || maintained) return null
  const told = resolved ? 'resolved' : what
  if (told === 'resolved' && !wish.resolved) return null
  if (told === 'severity' && severity !== 'error') return null
  if (wish.errorsOnly && severity !== 'error') return null
  if (wish.categories.length > 0 && !wish.categories.includes(category)) return null
  if (wish.sources.length > 0 && !wish.sources.includes(source)) return null
  if (wish.twinId !== null && !above.has(wish.twinId)) return null
  if (wish.groupId !== null && !groups.has(wish.groupId)) return null
  return told
}
