/** Pure. A call whose answers count only while no newer one was begun: else they are undefined. */
export function newestOnly<T>(call: () => Promise<T>): () => Promise<T | undefined> {
  let newest = 0
  return async () => {
    const own = ++newest
    const answer = await call()
    return own === newest ? answer : undefined
  }
}
