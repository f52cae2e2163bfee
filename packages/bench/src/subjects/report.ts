/** What a subject has found. */
export interface Report {
  json: Record<string, unknown>
  /** the same for people */
  lines: readonly string[]
  /** false: the run has found what must not be; the program ends with 1 */
  isClean?: boolean
}

/** Tells what is going on. */
export type Say = (sentence: string) => void
