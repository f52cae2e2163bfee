import { useQuery } from '@tanstack/react-query'
import { api } from '../../lib/api.ts'
import { one, useUrlSearch } from '../../lib/url.ts'
import { useHistoryAddress } from '../twins/index.ts'

/** The state whose history is open (`?values=12`). Loaded separately: it may be on another page of the list. */
export function useShownState() {
  const [search] = useUrlSearch()
  const wanted = one(search, 'values') ?? ''
  const id = /^[1-9]\d{0,8}$/.test(wanted) ? Number(wanted) : undefined
  const { data } = useQuery({
    ...api.stateOverview.fetch.queryOptions({
      input: { filter: { attribute: 'stateId', operator: 'equals', value: id ?? 1 }, limit: 1 },
    }),
    enabled: id !== undefined,
  })
  return useHistoryAddress(id === undefined ? undefined : data?.items)
}
