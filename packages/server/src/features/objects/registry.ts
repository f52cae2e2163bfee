import { type RawBuilder, sql } from 'kysely'
import type { Hooks } from './hooks.ts'
import type { Count, CountedLimit, Kind, ObjectKind } from './kinds.ts'
import type { RetainedMonths, RetainedRecords, Retention } from './retention.ts'
import type { Views } from './views.ts'

/** The definitions of all features, low to high; constant, and shared by every app in a process. */
export interface Registry {
  kinds: Readonly<Record<ObjectKind, Kind>>
  counts: Readonly<Record<CountedLimit, Count>>
  retention: readonly Retention[]
  hooks: readonly Hooks[]
  views: { readonly [name in keyof Views]: RawBuilder<Views[name]> }
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

/** Data with a retention that is deleted record by record. */
export function retainedRecords(): RetainedRecords[] {
  return registry().retention.filter((each) => 'deleteOld' in each)
}

/** Data with a retention in monthly partitions. */
export function retainedMonths(): RetainedMonths[] {
  return registry().retention.filter((each) => 'drop' in each)
}

/** A view in parentheses, to be joined under an alias. */
export function viewOf<N extends keyof Views>(name: N): RawBuilder<Views[N]> {
  return sql`(${registry().views[name]})`
}

export function hooks(): readonly Hooks[] {
  return registry().hooks
}
