import type { StateViewFilter } from '@leitstand/contract/views'
import { api, client } from '../../lib/api.ts'
import type { ListParams } from '../../ui/list/types.ts'
import type { SavedKind } from '../groups/index.ts'
import { addressOf, filterOf } from './filters.ts'

/** Search and filter of the list, as they are saved. */
export function savedFilterOf(params: ListParams): StateViewFilter {
  const filter = filterOf(params)
  return { ...(params.search ? { search: params.search } : {}), ...(filter ? { filter } : {}) }
}

/** Saved filters of the overview. */
export const stateFilters: SavedKind<StateViewFilter> = {
  options: () => api.stateView.list.queryOptions({ input: { limit: 200 } }),
  key: () => api.stateView.key(),
  create: (input) => client.stateView.create(input),
  update: (input) => client.stateView.update(input),
  delete: (id) => client.stateView.delete({ id }),
  isSame: (one, other) => plain(one) === plain(other),
  addressOf,
}

const plain = ({ search, filter }: StateViewFilter) => JSON.stringify([search ?? null, filter ?? null])
