/**
 * Runs `work` for every item, at most `limit` at a time, and returns the results in the order of the items.
 * Throws the first error; items that have not been started by then are skipped.
 */
export async function mapLimited<T, R>(
  items: readonly T[],
  limit: number,
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = new Array(items.length)
  const rest = items.entries()
  const lane = async (): Promise<void> => {
    for (const [index, item] of rest) results[index] = await work(item)
  }
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, lane))
  return results
}
