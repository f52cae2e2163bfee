import type { DeviceFilters } from '@leitstand/contract/virtualdevices'
import type { Executor } from '../../../platform/db/index.ts'
import { AppError } from '../../../platform/errors.ts'
import type { Caller } from '../../../platform/http/caller.ts'
import { narrowedScopes, readScopes, writeScopes } from '../../twins/index.ts'
import type { DeviceFilter } from '../store/page.ts'

/** Input of the list operation and related ones. */
export interface Selection extends DeviceFilters {
  filters?: DeviceFilters | undefined
  user_id?: number | undefined
  scope_ids?: number[] | undefined
  options?: 'no_descendents'[] | undefined
  restricted_query?: boolean | undefined
  /** text that devices must have besides that of the filter */
  within?: string | undefined
}

/**
 * Maps the parameters of the specification to a device filter. A top-level filter overrides the same one in
 * `filters`.
 */
export function filterOf(
  { filters, within, ...beside }: Selection,
  caller: Pick<Caller, 'userId'>,
  now: Date,
): DeviceFilter {
  const given = Object.entries(beside).filter(([, value]) => value !== undefined)
  const asked: DeviceFilters = { ...filters, ...Object.fromEntries(given) }
  const olderMinutes = asked.last_seen_older_minutes
  return {
    search: asked.search_items && {
      items: asked.search_items,
      operator: asked.search_operator ?? 'and',
    },
    accountIds: asked.account_ids,
    connectorIds: asked.connector_ids,
    bridgeTypes: asked.bridge_types,
    driverIds: asked.driver_ids,
    templateIds: asked.template_ids,
    within,
    groups: asked.groups,
    tags: asked.tags,
    zones: asked.zones,
    operationalStatus: asked.operational_status,
    health: asked.health,
    healthCategories: asked.health_categories,
    lastSeenBefore: olderMinutes === undefined ? undefined : new Date(now.getTime() - olderMinutes * 60_000),
    keyValue: asked.key_value,
    referenceId: asked.reference_id,
    parentId: asked.parent_id,
    disabled: asked.disabled,
    ids: asked.ids,
    ...(asked.favorites ? { favoritesOf: caller.userId } : {}),
  }
}

/**
 * The scopes of a query: those the caller may read or, for a restricted query, write.
 * @throws AppError NO_PERMISSION if `user_id` is another user
 */
export async function scopesOf(db: Executor, caller: Caller, asked: Selection): Promise<number[]> {
  if (asked.user_id !== undefined && asked.user_id !== caller.userId)
    throw new AppError('NO_PERMISSION', { subject: 'VirtualDevice', action: 'read' })
  const mine = (asked.restricted_query ? writeScopes : readScopes)(caller, 'virtualDevice')
  return narrowedScopes(db, mine, asked)
}
