import { useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { client } from '../../lib/api.ts'
import { ConfirmDanger } from '../../ui/ConfirmDanger.tsx'
import { notifySuccess } from '../../ui/notify.ts'
import { invalidateDevices } from './queries.ts'

interface DeleteDeviceProps {
  /** The device to delete; undefined keeps the dialog closed. */
  device: { id: number; title: string } | undefined
  onClose: () => void
  /** Leaves the page of what is gone, before everything else is read again. */
  onDeleted?: () => Promise<void>
}

/** Asks before a device is deleted, with what hangs on it; its title must be typed. */
export function DeleteDevice({ device, onClose, onDeleted }: DeleteDeviceProps) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  return (
    <ConfirmDanger
      key={device?.id ?? 'none'}
      opened={device !== undefined}
      onClose={onClose}
      title={t('devices.deleteTitle', { title: device?.title ?? '' })}
      text={t('devices.deleteText')}
      confirmLabel={t('devices.delete')}
      {...(device
        ? {
            typeToConfirm: device.title,
            dependencies: {
              key: ['virtualDevice', device.id],
              load: () => client.virtualdevice.dependencies({ id: device.id }),
            },
          }
        : {})}
      onConfirm={async () => {
        if (!device) return
        await client.virtualdevice.delete({ id: device.id })
        notifySuccess(t('devices.deletedNote', { title: device.title }))
        await onDeleted?.()
        await invalidateDevices(cache)
      }}
    />
  )
}
