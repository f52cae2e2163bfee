import { useBlocker } from '@tanstack/react-router'
import { createContext, type ReactNode, type RefObject, useContext, useEffect, useState } from 'react'
import { useOnTop } from '../feedback/onTop.ts'
import { LeaveQuestion } from './LeaveQuestion.tsx'
import { leavesForm } from './leaving.ts'

/**
 * Asks before unsaved input is lost by a navigation: a link, the browser's back button, a typed address, or
 * closing the browser tab. Returns the dialog to render.
 */
export function useUnsavedGuard(dirty: boolean, acrossTabs = false): ReactNode {
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => dirty && leavesForm(current, next, acrossTabs),
    enableBeforeUnload: dirty,
    withResolver: true,
  })
  useEffect(() => {
    if (!dirty && blocker.status === 'blocked') blocker.proceed()
  }, [dirty, blocker])
  return (
    <LeaveQuestion
      asking={dirty && blocker.status === 'blocked'}
      onStay={() => blocker.reset?.()}
      onLeave={() => blocker.proceed?.()}
    />
  )
}

/** Where the form in a `FormModal` puts what closes it. */
export const LeaveContext = createContext<RefObject<(() => void) | null> | null>(null)

/**
 * For forms that can be closed (dialogs, sheets, wizards): `close` asks if something was entered. Give it to
 * the dialog's `onClose` (Escape, click beside, the cross) and to "Cancel". `question` goes into the form; it
 * guards navigation as well.
 */
export function useLeave(dirty: boolean, onLeave: () => void): { close: () => void; question: ReactNode } {
  const [asking, setAsking] = useState(false)
  const [left, setLeft] = useState(false)
  const isOnTop = useOnTop(true)
  const guard = useUnsavedGuard(dirty && !left)
  const leave = () => {
    setAsking(false)
    setLeft(true)
    onLeave()
  }
  const close = () => {
    // Escape closes the dialog above this one; the key reaches both.
    if (!isOnTop()) return
    if (dirty) setAsking(true)
    else leave()
  }
  const around = useContext(LeaveContext)
  useEffect(() => {
    if (!around) return undefined
    around.current = close
    return () => {
      around.current = null
    }
  })
  return {
    close,
    question: (
      <>
        {guard}
        <LeaveQuestion asking={asking} onStay={() => setAsking(false)} onLeave={leave} />
      </>
    ),
  }
}

/** Whether the values differ from those of the first render. */
export function useChanged(values: unknown): boolean {
  const now = JSON.stringify(values)
  const [start] = useState(now)
  return now !== start
}
