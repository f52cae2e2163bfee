/** Exports for later features and `app/slots.ts`. */
export { SavedFilters } from './SavedFilters.tsx'
