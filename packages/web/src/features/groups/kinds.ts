import type { DeviceFilters } from '@leitstand/contract/virtualdevices'
import { api, client } from '../../lib/api.ts'
import { addressOf, isSameFilter } from './saved.ts'

/** A saved filter. */
export interface SavedView<Filter extends object> {
  id: number
  title: string
  filter: Filter
  shared: boolean
  own: boolean
  ownerName: string
  updatedAt: string
  version: number
}

interface Written<Filter extends object> {
  title: string
  filter: Filter
  shared?: boolean | undefined
}

/** A list whose filters can be saved. Methods, so that parts for every list take each of them. */
export interface SavedKind<Filter extends object> {
  /** query options of the saved filters, at most a hundred */
  options(): object
  key(): readonly unknown[]
  create(input: Written<Filter>): Promise<unknown>
  update(input: Written<Filter> & { id: number; version: number }): Promise<unknown>
  delete(id: number): Promise<unknown>
  isSame(one: Filter, other: Filter): boolean
  /** Changes the address so that the filter replaces the current one; null if the list cannot show it. */
  addressOf(filter: Filter): Record<string, string | string[] | undefined> | null
}

/** Filters shown; a user may save as many (`viewsMax` of the contract, whose schemas are not part of this screen). */
export const listedMax = 200

export const deviceFilters: SavedKind<DeviceFilters> = {
  options: () => api.view.list.queryOptions({ input: { limit: listedMax } }),
  key: () => api.view.key(),
  create: (input) => client.view.create(input),
  update: (input) => client.view.update(input),
  delete: (id) => client.view.delete({ id }),
  isSame: isSameFilter,
  addressOf,
}
