import { connectorKinds } from '@leitstand/contract/bridge'
import { knownOf } from '../../ui/list/filterValues.ts'
import { orderOf } from '../../ui/list/order.ts'
import type { ListParams } from '../../ui/list/types.ts'

const orderKeys = ['name', 'kind', 'state', 'createdAt'] as const

/** Input of the list operation; invalid values from an old link are dropped. */
export function listInput(params: ListParams) {
  return {
    offset: params.offset,
    limit: params.limit,
    search: params.search,
    accountIds: params.accountIds,
    kinds: knownOf(connectorKinds, params.filters.kind),
    orderBy: orderOf(params.orderBy, orderKeys),
  }
}
