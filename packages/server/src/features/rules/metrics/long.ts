import { AppError } from '../../../platform/errors.ts'
import type { EdgeName, SeriesFeature, Summary } from '../../series/index.ts'
import { emptySummary } from '../windows/types.ts'
import { metricKinds } from './index.ts'
import type { Lookback, LookbackAnswer } from './store.ts'

/** Windows of more minutes than this are answered from roll-ups. */
const rawWindowMs = 3_600_000
/** A window whose roll-ups are out of date is read value by value; that may not take longer. */
const timeoutMs = 5_000
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
      const found = await read(
        summaries,
        indexes.map((index) => lookbacks[index] as Lookback),
      )
      for (const index of indexes) {
        const { stateId, operation } = lookbacks[index] as Lookback
        answers[index] =
          found === null
            ? { value: null, tooMany: false, tooSlow: true }
            : { value: numberOf(operation, found.get(stateId)), tooMany: false }
      }
    }
  }
  await Promise.all(Array.from({ length: atOnce }, readNext))
  return answers
}

/** @returns null when it takes too long */
async function read(
  summaries: SeriesFeature['summaries'],
  group: readonly Lookback[],
): Promise<ReadonlyMap<number, Summary> | null> {
  const { since, until } = group[0] as Lookback
  // A window has its end, but not its start.
  const [from, to] = [(since?.getTime() ?? 0) + 1, until.getTime() + 1]
  const edges = new Set<EdgeName>(
    group.flatMap(({ operation }) => metricKinds[operation].fromSummary?.edges ?? []),
  )
  const stateIds = [...new Set(group.map(({ stateId }) => stateId))]
  const range = { start: new Date(from), end: new Date(to) }
  try {
    const rows = await summaries(stateIds, range, [from], { edges, timeoutMs })
    return new Map(rows.map((row) => [row.stateId, row]))
  } catch (error) {
    // One window that is too slow must not hold up the rules beside it.
    if (error instanceof AppError && error.code === 'REQUEST_TIMEOUT') return null
    throw error
  }
}

/** A window without values has no number, but their count is 0. */
function numberOf(operation: Lookback['operation'], summary: Summary | undefined): number | null {
  const { fromSummary } = metricKinds[operation]
  if (fromSummary === undefined) return null
  return fromSummary.number(summary ?? emptySummary)
}
