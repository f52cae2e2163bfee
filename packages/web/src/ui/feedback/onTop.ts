import { useCallback, useEffect, useRef } from 'react'

/** Open dialogs, the last one on top. */
const open: object[] = []

/** When a dialog was last closed, as in `Event.timeStamp`. */
let closedAt = 0

/** Whether a dialog covers the page, whose shortcuts then rest. */
export function isDialogOpen(): boolean {
  return document.querySelector('[role="dialog"][aria-modal="true"]') !== null
}

/**
 * Registers a dialog while it is open.
 * @returns whether it is on top of all others, for the event being handled
 */
export function useOnTop(opened: boolean): () => boolean {
  const self = useRef({})
  useEffect(() => {
    if (!opened) return undefined
    const { current } = self
    open.push(current)
    return () => {
      open.splice(open.indexOf(current), 1)
      closedAt = performance.now()
    }
  }, [opened])
  return useCallback(() => {
    // The key that closed the dialog above must not close this one.
    const isSameEvent = window.event !== undefined && window.event.timeStamp <= closedAt
    return open.at(-1) === self.current && !isSameEvent
  }, [])
}
