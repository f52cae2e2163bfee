import type { RouterHistory } from '@tanstack/react-router'

/**
 * An address typed by hand makes a history entry without the position that the router's own entries have. With
 * it, leaving a form by such an address can be refused, which goes back to the entry before.
 *
 * Call it before the router's history is created: listeners of a window are called in the order they were added.
 * @returns to be called when the router has followed the address, or has refused it
 */
export function placeTypedAddresses(
  page: Window,
  historyOf: () => Pick<RouterHistory, 'location'>,
): () => void {
  // While a question about leaving is open, the page shows an entry that the router is not at.
  let shown: number | undefined
  page.addEventListener('popstate', () => {
    const known: unknown = page.history.state?.__TSR_index
    shown = typeof known === 'number' ? known : (shown ?? historyOf().location.state.__TSR_index) + 1
    if (shown === known) return
    const key = crypto.randomUUID()
    // Not the router's replacement of the function, which would navigate.
    History.prototype.replaceState.call(page.history, { __TSR_index: shown, __TSR_key: key, key }, '')
  })
  return () => {
    shown = undefined
  }
}
