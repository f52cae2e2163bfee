import type { QueryClient } from '@tanstack/react-query'
import type { TFunction } from 'i18next'
import { client } from '../../lib/api.ts'
import { notifyError, notifySuccess } from '../../ui/feedback/notify.ts'
import { invalidateDevices } from './queries.ts'

/** Disables (or enables) devices of a list page, all or none. */
export async function setDisabled(
  devices: readonly { id: number }[],
  disabled: boolean,
  cache: QueryClient,
  t: TFunction,
): Promise<void> {
  try {
    await client.bulk.update({ ids: devices.map(({ id }) => id), changes: { disabled } })
    const count = devices.length
    notifySuccess(t(disabled ? 'devices.disabledCount' : 'devices.enabledCount', { count }))
  } catch (error) {
    notifyError(error, t('devices.changeFailed', { count: devices.length }))
  }
  await invalidateDevices(cache)
}
