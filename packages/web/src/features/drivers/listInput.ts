import { eitherOf } from '../../ui/list/filterValues.ts'
import { orderOf } from '../../ui/list/order.ts'
import type { ListParams } from '../../ui/list/types.ts'

const orderKeys = ['title', 'manufacturer', 'updatedAt', 'deviceCount'] as const

/** Input of the list operation; invalid values from an old link are dropped. */
export function listInput(params: ListParams) {
  return {
    offset: params.offset,
    limit: params.limit,
    search: params.search,
    accountIds: params.accountIds,
    manufacturers: params.filters.maker ? [...params.filters.maker] : undefined,
    delivered: eitherOf(params.filters.origin, 'delivered', 'own'),
    outdated: params.filters.acceptance?.[0] === 'outdated' ? true : undefined,
    orderBy: orderOf(params.orderBy, orderKeys),
  }
}
