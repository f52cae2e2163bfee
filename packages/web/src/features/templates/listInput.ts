import { eitherOf, idsOf } from '../../ui/list/filterValues.ts'
import { orderOf } from '../../ui/list/order.ts'
import type { ListParams } from '../../ui/list/types.ts'

const orderKeys = ['title', 'driver', 'account', 'updatedAt', 'createdAt', 'id'] as const

/** Input of the list operation; invalid values from an old link are dropped. */
export function listInput(params: ListParams) {
  return {
    offset: params.offset,
    limit: params.limit,
    search: params.search,
    accountIds: params.accountIds,
    driverIds: idsOf(params.filters.driver),
    productive: eitherOf(params.filters.stage, 'productive', 'draft'),
    orderBy: orderOf(params.orderBy, orderKeys),
  }
}
