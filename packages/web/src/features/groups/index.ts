/** Exports for later features and `app/slots.ts`. */
export type { SavedKind } from './kinds.ts'
export { SavedFilters, SavedTwinFilters, SavedViews } from './SavedFilters.tsx'
export { type GroupAction, groupActions, groupSections } from './slots.ts'
export { findGroups, nameGroup } from './smart/pick.ts'
