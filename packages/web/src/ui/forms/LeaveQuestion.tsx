import { useTranslation } from 'react-i18next'
import { ConfirmDialog } from '../feedback/ConfirmDanger.tsx'

/**
 * Asks before unsaved changes are lost.
 *
 * It is mounted only while it asks: an Escape that opened it would otherwise close it again at once.
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
      onCancel={props.onStay}
      onConfirm={props.onLeave}
    />
  )
}
