export { type Blocker, blockersOf, deleteOfAccount } from './accounts.ts'
export type { Count, CountedLimit, FeatureObjects, Kind, ObjectKind, WithAccount } from './kinds.ts'
export { countOf, kindOf, kinds, type Registry, setRegistry } from './registry.ts'
