import { AppError } from '../../../platform/errors.ts'
import type { EdgeName, SeriesFeature, Summary } from '../../series/index.ts'

/** A window whose roll-ups are out of date is read value by value. That may not take longer. */
const aloneMs = 5_000
/** Several are read one by one when they take longer together: one of them may be the reason. */
const togetherMs = 1_000

interface Question {
  range: { start: Date; end: Date }
  starts: readonly number[]
  edges: ReadonlySet<EdgeName>
}

/**
 * Summaries of states, of which one that is slow neither fails nor delays the others for long.
 * @returns `tooSlow`: the states that could not be read in time
 */
export async function summariesInTime(
  summaries: SeriesFeature['summaries'],
  stateIds: readonly number[],
  { range, starts, edges }: Question,
): Promise<{ rows: readonly Summary[]; tooSlow: ReadonlySet<number> }> {
  const rows: Summary[] = []
  const tooSlow = new Set<number>()
  const waiting = [stateIds]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const timeoutMs = next.length === 1 ? aloneMs : togetherMs
    try {
      for (const row of await summaries(next, range, starts, { edges, timeoutMs })) rows.push(row)
    } catch (error) {
      if (!(error instanceof AppError && error.code === 'REQUEST_TIMEOUT')) throw error
      if (next.length === 1) tooSlow.add(next[0] as number)
      else {
        const half = next.length >> 1
        waiting.push(next.slice(half), next.slice(0, half))
      }
    }
  }
  return { rows, tooSlow }
}
