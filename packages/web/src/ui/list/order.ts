/**
 * A list's order in the operation's format: a sortable column, descending with a leading minus.
 * @returns undefined, the server's default order, for a column that is not sortable (old address)
 */
export function orderOf<Key extends string>(
  orderBy: string | undefined,
  keys: readonly Key[],
): Key | `-${Key}` | undefined {
  const key = keys.find((each) => each === orderBy?.replace(/^-/, ''))
  return key && orderBy?.startsWith('-') ? `-${key}` : key
}
