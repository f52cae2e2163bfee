/** Exports for later features and `app/slots.ts`. */
export type { SavedKind } from './kinds.ts'
export { SavedFilters, SavedViews } from './SavedFilters.tsx'
