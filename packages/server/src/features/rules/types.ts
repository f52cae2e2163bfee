/** What is wrong with a draft, and where: `['metrics', '2', 'alias']`. */
export interface Issue {
  path: string[]
  message: string
}
