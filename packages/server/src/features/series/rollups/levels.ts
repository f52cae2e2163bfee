const minuteMs = 60_000

/** Sizes of roll-ups; the numbers are stored in the table `rollup_pending`. */
export const level = { fiveMinutes: 0, hour: 1, day: 2 } as const
export type Level = (typeof level)[keyof typeof level]

export const slotMs = 5 * minuteMs
export const hourMs = 60 * minuteMs
export const dayMs = 24 * hourMs

/**
 * Length and grace period of each level: intervals are rolled up `graceMs` after their end, and again after
 * late values.
 */
const timing: Record<Level, { lengthMs: number; graceMs: number }> = {
  [level.fiveMinutes]: { lengthMs: slotMs, graceMs: 30_000 },
  [level.hour]: { lengthMs: hourMs, graceMs: 2 * minuteMs },
  [level.day]: { lengthMs: dayMs, graceMs: 5 * minuteMs },
}

/** The newest start of an interval of this level that is due at `now`. */
export function newestDue(of: Level, now: Date): Date {
  const { lengthMs, graceMs } = timing[of]
  return new Date(now.getTime() - lengthMs - graceMs)
}

/** An entry of the list of changes: values of a transaction within the same 5 minutes. */
export interface Change {
  slot: Date
  /** one entry per value, so a state can occur several times */
  stateIds: number[]
}

/** Groups values by their 5 minutes. */
export function changesOf(values: Iterable<{ stateId: number; time: Date }>): Change[] {
  const bySlot = new Map<number, number[]>()
  let slotMs0 = Number.NaN
  let ids: number[] = []
  for (const { stateId, time } of values) {
    const slot = Math.floor(time.getTime() / slotMs) * slotMs
    // Consecutive values nearly always share a slot.
    if (slot !== slotMs0) {
      const known = bySlot.get(slot)
      ids = known ?? []
      if (known === undefined) bySlot.set(slot, ids)
      slotMs0 = slot
    }
    ids.push(stateId)
  }
  return [...bySlot].map(([slot, stateIds]) => ({ slot: new Date(slot), stateIds }))
}
