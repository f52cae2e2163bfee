import { useTranslation } from 'react-i18next'
import { ConfirmDialog } from '../feedback/ConfirmDanger.tsx'

/**
 * Asks before unsaved changes are lost.
 *
 * Mounted only while open: otherwise the Escape key that opened it would close it again immediately.
 */
export function LeaveQuestion(props: { asking: boolean; onStay: () => void; onLeave: () => void }) {
  const { t } = useTranslation()
  if (!props.asking) return null
  return (
    <ConfirmDialog
      opened
      title={t('form.leaveTitle')}
      text={t('form.leaveText')}
      confirmLabel={t('form.leave')}
      cancelLabel={t('form.stay')}
      danger
      onCancel={props.onStay}
      onConfirm={props.onLeave}
    />
  )
}
