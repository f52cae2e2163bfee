import type { TwinFilters } from '@leitstand/contract/twins'
import { api, client } from '../../lib/api.ts'
import { listedMax, type SavedKind } from './kinds.ts'
import { twinAddressOf } from './twinAddress.ts'

/** Saved filters of the list of twins. */
export const twinFilters: SavedKind<TwinFilters> = {
  options: () => api.twinView.list.queryOptions({ input: { limit: listedMax } }),
  key: () => api.twinView.key(),
  create: (input) => client.twinView.create(input),
  update: (input) => client.twinView.update(input),
  delete: (id) => client.twinView.delete({ id }),
  isSame: (one, other) => plain(one) === plain(other),
  addressOf: twinAddressOf,
}

/** The order of the selected values does not matter. */
function plain(filter: TwinFilters): string {
  const entries = Object.entries(filter)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => [key, Array.isArray(value) ? value.map(String).toSorted() : value])
  return JSON.stringify(entries.toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1)))
}
