import { type RefCallback, useCallback } from 'react'

/**
 * Marks a box whose table is wider than itself (`data-cut`), so that what is pinned at its end is set off. Observed, because
 * measuring would lay out the page while it is rendered.
 */
export function useCutOff(): RefCallback<HTMLDivElement> {
  return useCallback((box) => {
    const table = box?.firstElementChild
    if (!box || !table) return undefined
    const observer = new ResizeObserver(() =>
      box.toggleAttribute('data-cut', table.clientWidth > box.clientWidth),
    )
    observer.observe(box)
    observer.observe(table)
    return () => observer.disconnect()
  }, [])
}
