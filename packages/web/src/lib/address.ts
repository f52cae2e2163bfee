/**
 * Moves a query before the hash, as in `/?lang=en#/home?tab=a`, to the end of the hash, where the router
 * expects it. Pure.
 * @returns the hash with the query at its end; null if there is no query to move
 */
export function hashWithQuery(search: string, hash: string): string | null {
  const query = search.replace(/^\?/, '')
  if (query === '') return null
  const route = hash.replace(/^#/, '') || '/'
  return `#${route}${route.includes('?') ? '&' : '?'}${query}`
}

// Runs before the router first reads the address.
if (typeof window !== 'undefined') {
  const hash = hashWithQuery(location.search, location.hash)
  if (hash !== null) history.replaceState(history.state, '', `${location.pathname}${hash}`)
}
