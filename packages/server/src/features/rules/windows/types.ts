import type { Summary } from '../../series/index.ts'

/** What the operations of metrics need of the numbers in a window. */
export type WindowSummary = Pick<
  Summary,
  'numbers' | 'texts' | 'sum' | 'min' | 'max' | 'firstNumber' | 'lastNumber'
>

export const emptySummary: WindowSummary = {
  numbers: 0,
  texts: 0,
  sum: null,
  min: null,
  max: null,
  firstNumber: null,
  lastNumber: null,
}

/**
 * What became of a value that a window was given: `taken`, `known` already, `older` than what the window holds, or `unclear`,
 * which only the database can tell: the window must be read again.
 */
export type Taken = 'taken' | 'known' | 'older' | 'unclear'

/** Numbers of one state in the order of their times; milliseconds since 1970. */
export interface Numbers {
  times: readonly number[]
  numbers: readonly number[]
}
