import type { Query, QueryClient, QueryKey } from '@tanstack/react-query'

/** Queries that are read once more after their first answer. */
const awaited = new WeakSet<Query>()

/**
 * Reads queries again after a change was announced. One whose first answer is still on its way is read once more when it is
 * there: the answer may be older than the change, and `invalidateQueries` alone would not start a second one.
 */
export async function reread(cache: QueryClient, queryKey: QueryKey): Promise<void> {
  const first = cache
    .getQueryCache()
    .findAll({ queryKey, fetchStatus: 'fetching' })
    .filter((query) => query.state.data === undefined && !awaited.has(query))
  const answers = first.map((query) => {
    awaited.add(query)
    return query.promise
  })
  await cache.invalidateQueries({ queryKey })
  await Promise.all(
    first.map(async (query, index) => {
      // Whether it failed is shown where it is used.
      await Promise.allSettled([answers[index]])
      awaited.delete(query)
      await cache.invalidateQueries({ queryKey: query.queryKey, exact: true })
    }),
  )
}
