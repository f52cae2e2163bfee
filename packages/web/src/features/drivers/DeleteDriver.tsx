import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { client } from '../../lib/api.ts'
import { ConfirmDanger, ConfirmDialog } from '../../ui/ConfirmDanger.tsx'
import { notifySuccess } from '../../ui/notify.ts'
import { type DriverRow, invalidateDrivers } from './queries.ts'

interface DeleteDriverProps {
  driver: DriverRow | undefined
  onClose: () => void
  /** Leaves the page of what is gone, before everything else is read again. */
  onDeleted?: () => Promise<void>
}

/** Deletes a driver after its title was typed; while devices use it, says so and leads to them. */
export function DeleteDriver({ driver, onClose, onDeleted }: DeleteDriverProps) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const navigate = useNavigate()
  if (driver && driver.deviceCount > 0) {
    return (
      <ConfirmDialog
        opened
        title={t('drivers.inUseTitle')}
        text={t('drivers.inUseText', { count: driver.deviceCount, title: driver.title })}
        confirmLabel={t('drivers.showDevices')}
        cancelLabel={t('common.close')}
        onCancel={onClose}
        onConfirm={() => {
          onClose()
          void navigate({ to: '/virtual-devices', search: { driver: String(driver.id) } })
        }}
      />
    )
  }
  return (
    <ConfirmDanger
      key={driver?.id ?? 'none'}
      opened={driver !== undefined}
      onClose={onClose}
      title={t('drivers.deleteTitle', { title: driver?.title ?? '' })}
      text={t('drivers.deleteText')}
      confirmLabel={t('drivers.delete')}
      {...(driver ? { typeToConfirm: driver.title } : {})}
      onConfirm={async () => {
        if (!driver) return
        await client.devicedrivers.delete({ id: driver.id })
        notifySuccess(t('drivers.deletedNote', { title: driver.title }))
        await onDeleted?.()
        await invalidateDrivers(cache)
      }}
    />
  )
}
