export { type Blocker, blockersOf, deleteOfAccount } from './accounts.ts'
export { checkUses } from './check.ts'
export { type Hooks, runHooks } from './hooks.ts'
export type {
  Count,
  CountedLimit,
  Definitions,
  Difference,
  FeatureObjects,
  Kind,
  ObjectKind,
  Reference,
  UsedKind,
  WithAccount,
  WithFiles,
} from './kinds.ts'
export { type AskedPackets, packetsOf, packetsPerDayRow } from './packets.ts'
export { findRecorded, recordUses } from './record.store.ts'
export { countReferences, hasUsersElsewhere } from './references.store.ts'
export {
  countOf,
  kindOf,
  kinds,
  type Registry,
  retainedMonths,
  retainedRecords,
  setRegistry,
  viewOf,
} from './registry.ts'
export type { RetainedMonths, RetainedRecords, Retention } from './retention.ts'
export { objectRoutes } from './routes.ts'
export { type Users, usersOf } from './users.store.ts'
export type { Views } from './views.ts'
