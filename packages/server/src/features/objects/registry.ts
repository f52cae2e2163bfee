import type { Count, CountedLimit, Kind, ObjectKind } from './kinds.ts'

/** The definitions of all features, low to high; constant, and shared by every app in a process. */
export interface Registry {
  kinds: Readonly<Record<ObjectKind, Kind>>
  counts: Readonly<Record<CountedLimit, Count>>
}

let registered: Registry | undefined

/** Called by `src/objects.ts` before any feature runs. */
export function setRegistry(registry: Registry): void {
  registered = registry
}

function registry(): Registry {
  if (registered === undefined) throw new Error('no kinds of objects are registered')
  return registered
}

/** All kinds in the order of their features, low to high. */
export function kinds(): [ObjectKind, Kind][] {
  return Object.entries(registry().kinds) as [ObjectKind, Kind][]
}

export function kindOf(kind: ObjectKind): Kind {
  return registry().kinds[kind]
}

export function countOf(limit: CountedLimit): Count {
  return registry().counts[limit]
}
