/**
 * The order of a list as an operation takes it: a column it can sort by, descending with a leading minus.
 * @returns undefined, the server's own order, for a column of an old address that it cannot sort by
 */
export function orderOf<Key extends string>(
  orderBy: string | undefined,
  keys: readonly Key[],
): Key | `-${Key}` | undefined {
  const key = keys.find((each) => each === orderBy?.replace(/^-/, ''))
  return key && orderBy?.startsWith('-') ? `-${key}` : key
}
