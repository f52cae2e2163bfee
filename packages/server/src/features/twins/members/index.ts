import { memberLimits, type StateQuery } from '@leitstand/contract/states'
import type { Executor } from '../../../platform/db/index.ts'
import { AppError } from '../../../platform/errors.ts'
import type { Caller } from '../../../platform/http/caller.ts'
import { stateScopes, writeScopes } from '../policy.ts'
import { invalid } from '../sources/types.ts'
import { computedFrom } from '../store/links.ts'
import { findObject } from '../store/objects.ts'
import {
  countMatches,
  countQueries,
  dropQuery,
  listQueriesToCopy,
  type OwnedReach,
  openScopes,
  type Reach,
  type StoredQuery,
  type StoredReach,
  saveMembers,
  saveReach,
  scopesBelow,
  setQuerySource,
  type TwinPart,
} from './store.ts'

/** The twin or device of an aggregate. */
interface Owner {
  accountId: number
  scopeId: number
}

/**
 * Stores the query of an aggregate with the states it finds, or deletes it. The caller must hold `lockLinks`.
 * @throws AppError DTWIN_NOT_FOUND, AGGREGATE_LOOP if a state that it finds is computed from the aggregate,
 *   VALIDATION_ERROR with `field`
 */
export async function saveQuery(
  tx: Executor,
  caller: Caller,
  stateId: number,
  owner: Owner,
  query: StateQuery | null,
): Promise<void> {
  await dropQuery(tx, stateId)
  if (query === null) return
  const reach = await reachOf(tx, caller, owner, query)
  if ((await countQueries(tx, owner.accountId)) >= memberLimits.queriesMax)
    throw invalid(
      'sourceSettings.query',
      `An account can have ${memberLimits.queriesMax} aggregates by query`,
    )
  const computed = await computedFrom(tx, stateId)
  computed.delete(stateId)
  const matches = await countMatches(tx, { query, reach }, computed)
  if (matches.total > memberLimits.membersMax)
    throw invalid('sourceSettings.query', `A query can find ${memberLimits.membersMax} states`)
  if (matches.listed > 0) throw new AppError('AGGREGATE_LOOP')
  await saveReach(tx, { stateId, ...(await toStore(tx, owner, reach)) })
  await saveMembers(tx, stateId, { query, reach, without: [stateId] })
}

/** What is stored of a reach. */
export async function toStore(
  db: Executor,
  { accountId, scopeId }: Owner,
  { scopes }: Reach,
): Promise<StoredReach> {
  const below = await scopesBelow(db, scopeId, accountId)
  const closed = (open: readonly number[]) => {
    const known = new Set(open)
    return below.filter((id) => !known.has(id))
  }
  return {
    accountId,
    scopeId,
    closedToTwins: closed(scopes.digitalTwin),
    closedToDevices: closed(scopes.virtualDevice),
  }
}

/** The reach that was stored, as far as it goes now: nowhere, if the twin was moved out of it. */
export async function reachNow(db: Executor, stored: OwnedReach): Promise<Reach> {
  const { accountId, scopeId: rootId, ownScopeId: scopeId } = stored
  const open = (closed: readonly number[]) =>
    stored.ownAccountId === accountId ? openScopes(db, { scopeId, rootId, accountId }, closed) : []
  return {
    accountId,
    scopes: {
      digitalTwin: await open(stored.closedToTwins),
      virtualDevice: await open(stored.closedToDevices),
    },
  }
}

/**
 * How far a query of the caller reaches from a twin.
 * @param options.writable only to what the caller may change
 * @throws AppError DTWIN_NOT_FOUND
 */
export async function reachOf(
  db: Executor,
  caller: Caller,
  { accountId, scopeId }: Owner,
  query: TwinPart,
  { writable = false }: { writable?: boolean } = {},
): Promise<Reach> {
  const visible = stateScopes(caller)
  if (query.twinId !== undefined) {
    const root = await findObject(db, 'digitalTwin', visible.digitalTwin, query.twinId)
    if (root === undefined || root.accountId !== accountId)
      throw new AppError('DTWIN_NOT_FOUND', { id: query.twinId })
  }
  const below = await scopesBelow(db, scopeId, accountId)
  const open = async (category: keyof typeof visible) => {
    const changeable = writable ? new Set(writeScopes(caller, category)) : null
    const known = new Set(visible[category].filter((id) => changeable?.has(id) ?? true))
    const closed = below.filter((id) => !known.has(id))
    return openScopes(db, { scopeId, rootId: scopeId, accountId }, closed)
  }
  return {
    accountId,
    scopes: {
      digitalTwin: await open('digitalTwin'),
      virtualDevice: await open('virtualDevice'),
    },
  }
}

/**
 * Brings the members of an aggregate up to date; states that are computed from it are left out. The caller must hold
 * `lockLinks`.
 * @returns whether any came or went
 */
export async function refreshMembers(tx: Executor, stored: StoredQuery): Promise<boolean> {
  const { stateId, query } = stored
  const reach = await reachNow(tx, stored)
  const without = [...(await computedFrom(tx, stateId))]
  return saveMembers(tx, stateId, { query, reach, without })
}

/** Why a copy of a query is not stored: a loop, a twin out of sight, too many members or queries. */
const unfit: readonly string[] = ['AGGREGATE_LOOP', 'DTWIN_NOT_FOUND', 'VALIDATION_ERROR']

/**
 * Gives the copies of states that are computed from a query the same query, as far as the caller may see; without a source
 * remain those that do not fit (`unfit`). The caller must hold `lockLinks`.
 * @param twinIdOf the twin that takes the place of one the query names
 * @returns the copies that are computed
 */
export async function copyQueries(
  tx: Executor,
  caller: Caller,
  { from, to }: { from: number; to: number },
  { twinIdOf, now }: { twinIdOf: (twinId: number) => Promise<number>; now: Date },
): Promise<number[]> {
  const copied: number[] = []
  for (const { id, settings, ...owner } of await listQueriesToCopy(tx, from, to)) {
    const { twinId, ...others } = settings.query
    const query = twinId === undefined ? others : { ...others, twinId: await twinIdOf(twinId) }
    try {
      await saveQuery(tx, caller, id, owner, query)
    } catch (error) {
      if (!(error instanceof AppError && unfit.includes(error.code))) throw error
      continue
    }
    await setQuerySource(tx, id, { ...settings, query }, now)
    copied.push(id)
  }
  return copied
}
