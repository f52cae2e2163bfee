import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { client } from '../../../lib/api.ts'
import { ConfirmDialog } from '../../../ui/feedback/ConfirmDanger.tsx'
import { notifyError, notifySuccess } from '../../../ui/feedback/notify.ts'
import { type Driver, invalidateDrivers } from '../queries.ts'

interface PublishDialogProps {
  driver: Driver
  /** null: closed */
  number: number | null
  onClose: () => void
}

/** Asks before a version is used for live traffic. */
export function PublishDialog({ driver, number, onClose }: PublishDialogProps) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const [busy, setBusy] = useState(false)
  const publish = async (wanted: number) => {
    setBusy(true)
    try {
      await client.devicedrivers.publish({ id: driver.id, number: wanted })
      notifySuccess(t('drivers.publishedNote', { number: wanted }))
      onClose()
    } catch (error) {
      notifyError(error)
    } finally {
      setBusy(false)
      await invalidateDrivers(cache)
    }
  }
  return (
    <ConfirmDialog
      opened={number !== null}
      title={t('drivers.versions.publishTitle', { number: number ?? 0 })}
      text={t('drivers.versions.publishText', { count: driver.deviceCount })}
      confirmLabel={t('drivers.versions.publish')}
      onCancel={onClose}
      onConfirm={() => (number === null ? undefined : void publish(number))}
      busy={busy}
    />
  )
}
