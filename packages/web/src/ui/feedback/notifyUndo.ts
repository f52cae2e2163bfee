import { createElement } from 'react'
import { notifyError, notifyWith } from './notify.ts'
import { isDialogOpen } from './onTop.ts'
import { UndoMessage } from './UndoMessage.tsx'

/** How long undo is offered. */
const undoMs = 12_000

let endLast: () => void = () => undefined

/**
 * Says that something was changed, and offers to take it back: by a button, and by Ctrl/Cmd+Z where no text
 * field or dialog has that key. Only the last change can be taken back.
 * @param by `button`: the screen handles the key itself
 * @returns withdraws the offer
 */
export function notifyUndo(
  text: string,
  undo: () => unknown,
  by: 'button' | 'button and key' = 'button and key',
): () => void {
  endLast()
  const run = () => {
    end()
    Promise.resolve(undo()).catch((error: unknown) => notifyError(error))
  }
  const onKey = (event: KeyboardEvent) => {
    if (!isUndoKey(event) || isElsewhere(event.target)) return
    event.preventDefault()
    run()
  }
  const close = notifyWith(createElement(UndoMessage, { text, onUndo: run }), undoMs)
  const timer = setTimeout(() => end(), undoMs)
  const end = () => {
    clearTimeout(timer)
    window.removeEventListener('keydown', onKey)
    close()
  }
  if (by === 'button and key') window.addEventListener('keydown', onKey)
  endLast = end
  return end
}

const isUndoKey = ({ ctrlKey, metaKey, shiftKey, key }: KeyboardEvent) =>
  (ctrlKey || metaKey) && !shiftKey && key.toLowerCase() === 'z'

/** Text fields have an undo of their own; a dialog hides what would change. */
export function isElsewhere(target: EventTarget | null): boolean {
  const isText =
    target instanceof HTMLElement && (target.isContentEditable || target.matches('input, textarea, select'))
  return isText || isDialogOpen()
}
