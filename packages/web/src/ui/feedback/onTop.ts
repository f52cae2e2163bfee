import { useCallback, useEffect, useRef } from 'react'

/** Open dialogs, the last one on top. */
const open: object[] = []

/** Whether a dialog covers the page, whose shortcuts then rest. */
export function isDialogOpen(): boolean {
  return document.querySelector('[role="dialog"][aria-modal="true"]') !== null
}

/**
 * Registers a dialog while it is open.
 * @returns whether it is on top of all others
 */
export function useOnTop(opened: boolean): () => boolean {
  const self = useRef({})
  useEffect(() => {
    if (!opened) return undefined
    const { current } = self
    open.push(current)
    // Later: the key that closed this dialog must not close the one below.
    return () => void setTimeout(() => open.splice(open.indexOf(current), 1))
  }, [opened])
  return useCallback(() => open.at(-1) === self.current, [])
}
