/** What a subject has found. */
export interface Report {
  json: Record<string, unknown>
  /** the same for people */
  lines: readonly string[]
}

/** Tells what is going on. */
export type Say = (sentence: string) => void
