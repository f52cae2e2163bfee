import { DateTime } from 'luxon'
import { QueryError, type Select, type TimeCondition } from './influxql/syntax.ts'

export const reportingLimits = {
  /** series one SELECT may read */
  statesMax: 5_000,
  /** series that may be searched for tags */
  candidatesMax: 50_000,
  /** maximum characters compared with regular expressions in one statement; matching blocks the process */
  comparisonsMax: 200_000_000,
  /** maximum intervals of one SELECT, over all series */
  pointsMax: 200_000,
  /** maximum rows of raw values in one result */
  rowsMax: 50_000,
  /** maximum values from which medians are computed */
  medianValuesMax: 200_000,
  /** time that a whole request may spend in the database */
  timeMsMax: 20_000,
} as const

const dayMs = 86_400_000
/** Intervals up to this length start at the same times in every time zone. */
const zonelessMs = 15 * 60_000
const earliestMs = Date.UTC(1900, 0)
const latestMs = Date.UTC(2200, 0)

/** The time range of a SELECT; milliseconds since 1970, the end is exclusive. */
export interface Span {
  startMs: number
  endMs: number
  /** whether the query gives a start */
  isBounded: boolean
}

/** The range that meets all conditions; empty when its end is not after its start. */
export function spanOf(times: readonly TimeCondition[], nowMs: number): Span {
  let [startMs, endMs, isBounded] = [earliestMs, latestMs, false]
  for (const { comparison, fromNow, ms } of times) {
    const at = fromNow ? nowMs + ms : ms
    if (comparison === '>' || comparison === '>=' || comparison === '=') {
      startMs = Math.max(startMs, comparison === '>' ? Math.floor(at) + 1 : Math.ceil(at))
      isBounded = true
    }
    if (comparison === '<' || comparison === '<=' || comparison === '=')
      endMs = Math.min(endMs, comparison === '<' ? Math.ceil(at) : Math.floor(at) + 1)
  }
  return { startMs, endMs, isBounded }
}

/** What to read for a SELECT. */
export type Plan =
  | { kind: 'values'; span: Span }
  /** `starts`: start times of the intervals, ascending; a single one for the whole range without intervals */
  | { kind: 'intervals'; span: Span; starts: readonly number[] }

/**
 * Decides how to run a SELECT.
 * @throws QueryError when its parts contradict each other, or it would have too many intervals
 */
export function planOf(select: Select, nowMs: number): Plan {
  const kinds = new Set(select.columns.map(({ kind }) => kind))
  const span = spanOf(select.where.times, nowMs)
  if (!kinds.has('function')) {
    if (select.interval !== null) throw new QueryError('GROUP BY time() needs a function such as MEAN')
    if (!kinds.has('field')) throw new QueryError('a SELECT needs at least one field')
    return { kind: 'values', span }
  }
  if (kinds.size > 1) throw new QueryError('a SELECT cannot mix functions with fields or tags')
  if (select.interval === null) return { kind: 'intervals', span, starts: [span.startMs] }
  if (!span.isBounded)
    throw new QueryError(
      'GROUP BY time() needs a condition that says where the time begins, e.g. time > now() - 1h',
    )
  // Without an end, use now: there are no intervals in the future.
  const bounded = { ...span, endMs: Math.min(span.endMs, latestOf(select, nowMs)) }
  return { kind: 'intervals', span: bounded, starts: startsOf(bounded, select.interval, select.timeZone) }
}

function latestOf(select: Select, nowMs: number): number {
  const hasEnd = select.where.times.some(({ comparison }) => comparison !== '>' && comparison !== '>=')
  return hasEnd ? latestMs : nowMs + 1
}

/**
 * Start times of the intervals in a span: multiples of the length since 1970, in the time zone. The interval
 * in which clocks change is longer or shorter.
 * @throws QueryError when there are more than `pointsMax`
 */
export function startsOf(
  { startMs, endMs }: { startMs: number; endMs: number },
  { lengthMs, offsetMs }: { lengthMs: number; offsetMs: number },
  timeZone: string,
): number[] {
  if (startMs >= endMs) return []
  if ((endMs - startMs) / lengthMs > reportingLimits.pointsMax) throw tooManyPoints()
  const isZoneless = timeZone === 'UTC' || (lengthMs <= zonelessMs && zonelessMs % lengthMs === 0)
  const localOf = (ms: number) => (isZoneless ? ms : ms + offsetAt(ms, timeZone))
  const momentOf = (localMs: number) => (isZoneless ? localMs : momentAt(localMs, timeZone))
  const first = Math.floor((localOf(startMs) - offsetMs) / lengthMs)
  const starts: number[] = []
  // Start one earlier, because a clock change may lie between two local times.
  for (let number = isZoneless ? first : first - 1; ; number++) {
    const start = momentOf(number * lengthMs + offsetMs)
    if (start >= endMs) break
    if (starts.length > 0 && start <= (starts.at(-1) as number)) continue
    if (start <= startMs) starts.pop()
    starts.push(start)
  }
  return starts
}

export function tooManyPoints(): QueryError {
  return new QueryError(
    `the answer would have more than ${reportingLimits.pointsMax} intervals: choose longer ones, a shorter time or fewer series`,
  )
}

function offsetAt(ms: number, timeZone: string): number {
  return DateTime.fromMillis(ms, { zone: timeZone }).offset * 60_000
}

/** The time at which a local clock shows a given time; the earlier one if it shows it twice. */
function momentAt(localMs: number, timeZone: string): number {
  const before = localMs - offsetAt(localMs - dayMs, timeZone)
  if (before + offsetAt(before, timeZone) === localMs) return before
  return localMs - offsetAt(localMs + dayMs, timeZone)
}
