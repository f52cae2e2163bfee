import type { Query, QueryClient } from '@tanstack/react-query'
import { isReachable } from './onDemand.ts'

/**
 * Asks again for everything on the screen that has no data yet. Where no data is missing, it is code, which the browser
 * asks for again only with the page.
 */
export async function retryMissing(cache: QueryClient, reload = reloadPage): Promise<void> {
  const missing = { type: 'active' as const, predicate: (query: Query) => query.state.data === undefined }
  if (cache.getQueryCache().findAll(missing).length === 0) {
    await reload()
    return
  }
  // Requests that hang would only be joined.
  await cache.cancelQueries(missing)
  await cache.refetchQueries(missing)
}

/** Not without a network: the browser would show its own error page. */
async function reloadPage(): Promise<void> {
  if (await isReachable()) location.reload()
}
