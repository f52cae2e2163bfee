import { useEffect } from 'react'

const layers = '[role="dialog"], [role="menu"], [role="listbox"]'

/** Whether the records say that a dialog was removed. */
function dialogGone(records: readonly MutationRecord[]): boolean {
  return records.some(({ removedNodes }) =>
    [...removedNodes].some(
      (node) =>
        node instanceof Element &&
        (node.matches('[role="dialog"]') || node.querySelector('[role="dialog"]') !== null),
    ),
  )
}

/**
 * Gives the focus back to what opened a dialog when that is closed. A dialog does so by itself only if it was on the page
 * before it opened, and if what opened it is still there: the item of a menu is not, so the menu's button takes its place.
 */
export function useFocusReturn(): void {
  useEffect(() => {
    let last: HTMLElement | null = null
    const remember = ({ target }: FocusEvent) => {
      if (target instanceof HTMLElement && !target.closest(layers)) last = target
    }
    const focusMenuButton = ({ target }: MouseEvent) => {
      if (!(target instanceof Element) || !target.closest('[role="menuitem"]')) return
      const menu = target.closest('[role="menu"]')
      if (menu) document.querySelector<HTMLElement>(`[aria-controls="${CSS.escape(menu.id)}"]`)?.focus()
    }
    const removals = new MutationObserver((records) => {
      if (document.activeElement !== document.body || !last?.isConnected) return
      if (dialogGone(records) && !document.querySelector(layers)) last.focus({ preventScroll: true })
    })
    document.addEventListener('focusin', remember)
    document.addEventListener('click', focusMenuButton, true)
    removals.observe(document.body, { childList: true, subtree: true })
    return () => {
      document.removeEventListener('focusin', remember)
      document.removeEventListener('click', focusMenuButton, true)
      removals.disconnect()
    }
  }, [])
}
