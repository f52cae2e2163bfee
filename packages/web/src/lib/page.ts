import { useLayoutEffect } from 'react'
import { createStore } from './store.ts'

/** The title of the object a screen shows, for breadcrumb and window title. */
export const pageTitleStore = createStore<string | null>(null)

/**
 * Sets the title of the object a screen shows, e.g. the device's title, for the breadcrumb and the window
 * title.
 * @param title null or undefined while loading
 */
export function usePageTitle(title: string | null | undefined): void {
  // While the next screen loads, the hidden one only has its layout effects cleaned up, no others.
  useLayoutEffect(() => {
    pageTitleStore.set(title ?? null)
    return () => pageTitleStore.set(null)
  }, [title])
}
