/**
 * Runs `work` for every item, at most `limit` at a time, and answers the results in the order of the items.
 * The first failure is thrown; items not begun by then are not begun.
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
