import { type QueryClient, useQuery } from '@tanstack/react-query'

const keyOf = (connectorId: number) => ['freshKey', connectorId] as const
/** How long a key is kept after its last use. */
const keptMs = 10 * 60_000

/**
 * Keeps a new webhook key, which the server shows only once, for the following pages: in this tab's memory,
 * until it is reloaded, the user signs out, or the key was not used for a while.
 */
export function keepFreshKey(cache: QueryClient, connectorId: number, key: string | null): void {
  if (key === null) return
  cache.setQueryDefaults(keyOf(connectorId), { gcTime: keptMs })
  cache.setQueryData(keyOf(connectorId), key)
}

/** The key of a webhook if it was created in this session, else null. */
export function useFreshKey(connectorId: number): string | null {
  const { data } = useQuery<string | null>({
    queryKey: keyOf(connectorId),
    queryFn: () => null,
    enabled: false,
    gcTime: keptMs,
  })
  return data ?? null
}
