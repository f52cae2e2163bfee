/** Exports for later features. */
export type { Template } from './queries.ts'
