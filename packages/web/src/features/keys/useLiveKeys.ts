import { useQueryClient } from '@tanstack/react-query'
import { api } from '../../lib/api.ts'
import { useLive } from '../../lib/live.ts'
import { reread } from '../../lib/reread.ts'

/** Reads keys, doors and the log again when a lock is activated, or its answer is known. */
export function useLiveKeys(): void {
  const cache = useQueryClient()
  useLive('activations', (message) => {
    if (message.kind === 'activation' || message.kind === 'resync')
      void reread(cache, api.isfmAccessMgmt.key())
  })
}
