/** The result of one part of `bench -- rules`. */
export interface Part {
  json: Record<string, unknown>
  /** for people */
  lines: readonly string[]
  /** nothing was lost, duplicated or wrong */
  isClean: boolean
}
