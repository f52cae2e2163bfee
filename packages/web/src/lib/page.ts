import { useLayoutEffect } from 'react'
import { createStore } from './store.ts'

/** What the screen says about itself beyond its route: title of the thing shown, for breadcrumb and window title. */
export const pageTitleStore = createStore<string | null>(null)

/**
 * Names the thing a screen shows, e.g. the device's title; the toolbar's breadcrumb and the window title follow.
 * @param title null or undefined while it is loading
 */
export function usePageTitle(title: string | null | undefined): void {
  // A screen that is only hidden, while the next one is fetched, has its layout effects undone and no others.
  useLayoutEffect(() => {
    pageTitleStore.set(title ?? null)
    return () => pageTitleStore.set(null)
  }, [title])
}
