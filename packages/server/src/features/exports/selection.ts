import { type ExportSelection, exportLimits } from '@leitstand/contract/exports'
import { sql } from 'kysely'
import { anyOf, type Executor } from '../../platform/db/index.ts'
import { AppError } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { devicesIn, filterOf } from '../devices/index.ts'
import { groupMembers } from '../groups/index.ts'
import { viewOf } from '../objects/index.ts'
import { visibleScopes } from '../series/index.ts'
import { all, type Condition, ints, isInTree, listScopes, readScopes, twinsIn } from '../twins/index.ts'

/** A selection, or one device or twin. */
export type Selected = ExportSelection | { of: 'object'; id: number }

interface Parts {
  from: Condition | ReturnType<typeof sql>
  where: Condition | ReturnType<typeof sql>
}

/** The devices or twins of a selection that the caller may read, as parts of a query with `twins t`. */
async function partsOf(db: Executor, caller: Caller, selection: Selected, now: Date): Promise<Parts> {
  switch (selection.of) {
    case 'object': {
      const scopes = visibleScopes(caller)
      return {
        from: sql`twins t`,
        where: sql`t.id = ${selection.id} and (
          t.category = 'digitalTwin' and t.scope_id = ${anyOf(scopes.digitalTwin)}
          or t.category = 'virtualDevice' and t.scope_id = ${anyOf(scopes.virtualDevice)})`,
      }
    }
    case 'virtualDevices': {
      const filter = filterOf(
        { ...selection.filter, ...(selection.ids ? { ids: selection.ids } : {}) },
        caller,
        now,
      )
      return devicesIn(db, readScopes(caller, 'virtualDevice'), filter, ['twin'])
    }
    case 'deviceDrivers': {
      const filter = filterOf({ driver_ids: selection.driverIds }, caller, now)
      return devicesIn(db, readScopes(caller, 'virtualDevice'), filter, ['twin'])
    }
    case 'smartGroup':
      return groupMembers(db, caller, selection.groupId, { now, tables: ['twin'] })
    case 'digitalTwins': {
      const may = new Set(readScopes(caller, 'digitalTwin'))
      const scopeIds = listScopes(caller).filter((id) => may.has(id))
      return {
        from: sql`twins t`,
        where: all([
          twinsIn(scopeIds, selection.filter),
          ...(selection.ids ? [sql<boolean>`t.id = any(${ints(selection.ids)})`] : []),
          ...(selection.within === undefined ? [] : [isInTree(selection.within)]),
        ]),
      }
    }
  }
}

/** The scopes in which the caller may read states, whatever they belong to. */
function stateScopes(caller: Caller): Condition {
  const { digitalTwin, virtualDevice } = visibleScopes(caller)
  return sql<boolean>`(case t.category when 'digitalTwin' then t.scope_id = ${anyOf(digitalTwin)}
    else t.scope_id = ${anyOf(virtualDevice)} end)`
}

/** How many devices or twins a selection has. */
export async function countObjects(
  db: Executor,
  caller: Caller,
  selection: Selected,
  now: Date,
): Promise<number> {
  const { from, where } = await partsOf(db, caller, selection, now)
  const { rows } = await sql<{
    count: number
  }>`select count(*)::int as count from ${from} where ${where}`.execute(db)
  return rows[0]?.count ?? 0
}

/** Identifiers of the states of a selection with a title, in natural order. */
export async function listKeys(
  db: Executor,
  caller: Caller,
  selection: Selected,
  { now, limit, only }: { now: Date; limit: number; only?: readonly string[] | undefined },
): Promise<{ key: string; title: string }[]> {
  const { from, where } = await partsOf(db, caller, selection, now)
  const { rows } = await sql<{ key: string; title: string }>`
    select key, title from (
      select s.key, min(s.title) as title from ${from} join ${viewOf('states')} s on s.twin_id = t.id
      where ${where} and ${stateScopes(caller)} ${only === undefined ? sql`` : sql`and s.key = any(${[...only]}::text[])`}
      group by s.key) as found
    order by key collate natural_order limit ${limit}`.execute(db)
  return rows
}

/**
 * Identifiers that have columns when a row has all values of a time.
 * @throws AppError EXPORT_TOO_MANY_COLUMNS
 */
export async function columnKeys(
  db: Executor,
  caller: Caller,
  { selection, stateKeys }: { selection: Selected; stateKeys?: readonly string[] | undefined },
  now: Date,
): Promise<string[]> {
  const { valueColumnsMax } = exportLimits
  const found = await listKeys(db, caller, selection, { now, limit: valueColumnsMax + 1, only: stateKeys })
  if (found.length > valueColumnsMax) throw new AppError('EXPORT_TOO_MANY_COLUMNS', { valueColumnsMax })
  return found.map(({ key }) => key)
}

/** A device or twin whose values are exported. */
export interface ExportObject {
  id: number
  title: string
  externalId: string | null
  accountName: string
}

/** The next devices or twins of a selection, by id, from this one on. */
export async function nextObjects(
  db: Executor,
  caller: Caller,
  selection: Selected,
  { now, from: fromId, limit }: { now: Date; from: number; limit: number },
): Promise<ExportObject[]> {
  const { from, where } = await partsOf(db, caller, selection, now)
  const { rows } = await sql<ExportObject>`
    with found as materialized (
      select t.id, t.title, t.account_id from ${from} where ${where} and t.id >= ${fromId} order by t.id limit ${limit})
    select found.id, found.title, a.name as "accountName",
      (select v.external_id from virtual_devices v where v.twin_id = found.id) as "externalId"
    from found join accounts a on a.id = found.account_id order by found.id`.execute(db)
  return rows
}

/** A state whose values are exported. */
export interface ExportState {
  id: number
  objectId: number
  key: string
  title: string
  unit: string
  decimals: number | null
}

/** The states of devices or twins that the caller may read, by object and id. */
export async function statesOf(
  db: Executor,
  caller: Caller,
  objectIds: readonly number[],
  keys: readonly string[] | undefined,
): Promise<ExportState[]> {
  const { rows } = await sql<ExportState>`
    select s.id, s.twin_id as "objectId", s.key, s.title, s.unit, s.decimals
    from ${viewOf('twins')} t join ${viewOf('states')} s on s.twin_id = t.id
    where t.id = any(${ints(objectIds)}) and ${stateScopes(caller)}
      ${keys === undefined ? sql`` : sql`and s.key = any(${[...keys]}::text[])`}
    order by s.twin_id, s.id`.execute(db)
  return rows
}
