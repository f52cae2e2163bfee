/**
 * The bound of an `LRUCache`: so many entries, which take memory as they come. Told its `max`, the cache would reserve
 * room for all of them when it is made; with several hundred thousand entries that is felt at every start.
 */
export const upTo = (entries: number) => ({ maxSize: entries, sizeCalculation: () => 1 })
