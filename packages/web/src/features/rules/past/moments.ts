import type { Execution } from '@leitstand/contract/rules'
import type { PastLine, PastMoment, PastResult, RealLine } from '@leitstand/contract/rules/past'
import type { ChartPoint } from '../../../ui/chart/types.ts'

/** The moments at which a line fired, as points on the chart of a metric; without its value there is none. */
export function marksOf({ moments }: Pick<PastLine, 'moments'>, alias: string): ChartPoint[] {
  return moments.flatMap(({ at, inputs }): ChartPoint[] => {
    const value = inputs?.[alias]
    const isNumber = typeof value === 'number' || typeof value === 'boolean'
    return isNumber ? [[Date.parse(at), Number(value)]] : []
  })
}

export type LineKey = 'draft' | 'stored' | 'real'

/** One line of the comparison: how often it had each result, and when it fired, by stretches of the period. */
export interface ComparedLine {
  key: LineKey
  /** null: not known of what a rule really did */
  counts: Record<Execution['result'], number | null>
  fired: readonly number[]
  /** when its conditions were met while it was paused */
  paused: readonly number[]
}

/** The lines of a result, those that there are. */
export function linesOf({ draft, stored, real }: PastResult): ComparedLine[] {
  return [
    { key: 'draft', counts: draft.results, fired: draft.fired, paused: draft.throttled },
    ...(stored === null
      ? []
      : [{ key: 'stored' as const, counts: stored.results, fired: stored.fired, paused: stored.throttled }]),
    ...(real === null ? [] : [realLine(real)]),
  ]
}

function realLine({ fired, throttled, firedStretches }: RealLine): ComparedLine {
  const unknown = { not_met: null, outside_times: null, aborted: null, error: null }
  return { key: 'real', counts: { fired, throttled, ...unknown }, fired: firedStretches, paused: [] }
}

/** Stretches of a time line in which something happened, neighbours together: start and length. */
export function runsOf(stretches: readonly number[]): { start: number; length: number }[] {
  const runs: { start: number; length: number }[] = []
  for (const [index, count] of stretches.entries()) {
    if (count === 0) continue
    const last = runs.at(-1)
    if (last !== undefined && last.start + last.length === index) last.length++
    else runs.push({ start: index, length: 1 })
  }
  return runs
}

/** Newest first. */
export function newestFirst(moments: readonly PastMoment[]): PastMoment[] {
  return moments.toReversed()
}
