import type { TwinFilters } from '@leitstand/contract/twins'
import type { Executor } from '../../platform/db/index.ts'
import { AppError } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { listScopes, readScopes, stateScopes } from './policy.ts'
import { listTwinIds, loadTwinDetails, loadTwinSummaries, narrowedScopes } from './store/twins.list.ts'

interface ListInput extends TwinFilters {
  offset: number
  limit: number
  orderBy: string
  order_by?: string | undefined
  ids?: number[] | undefined
  belowId?: number | undefined
  favorites: boolean
  search_items?: string[] | undefined
  filters?: TwinFilters | undefined
  user_id?: number | undefined
  scope_ids?: number[] | undefined
  options?: 'no_descendents'[] | undefined
  include_identifiers: boolean
  include_properties: boolean
}

/**
 * One page of twins. A filter given directly overrides the same one in `filters`.
 * @throws AppError NO_PERMISSION if `user_id` is another user
 */
export async function listTwins(db: Executor, caller: Caller, input: ListInput) {
  if (input.user_id !== undefined && input.user_id !== caller.userId)
    throw new AppError('NO_PERMISSION', { subject: 'DigitalTwin', action: 'read' })
  const { offset, limit } = input
  const scopeIds = await narrowedScopes(db, listScopes(caller), input)
  const given = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined))
  const filter = {
    ...input.filters,
    ...given,
    searchItems: input.search_items,
    ...(input.favorites ? { favoritesOf: caller.userId } : {}),
  }
  const orderBy = input.order_by ?? input.orderBy
  const { ids, total } = await listTwinIds(db, scopeIds, filter, { offset, limit, orderBy })
  const rows = await loadTwinSummaries(
    db,
    { twins: listScopes(caller), states: stateScopes(caller).digitalTwin },
    ids,
  )
  return { items: await withDetails(db, caller, input, rows), total, offset, limit }
}

/** Adds what was asked for; twins the caller may only list are left as they are. */
async function withDetails<T extends { id: number }>(
  db: Executor,
  caller: Caller,
  wanted: Pick<ListInput, 'include_identifiers' | 'include_properties'>,
  rows: readonly T[],
) {
  if (!wanted.include_identifiers && !wanted.include_properties) return [...rows]
  const found = await loadTwinDetails(
    db,
    readScopes(caller, 'digitalTwin'),
    rows.map(({ id }) => id),
  )
  return rows.map((row) => {
    const { referenceIds, ...properties } = found.get(row.id) ?? {}
    return {
      ...row,
      ...(wanted.include_identifiers ? { referenceIds } : {}),
      ...(wanted.include_properties ? properties : {}),
    }
  })
}
