import { type ReactNode, useState } from 'react'
import { useLeave } from './useLeave.tsx'

interface TouchedGuardProps {
  onClose: () => void
  /** @param leave closes the dialog, but asks first if something was entered */
  children: (leave: () => void) => ReactNode
}

/** Guards a dialog whose parts keep what is entered themselves: anything typed in it counts. */
export function TouchedGuard({ onClose, children }: TouchedGuardProps) {
  const [touched, setTouched] = useState(false)
  const { close, question } = useLeave(touched, onClose)
  return (
    <>
      <div onInput={() => setTouched(true)}>{children(close)}</div>
      {question}
    </>
  )
}
