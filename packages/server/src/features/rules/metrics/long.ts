import { performance } from 'node:perf_hooks'
import type { EdgeName, SeriesFeature, Summary } from '../../series/index.ts'
import { summariesInTime } from '../windows/summaries.ts'
import { emptySummary } from '../windows/types.ts'
import { metricKinds } from './index.ts'
import type { Lookback, LookbackAnswer } from './store.ts'

/** Windows of more minutes than this are answered from roll-ups. */
const rawWindowMs = 3_600_000
/** Queries at the same time. */
const atOnce = 2

/** Whether a look back is answered from roll-ups: over more than an hour, by an operation that they are enough for. */
export function isLong({ operation, since, until, lastValues }: Lookback): boolean {
  if (since === null || lastValues !== null || metricKinds[operation].fromSummary === undefined) return false
  return until.getTime() - since.getTime() > rawWindowMs
}

/**
 * Answers long look backs, in their order: whole intervals from roll-ups, what is left at both ends and what is out of date
 * from values. States with the same window are read together.
 */
export async function lookFarBack(
  summaries: SeriesFeature['summaries'],
  lookbacks: readonly Lookback[],
): Promise<LookbackAnswer[]> {
  const answers: LookbackAnswer[] = lookbacks.map(() => ({ value: null, tooMany: false }))
  const groups = [
    ...Map.groupBy(lookbacks.keys(), (index) => {
      const { since, until } = lookbacks[index] as Lookback
      return `${since?.getTime()} ${until.getTime()}`
    }).values(),
  ]
  const readNext = async (): Promise<void> => {
    for (let indexes = groups.shift(); indexes !== undefined; indexes = groups.shift()) {
      const started = performance.now()
      const found = await read(
        summaries,
        indexes.map((index) => lookbacks[index] as Lookback),
      )
      const tookUs = ((performance.now() - started) * 1000) / indexes.length
      for (const index of indexes) {
        const { stateId, operation } = lookbacks[index] as Lookback
        answers[index] = found.tooSlow.has(stateId)
          ? { value: null, tooMany: false, tooSlow: true, tookUs }
          : { value: numberOf(operation, found.byState.get(stateId)), tooMany: false, tookUs }
      }
    }
  }
  await Promise.all(Array.from({ length: atOnce }, readNext))
  return answers
}

async function read(
  summaries: SeriesFeature['summaries'],
  group: readonly Lookback[],
): Promise<{ byState: ReadonlyMap<number, Summary>; tooSlow: ReadonlySet<number> }> {
  const { since, until } = group[0] as Lookback
  // A window has its end, but not its start.
  const [from, to] = [(since?.getTime() ?? 0) + 1, until.getTime() + 1]
  const edges = new Set<EdgeName>(
    group.flatMap(({ operation }) => metricKinds[operation].fromSummary?.edges ?? []),
  )
  const stateIds = [...new Set(group.map(({ stateId }) => stateId))]
  const range = { start: new Date(from), end: new Date(to) }
  const { rows, tooSlow } = await summariesInTime(summaries, stateIds, { range, starts: [from], edges })
  return { byState: new Map(rows.map((row) => [row.stateId, row])), tooSlow }
}

/** A window without values has no number, but their count is 0. */
function numberOf(operation: Lookback['operation'], summary: Summary | undefined): number | null {
  const { fromSummary } = metricKinds[operation]
  if (fromSummary === undefined) return null
  return fromSummary.number(summary ?? emptySummary)
}
