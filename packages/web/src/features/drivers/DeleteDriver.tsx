import { List } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { TFunction } from 'i18next'
import { useTranslation } from 'react-i18next'
import * as z from 'zod'
import { api, client } from '../../lib/api.ts'
import { describeError } from '../../lib/errors.ts'
import { ConfirmDanger, ConfirmDialog } from '../../ui/feedback/ConfirmDanger.tsx'
import { ErrorText } from '../../ui/feedback/ErrorText.tsx'
import { Loading } from '../../ui/feedback/Loading.tsx'
import { notifySuccess } from '../../ui/feedback/notify.ts'
import { RouterLink } from '../../ui/page/RouterLink.tsx'
import { type DriverRow, invalidateDrivers } from './queries.ts'

interface DeleteDriverProps {
  driver: Pick<DriverRow, 'id' | 'title' | 'deviceCount'> | undefined
  onClose: () => void
  /** Leaves the page of the deleted driver before other data is read again. */
  onDeleted?: () => Promise<void>
}

/** Deletes a driver after the user types its title; if devices use it, lists and links them instead. */
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
      >
        <UsedBy driverId={driver.id} />
      </ConfirmDialog>
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
        await deleteUnused(driver.id, t)
        notifySuccess(t('drivers.deletedNote', { title: driver.title }))
        await onDeleted?.()
        await invalidateDrivers(cache)
      }}
    />
  )
}

/** Devices named in the dialog; the rest are in the list it links to. */
const namedMax = 10

/** Some of the devices that prevent a driver's deletion. */
function UsedBy({ driverId }: { driverId: number }) {
  const { t } = useTranslation()
  const devices = useQuery(
    api.virtualdevice.list.queryOptions({
      input: { driver_ids: [driverId], limit: namedMax, order_by: 'title' },
    }),
  )
  if (devices.isLoadingError) return <ErrorText error={devices.error} />
  if (!devices.data) return <Loading />
  const { items, total } = devices.data
  return (
    <List size="sm" spacing={6}>
      {items.map(({ id, title }) => (
        <List.Item key={id}>
          <RouterLink to={`/virtual-devices/${id}`}>{title}</RouterLink>
        </List.Item>
      ))}
      {total > items.length ? (
        <List.Item>{t('drivers.inUseMore', { count: total - items.length })}</List.Item>
      ) : null}
    </List>
  )
}

/** The server's error data for a driver in use. */
const InUse = z.object({
  devices: z.int(),
  templates: z.int(),
  examples: z.array(z.object({ title: z.string() })),
})

/** Deletes the driver. If devices were added since, or are only visible to others, the error names them. */
async function deleteUnused(id: number, t: TFunction): Promise<void> {
  try {
    await client.devicedrivers.delete({ id })
  } catch (error) {
    const { code, details } = describeError(error)
    const used = code === 'DEVICEDRIVER_IN_USE' ? InUse.safeParse(details).data : undefined
    if (!used) throw error
    if (used.devices === 0)
      throw new Error(t('drivers.inUseTemplates', { count: used.templates }), { cause: error })
    const names = used.examples.map(({ title }) => title).join(', ')
    throw new Error(
      names === ''
        ? t('drivers.inUseHidden', { count: used.devices })
        : t('drivers.inUseBy', { count: used.devices, names }),
      { cause: error },
    )
  }
}
