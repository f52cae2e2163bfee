import { many, one, type UrlSearch } from '../../lib/url.ts'
import type { ListParams } from './types.ts'

/** Selectable page sizes. */
export const pageSizes = [10, 20, 50, 100]

/** State of a list, all of it in the address. */
export interface ListState {
  search: string
  page: number
  size: number
  sort: { key: string; descending: boolean } | undefined
  accountIds: number[]
  favorites: boolean
  filters: Record<string, string[]>
}

/** Reads a list's state from the address; invalid values count as absent. */
export function readListState(
  search: UrlSearch,
  filterKeys: readonly string[],
  sizeDefault: number,
): ListState {
  const sort = one(search, 'sort')
  const wantedSize = Number(one(search, 'size'))
  const size = pageSizes.includes(wantedSize) ? wantedSize : sizeDefault
  const page = Math.trunc(Number(one(search, 'page')))
  return {
    search: one(search, 'q') ?? '',
    // The server refuses an offset beyond the safe integers.
    page: page >= 1 && Number.isSafeInteger(page * size) ? page : 1,
    size,
    sort: sort ? { key: sort.replace(/^-/, ''), descending: sort.startsWith('-') } : undefined,
    accountIds: many(search, 'account')
      .map(Number)
      .filter((id) => Number.isInteger(id) && id > 0),
    favorites: one(search, 'favorites') === '1',
    filters: Object.fromEntries(filterKeys.map((key) => [key, many(search, key)])),
  }
}

/** Request parameters from a list's state. */
export function listParams(state: ListState, defaultSort: string | undefined): ListParams {
  const filters: Record<string, readonly string[] | undefined> = {}
  for (const [key, values] of Object.entries(state.filters))
    filters[key] = values.length > 0 ? values : undefined
  return {
    offset: (state.page - 1) * state.size,
    limit: state.size,
    search: state.search.trim() || undefined,
    accountIds: state.accountIds.length > 0 ? state.accountIds : undefined,
    orderBy: state.sort ? `${state.sort.descending ? '-' : ''}${state.sort.key}` : defaultSort,
    favorites: state.favorites,
    filters,
  }
}

/** Whether any filter is active. */
export function isFiltered(state: ListState): boolean {
  return (
    state.search.trim() !== '' ||
    state.accountIds.length > 0 ||
    state.favorites ||
    Object.values(state.filters).some((values) => values.length > 0)
  )
}
