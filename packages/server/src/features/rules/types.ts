/** A problem in a draft with its path: `['metrics', '2', 'alias']`. */
export interface Issue {
  path: string[]
  message: string
}
