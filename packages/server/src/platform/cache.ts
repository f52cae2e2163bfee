/**
 * Limits an `LRUCache` to this many entries and allocates memory as they are added. With `max`, the cache
 * would allocate room for all of them up front, which slows every start when there are several hundred
 * thousand.
 */
export const upTo = (entries: number) => ({ maxSize: entries, sizeCalculation: () => 1 })
