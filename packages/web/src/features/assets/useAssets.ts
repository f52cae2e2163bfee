import { useQueryClient } from '@tanstack/react-query'
import { api } from '../../lib/api.ts'
import { reread } from '../../lib/reread.ts'

/** Assets move: what is shown is read again this often. */
export const refreshMs = 10_000

/** Reads everything about assets again. */
export function useRereadAssets(): () => Promise<void> {
  const cache = useQueryClient()
  return () => reread(cache, api.isAssetMgmt.key())
}
