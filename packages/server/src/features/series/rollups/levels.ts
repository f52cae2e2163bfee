const minuteMs = 60_000

/** Sizes of roll-ups; the numbers stand in the table `rollup_pending`. */
export const level = { fiveMinutes: 0, hour: 1, day: 2 } as const
export type Level = (typeof level)[keyof typeof level]

export const slotMs = 5 * minuteMs
export const hourMs = 60 * minuteMs
export const dayMs = 24 * hourMs

/** Length and patience of each level: so long after its end an interval is rolled up, later values make it anew. */
const timing: Record<Level, { lengthMs: number; graceMs: number }> = {
  [level.fiveMinutes]: { lengthMs: slotMs, graceMs: 30_000 },
  [level.hour]: { lengthMs: hourMs, graceMs: 2 * minuteMs },
  [level.day]: { lengthMs: dayMs, graceMs: 5 * minuteMs },
}

/** The newest start an interval of this level may have to be rolled up at `now`. */
export function newestDue(of: Level, now: Date): Date {
  const { lengthMs, graceMs } = timing[of]
  return new Date(now.getTime() - lengthMs - graceMs)
}

/** The values of a transaction by their 5 minutes: how the list of changes holds them. */
export interface Change {
  slot: Date
  /** a state as often as it has values there */
  stateIds: number[]
}

/** Groups values by their 5 minutes. */
export function changesOf(values: Iterable<{ stateId: number; time: Date }>): Change[] {
  const bySlot = new Map<number, number[]>()
  let slotMs0 = Number.NaN
  let ids: number[] = []
  for (const { stateId, time } of values) {
    const slot = Math.floor(time.getTime() / slotMs) * slotMs
    // Neighbours nearly always share their slot.
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

/**
 * Size of the next piece of work, so that a piece takes about `targetMs`: at most twice, at least half the last one.
 * A piece that was not full says nothing about larger ones.
 */
export function nextSize(
  size: number,
  done: number,
  tookMs: number,
  targetMs: number,
  bounds: { min: number; max: number },
): number {
  if (done < size && tookMs < targetMs) return size
  const factor = Math.min(2, Math.max(0.5, targetMs / Math.max(1, tookMs)))
  return Math.round(Math.min(bounds.max, Math.max(bounds.min, size * factor)))
}
