import { parseSearch, type UrlSearch } from '../../lib/url.ts'

/** Splits `/path?a=1&b=2` into the router's parameters; repeated names become lists. */
export function toLocation(to: string): { to: string; search: UrlSearch } {
  const at = to.indexOf('?')
  return at < 0
    ? { to: to || '/', search: {} }
    : { to: to.slice(0, at) || '/', search: parseSearch(to.slice(at + 1)) }
}
