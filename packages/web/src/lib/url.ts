import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback } from 'react'

/** Query of an address: strings, repeated names as lists. */
export type UrlSearch = Record<string, string | string[]>

/** `?a=1&b=x&b=y` → `{ a: '1', b: ['x', 'y'] }`. Values stay strings; types are not guessed. */
export function parseSearch(text: string): UrlSearch {
  const result: UrlSearch = {}
  for (const [key, value] of new URLSearchParams(text)) {
    const known = Object.hasOwn(result, key) ? result[key] : undefined
    if (known === undefined) result[key] = value
    else result[key] = Array.isArray(known) ? [...known, value] : [known, value]
  }
  return result
}

/** The reverse of `parseSearch`; empty strings, empty lists and undefined are left out. */
export function stringifySearch(search: Record<string, unknown>): string {
  const params = new URLSearchParams()
  for (const [key, value] of Object.entries(search)) {
    for (const each of Array.isArray(value) ? value : [value]) {
      if (each !== undefined && each !== null && each !== '') params.append(key, String(each))
    }
  }
  const text = params.toString()
  return text ? `?${text}` : ''
}

type Change = Record<string, string | readonly string[] | undefined>

/**
 * The query of the address and a function to change it. A change replaces the history entry unless `push` is
 * set, so that typing a search does not fill the browser history.
 */
export function useUrlSearch(): [UrlSearch, (change: Change, options?: { push?: boolean }) => void] {
  const search = useSearch({ strict: false }) as UrlSearch
  const navigate = useNavigate()
  const update = useCallback(
    (change: Change, options?: { push?: boolean }) => {
      void navigate({
        to: '.',
        search: (current: UrlSearch) => ({ ...current, ...change }),
        replace: options?.push !== true,
        resetScroll: false,
      })
    },
    [navigate],
  )
  return [search, update]
}

/** First value of a name, or undefined. */
export function one(search: UrlSearch, key: string): string | undefined {
  return many(search, key)[0]
}

/** All values of a name. */
export function many(search: UrlSearch, key: string): string[] {
  const value = Object.hasOwn(search, key) ? search[key] : undefined
  return value === undefined ? [] : Array.isArray(value) ? value : [value]
}
