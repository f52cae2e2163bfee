import { useMemo } from 'react'
import { defaultPageSize } from '../../lib/pageSize.ts'
import { useUserDefaults } from '../../lib/session.ts'
import { useUrlSearch } from '../../lib/url.ts'
import { pageSizes, readListState } from './params.ts'
import type { ListFilter } from './types.ts'

/**
 * The list's state with functions to change it. Every change except paging and sorting resets to the first
 * page.
 */
export function useListState(filters: readonly ListFilter[], rows = defaultPageSize) {
  const [search, update] = useUrlSearch()
  const defaults = useUserDefaults()
  const sizeDefault =
    defaults.pagination !== undefined && pageSizes.includes(defaults.pagination) ? defaults.pagination : rows
  const keys = filters.map((filter) => filter.key).join(' ')
  const filterKeys = useMemo(() => (keys === '' ? [] : keys.split(' ')), [keys])
  const state = useMemo(
    () => readListState(search, filterKeys, sizeDefault),
    [search, filterKeys, sizeDefault],
  )
  return useMemo(
    () => ({
      state,
      setSearch: (q: string) => update({ q: q || undefined, page: undefined }),
      setPage: (page: number) => update({ page: page > 1 ? String(page) : undefined }, { push: true }),
      setSize: (size: number) =>
        update({ size: size === sizeDefault ? undefined : String(size), page: undefined }),
      setSort: (key: string, descending: boolean) =>
        update({ sort: `${descending ? '-' : ''}${key}`, page: undefined }),
      setAccounts: (ids: number[]) => update({ account: ids.map(String), page: undefined }),
      setFavorites: (on: boolean) => update({ favorites: on ? '1' : undefined, page: undefined }),
      setFilter: (key: string, values: readonly string[]) => update({ [key]: values, page: undefined }),
      reset: () =>
        update({
          q: undefined,
          page: undefined,
          account: undefined,
          favorites: undefined,
          ...Object.fromEntries(filterKeys.map((key) => [key, undefined])),
        }),
    }),
    [state, update, sizeDefault, filterKeys],
  )
}
