/**
 * The hash that an address with a query before its hash stands for, such as `/?lang=en#/home?tab=a`: the router would
 * take what stands before the hash for the end of what stands in it. Pure.
 * @returns the hash with the query at its end; null when there is no query to move
 */
export function hashWithQuery(search: string, hash: string): string | null {
  const query = search.replace(/^\?/, '')
  if (query === '') return null
  const route = hash.replace(/^#/, '') || '/'
  return `#${route}${route.includes('?') ? '&' : '?'}${query}`
}

// Before the router reads the address for the first time.
if (typeof window !== 'undefined') {
  const hash = hashWithQuery(location.search, location.hash)
  if (hash !== null) history.replaceState(history.state, '', `${location.pathname}${hash}`)
}
