import type { SmartGroupFilter } from '@leitstand/contract/smartGroups'
import { useMemo, useState } from 'react'
import { parseSearch, stringifySearch } from '../../../lib/url.ts'
import { type ListState, listParams, readListState } from '../../../ui/list/params.ts'
import type { useListState } from '../../../ui/list/state.ts'
import type { ListFilter } from '../../../ui/list/types.ts'
import { filterOf } from '../../devices/index.ts'
import { addressOf } from '../saved.ts'

/** The state of the filter bar that shows a filter; null for one it cannot show, created through the API. */
export function stateOf(filter: SmartGroupFilter, keys: readonly string[]): ListState | null {
  const address = addressOf(filter)
  return address && readListState(parseSearch(stringifySearch(address)), keys, 20)
}

/** The filter that a filter bar shows. */
export function filterIn(state: ListState): SmartGroupFilter {
  const { favorites: _, ...filter } = filterOf(listParams(state, undefined))
  return filter
}

/** A filter bar outside of the address, for forms. */
export function useFilterState(
  filters: readonly ListFilter[],
  initial: SmartGroupFilter,
  onChange: (filter: SmartGroupFilter) => void,
): ReturnType<typeof useListState> {
  const keys = useMemo(() => filters.map(({ key }) => key), [filters])
  const [state, setState] = useState<ListState>(() => stateOf(initial, keys) ?? readListState({}, keys, 20))
  return useMemo(() => {
    const change = (part: Partial<ListState>) => {
      const next = { ...state, ...part }
      setState(next)
      onChange(filterIn(next))
    }
    return {
      state,
      setSearch: (search: string) => change({ search }),
      setPage: () => undefined,
      setSize: () => undefined,
      setSort: () => undefined,
      setAccounts: (accountIds: number[]) => change({ accountIds }),
      setFavorites: () => undefined,
      setFilter: (key: string, values: readonly string[]) =>
        change({ filters: { ...state.filters, [key]: [...values] } }),
      reset: () => change({ search: '', accountIds: [], filters: {} }),
    }
  }, [state, onChange])
}
