import { libraryCategories, libraryStates } from '@leitstand/contract/driverLibrary'
import { knownOf } from '../../../ui/list/filterValues.ts'
import type { ListParams } from '../../../ui/list/types.ts'

/** Input of the list operation; invalid values from an old link are dropped. */
export function listInput(params: ListParams) {
  const orders = ['title', '-title', 'manufacturer', '-manufacturer'] as const
  return {
    offset: params.offset,
    limit: params.limit,
    search: params.search,
    manufacturers: params.filters.maker ? [...params.filters.maker] : undefined,
    categories: knownOf(libraryCategories, params.filters.category),
    states: knownOf(libraryStates, params.filters.state),
    orderBy: orders.find((order) => order === params.orderBy),
  }
}
