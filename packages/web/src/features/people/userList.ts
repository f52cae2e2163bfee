import type { TFunction } from 'i18next'
import { roleText } from '../../ui/accounts/roleText.ts'
import { eitherOf } from '../../ui/list/filterValues.ts'
import { orderOf } from '../../ui/list/order.ts'
import type { ListParams } from '../../ui/list/types.ts'
import type { UserRow } from './queries.ts'

const orderKeys = ['username', 'email', 'lastName', 'lastLoginAt'] as const

/** Input of the list operation; invalid values from an old link are dropped. */
export function listInput(params: ListParams, accountId: number) {
  return {
    offset: params.offset,
    limit: params.limit,
    search: params.search,
    accountIds: [accountId],
    active: eitherOf(params.filters.state, 'active', 'inactive'),
    subAccounts: params.filters.include?.includes('sub') ?? false,
    parentAdmins: params.filters.include?.includes('parent') ?? false,
    orderBy: orderOf(params.orderBy, orderKeys),
  }
}

export function rolesText(t: TFunction, { roles }: Pick<UserRow, 'roles'>): string {
  return roles.map((role) => roleText(t, role)).join(', ')
}

export function stateOf(
  row: Pick<UserRow, 'active' | 'invited' | 'lockedUntil'>,
  nowMs: number,
): 'active' | 'inactive' | 'invited' | 'locked' {
  if (!row.active) return 'inactive'
  if (row.invited) return 'invited'
  return row.lockedUntil !== null && Date.parse(row.lockedUntil) > nowMs ? 'locked' : 'active'
}
