/** Topic rules of MQTT 3.1.1, section 4.7. Topics that start with `$` belong to the broker and match no wildcard. */

/** Whether a filter (with `+` and `#`, or shared among several clients) matches a topic. */
export function matchesFilter(filter: string, topic: string): boolean {
  if (filter === topic) return true
  const shared = filter.startsWith('$') ? /^\$share\/[^/]+\/(.+)$/.exec(filter)?.[1] : undefined
  if (shared !== undefined) return matchesFilter(shared, topic)
  if (topic.startsWith('$') && !filter.startsWith('$')) return false
  const wanted = filter.split('/')
  const levels = topic.split('/')
  for (const [index, level] of wanted.entries()) {
    if (level === '#') return true
    if (index >= levels.length) return false
    if (level !== '+' && level !== levels[index]) return false
  }
  return wanted.length === levels.length
}

/**
 * Whether `outer` matches every topic that `inner` matches; decides whether a subscription with wildcards is
 * covered by a right.
 */
export function coversFilter(outer: string, inner: string): boolean {
  if (inner.startsWith('$') && !outer.startsWith('$')) return false
  const wide = outer.split('/')
  const narrow = inner.split('/')
  for (const [index, level] of wide.entries()) {
    if (level === '#') return true
    const other = narrow[index]
    // `a/#` also matches `a`, which no filter of fixed length does
    if (other === undefined || other === '#') return false
    if (level !== '+' && level !== other) return false
  }
  return wide.length === narrow.length
}

/** Replaces `{username}` in the filters of a right with the user name. */
export function forUser(filters: readonly string[], username: string): string[] {
  return filters.map((filter) => filter.replaceAll('{username}', username))
}

/** The last level of a topic; often the name of the device. */
export function lastLevel(topic: string): string {
  return topic.slice(topic.lastIndexOf('/') + 1)
}
