import { useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import { api, client } from '../../lib/api.ts'

/** Reloads all twin data after one was created, changed, moved or deleted. */
export function useTwinsChanged(): () => Promise<void> {
  const cache = useQueryClient()
  return useCallback(async () => {
    await cache.invalidateQueries({ queryKey: api.digitaltwin.key() })
  }, [cache])
}

/** Options of a picker of twins, see `EntityPicker`. */
export async function findTwins(search: string): Promise<{ value: string; label: string }[]> {
  const { items } = await client.digitaltwin.list({ limit: 20, ...(search ? { search } : {}) })
  return items.map((twin) => ({ value: String(twin.id), label: twinLabel(twin) }))
}

/** Name of a selected twin in a picker. */
export async function nameTwin(id: string): Promise<string> {
  const twin = await client.digitaltwin.get({ id: Number(id) })
  return twinLabel(twin)
}

function twinLabel(twin: { id: number; title: string; parentTitle: string | null }): string {
  return twin.parentTitle === null
    ? `${twin.title} (${twin.id})`
    : `${twin.title} (${twin.id}) – ${twin.parentTitle}`
}
