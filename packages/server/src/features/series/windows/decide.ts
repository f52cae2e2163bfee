import { isDeepStrictEqual } from 'node:util'
import type { JsonValue } from '@leitstand/contract/common'
import { nominalMs } from '@leitstand/contract/states/periods'
import type { TimedValue } from '../aggregate.ts'
import { type Bounds, shifted } from './period.ts'
import type { WindowSettings } from './settings.ts'

/** The values of a source in a period; numbers only, with true as 1 and false as 0, except for `total` and `latest`. */
export interface Contents {
  firstMs: number
  lastMs: number
  /** values of any type */
  total: number
  numbers: number
  /** null without numbers, and if they are too large to be added */
  sum: number | null
  min: number | null
  max: number | null
  median: number | null
  latest: JsonValue | null
}

/** What is known of a window state when it is evaluated. */
export interface Observed {
  bounds: Bounds
  contents: Contents | null
  /** of the period before; only for `periodDifference` */
  previous: Contents | null
  /** of the last two numbers; only for `valueDifference` */
  difference: number | null
  /** of a value that is ahead of the clock */
  nextMs: number | null
}

/** The value of a period; null if there is none: an empty period has no value, only its count is 0. */
export function valueIn(
  operation: WindowSettings['operation'],
  { contents, previous, difference }: Observed,
): JsonValue | null {
  if (operation === 'count') return contents?.total ?? 0
  if (contents === null) return null
  switch (operation) {
    case 'avg':
      return contents.sum === null || contents.numbers === 0 ? null : contents.sum / contents.numbers
    case 'periodDifference':
      return contents.max === null || previous?.max == null ? null : contents.max - previous.max
    case 'valueDifference':
      return difference
    default:
      return contents[operation]
  }
}

const stepMinMs = 5_000
const stepMaxMs = 3_600_000

/**
 * When a state has to be evaluated again although its source does not change: when its period ends, when a value leaves it,
 * or when one that is ahead of the clock comes into it. Values leave a period that moves with the time in steps of a
 * sixtieth of its length, of an hour at most.
 * @returns null: only its source changes it
 */
export function dueMs(
  { span, aligned, operation }: WindowSettings,
  { bounds, contents, previous, nextMs }: Observed,
  nowMs: number,
  timeZone: string,
): number | null {
  if (span === null) return null
  const times = nextMs === null ? [] : [nextMs]
  if (aligned) {
    if (bounds.endMs !== null) times.push(bounds.endMs)
  } else {
    const stepMs = Math.min(stepMaxMs, Math.max(stepMinMs, nominalMs(span) / 60))
    const leaves = (firstMs: number, periods: number) =>
      Math.max(Math.ceil((shifted(firstMs, span, periods, timeZone) + 1) / stepMs) * stepMs, nowMs + stepMs)
    if (contents !== null) times.push(leaves(contents.firstMs, 1))
    if (operation === 'periodDifference' && previous !== null) times.push(leaves(previous.firstMs, 2))
  }
  return times.length === 0 ? null : Math.min(...times)
}

/**
 * What to store for a value: it has the time of the newest value it contains, or if that is not newer than what is known,
 * because a value left the period or came late, the current time.
 * @returns null: it is known already
 */
export function toStore(
  value: JsonValue,
  newestMs: number | null,
  known: TimedValue | undefined,
  nowMs: number,
): Date | null {
  const knownMs = known?.time.getTime() ?? Number.NEGATIVE_INFINITY
  if (newestMs !== null && newestMs > knownMs) return new Date(newestMs)
  return isDeepStrictEqual(known?.value, value) ? null : new Date(Math.max(nowMs, knownMs))
}
