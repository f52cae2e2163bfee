import { Checkbox } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { client } from '../../lib/api.ts'
import { ConfirmDanger } from '../../ui/feedback/ConfirmDanger.tsx'
import { notifySuccess } from '../../ui/feedback/notify.ts'
import { type DeviceRow, invalidateDevices } from './queries.ts'

interface DeleteDeviceProps {
  /** The device to delete; undefined keeps the dialog closed. */
  device: Pick<DeviceRow, 'id' | 'title' | 'remote'> | undefined
  onClose: () => void
  /** Leaves the page of the deleted device before other data is read again. */
  onDeleted?: () => Promise<void>
}

/** Confirms deleting a device; lists what depends on it, and its title must be typed. */
export function DeleteDevice({ device, onClose, onDeleted }: DeleteDeviceProps) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const [remotely, setRemotely] = useState(false)
  const system = device && device.remote !== 'none' ? t(`connectors.preset.${device.remote}.name`) : null
  const close = () => {
    setRemotely(false)
    onClose()
  }
  return (
    <ConfirmDanger
      key={device?.id ?? 'none'}
      opened={device !== undefined}
      onClose={close}
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
        await client.virtualdevice.delete({ id: device.id, delete_remotely: system !== null && remotely })
        notifySuccess(t('devices.deletedNote', { title: device.title }))
        await onDeleted?.()
        await invalidateDevices(cache)
      }}
    >
      {system === null ? null : (
        <Checkbox
          label={t('devices.deleteRemotely', { system })}
          description={t('devices.deleteRemotelyHint')}
          checked={remotely}
          onChange={(event) => setRemotely(event.currentTarget.checked)}
        />
      )}
    </ConfirmDanger>
  )
}
