import { type QueryClient, useQuery } from '@tanstack/react-query'

const keyOf = (connectorId: number) => ['freshKey', connectorId] as const
/** How long a key is kept after nobody has looked at it any more. */
const keptMs = 10 * 60_000

/**
 * Keeps the key of a webhook that was just made, which the server shows this once, for the pages that follow: in the
 * memory of this tab alone, until it is reloaded, somebody signs out, or nobody has looked at it for a while.
 */
export function keepFreshKey(cache: QueryClient, connectorId: number, key: string | null): void {
  if (key === null) return
  cache.setQueryDefaults(keyOf(connectorId), { gcTime: keptMs })
  cache.setQueryData(keyOf(connectorId), key)
}

/** The key of a webhook if it was just made here, else null. */
export function useFreshKey(connectorId: number): string | null {
  const { data } = useQuery<string | null>({
    queryKey: keyOf(connectorId),
    queryFn: () => null,
    enabled: false,
    gcTime: keptMs,
  })
  return data ?? null
}
