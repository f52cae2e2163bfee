import { createStore } from './store.ts'

/** The visitor of a public page: the key of its link, and what its password was exchanged for. */
export interface Visitor {
  key: string
  access: string | null
}

/** Set while a public page is open. */
export const visitorStore = createStore<Visitor | null>(null)

/** The token of a visitor for the live connection. */
export function liveTokenOf({ key, access }: Visitor): string {
  return access === null ? key : `${key}~${access}`
}

const framed = /^\/public\/[^/]+\/?$/

/**
 * Whether the page was opened at the address that other web sites may show in a frame. Only public pages are shown
 * there: nobody must be led to click in the console without seeing it.
 */
export function isFramePage(pathname: string): boolean {
  return framed.test(pathname)
}

/** Screens that such a page shows. */
export function isShownInFrame(key: string): boolean {
  return key === 'publicTiles' || key === 'publicMap' || key === 'error'
}
