import type { LiveValue } from '@leitstand/contract/live'
import type { State } from '@leitstand/contract/states'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useState } from 'react'
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
  // Values that come before there is something to put them into, the newest of each state.
  const [early] = useState(() => new Map<number, LiveValue>())
  const { data, refetch } = query
  const put = (values: readonly LiveValue[]) => {
    if (values.some(({ stateId }) => !data?.items.some(({ id }) => id === stateId))) void refetch()
    cache.setQueryData(options.queryKey, (before) => {
      if (!before) return before
      const items = withLiveValues(before.items as State[], values)
      return items === before.items ? before : { ...before, items: [...items] }
    })
  }
  useEffect(() => {
    const values = [...early.values()].filter(({ twinId }) => twinId === objectId)
    if (!data || early.size === 0) return
    early.clear()
    if (values.length > 0) put(values)
  })
  useLive(`twin:${objectId}`, (message) => {
    if (message.kind === 'resync') void reread(cache, options.queryKey)
    if (message.kind !== 'values') return
    if (data) put(message.values)
    else for (const value of message.values) early.set(value.stateId, value)
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
