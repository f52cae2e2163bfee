import type { JsonValue } from '@leitstand/contract/common'
import type { ExportParams } from '../params.ts'

/** A value of a row. Times in milliseconds since 1970. */
export interface ExportValue {
  /** of its row */
  timeMs: number
  /** of the value itself, or the start of its interval: where reading continues after it */
  placeMs: number
  value: JsonValue
  /** when it was measured; for what is computed, the start of its interval */
  measuredMs: number
}

/** The values of one state after a time, oldest first. */
export interface StateValues {
  values: ExportValue[]
  /** they are complete up to and including this time; null: there are no more */
  upToMs: number | null
}

/**
 * Reads a kind of values of states.
 * @param fromMs values whose place is at or after this time are wanted
 * @param limit the most values of one state
 */
export type ReadValues = (
  params: ExportParams,
  stateIds: readonly number[],
  fromMs: number,
  limit: number,
) => Promise<Map<number, StateValues>>
