/** Calls within this time share a request. */
const gatherMs = 10

/**
 * Makes one request of many look-ups, e.g. one by each row of a list.
 * @param ask answers for at most `most` ids; ids that are missing in its answer have no value
 */
export function gathered<T>(
  ask: (ids: number[]) => Promise<ReadonlyMap<number, T>>,
  most: number,
): (id: number) => Promise<T | null> {
  let waiting = new Map<number, PromiseWithResolvers<T | null>>()
  const send = async (asked: ReadonlyMap<number, PromiseWithResolvers<T | null>>) => {
    try {
      const found = await ask([...asked.keys()])
      for (const [id, { resolve }] of asked) resolve(found.get(id) ?? null)
    } catch (error) {
      for (const { reject } of asked.values()) reject(error)
    }
  }
  const flush = () => {
    const all = [...waiting]
    waiting = new Map()
    for (let at = 0; at < all.length; at += most) void send(new Map(all.slice(at, at + most)))
  }
  return (id) => {
    if (waiting.size === 0) setTimeout(flush, gatherMs)
    const known = waiting.get(id) ?? Promise.withResolvers<T | null>()
    waiting.set(id, known)
    return known.promise
  }
}
