import { Modal, type ModalProps } from '@mantine/core'
import { useRef } from 'react'
import { LeaveContext } from './useLeave.tsx'

/**
 * A dialog around a form that uses `useLeave` or `useDialogForm`: Escape, the cross and a click beside ask
 * before input is lost, like the form's own "Cancel".
 */
export function FormModal({ onClose, children, ...props }: ModalProps) {
  const close = useRef<(() => void) | null>(null)
  return (
    <Modal {...props} onClose={() => (close.current ?? onClose)()}>
      <LeaveContext value={close}>{children}</LeaveContext>
    </Modal>
  )
}
