import type { Setup } from '@leitstand/contract/setup'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api, client } from '../../lib/api.ts'
import { notifyError } from '../../ui/feedback/notify.ts'

/** Others set up the installation, too. */
const refreshMs = 30_000

/** The guide as it is now, and what changes it. Read again with each visit: steps are also done on other screens. */
export function useSetup() {
  const cache = useQueryClient()
  const query = useQuery(api.setup.get.queryOptions({ refetchInterval: refreshMs, staleTime: 0 }))
  const change = useMutation({
    mutationFn: (input: Parameters<typeof client.setup.change>[0]) => client.setup.change(input),
    onSuccess: (setup: Setup) => cache.setQueryData(api.setup.get.queryKey(), setup),
    onError: (error) => notifyError(error),
  })
  /** Reads it again after a step was done. */
  const refresh = () => cache.invalidateQueries({ queryKey: api.setup.key() })
  return { query, change, refresh }
}
