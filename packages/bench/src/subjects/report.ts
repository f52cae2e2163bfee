/** Result of a subject. */
export interface Report {
  json: Record<string, unknown>
  /** the same for people */
  lines: readonly string[]
  /** false: the run found an error; the program ends with exit code 1 */
  isClean?: boolean
}

/** Reports progress. */
export type Say = (sentence: string) => void
