import type { State } from '@leitstand/contract/states'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import { api } from '../../../lib/api.ts'
import { useLive } from '../../../lib/live.ts'
import { reread } from '../../../lib/reread.ts'
import { withLiveValues } from './values.ts'

/**
 * States of a twin or device with their current values, updated live.
 * @param objectId id of the twin or virtual device
 */
export function useStates(objectId: number) {
  const cache = useQueryClient()
  const options = api.digitaltwin.states.queryOptions({ input: { id: objectId } })
  const query = useQuery(options)
  useLive(`twin:${objectId}`, (message) => {
    // Until there is something to put values into, they are read.
    if (message.kind === 'resync' || (message.kind === 'values' && !query.data))
      void reread(cache, options.queryKey)
    if (message.kind !== 'values') return
    const unknown = message.values.some(
      (value) => !query.data?.items.some((state) => state.id === value.stateId),
    )
    if (unknown && query.data) void query.refetch()
    cache.setQueryData(options.queryKey, (before) => {
      if (!before) return before
      const items = withLiveValues(before.items as State[], message.values)
      return items === before.items ? before : { ...before, items: [...items] }
    })
  })
  return query
}

/** Reloads an object's states after one was created, changed, reordered or deleted. */
export function useStatesChanged(objectId: number): () => Promise<void> {
  const cache = useQueryClient()
  return useCallback(async () => {
    await Promise.all([
      cache.invalidateQueries({ queryKey: api.digitaltwin.states.key({ input: { id: objectId } }) }),
      cache.invalidateQueries({ queryKey: api.digitaltwin.list.key() }),
      cache.invalidateQueries({ queryKey: api.digitaltwin.get.key({ input: { id: objectId } }) }),
    ])
  }, [cache, objectId])
}
