import type { QueryClient } from '@tanstack/react-query'
import type { TFunction } from 'i18next'
import { client } from '../../lib/api.ts'
import { notifyError, notifySuccess } from '../../ui/feedback/notify.ts'
import { invalidateDevices } from './queries.ts'

/** Devices changed at the same time; the list allows 100 rows a page. */
const parallel = 4

/** Disables (or enables) devices, several at a time; returns the count and the first error. */
export async function setDisabled(
  devices: readonly { id: number; title: string }[],
  flag: boolean,
  cache: QueryClient,
  t: TFunction,
): Promise<void> {
  const waiting = [...devices]
  const failed: { title: string; error: unknown }[] = []
  const worker = async () => {
    for (let device = waiting.shift(); device; device = waiting.shift()) {
      try {
        await client.virtualdevice.setDisabled({ id: device.id, flag })
      } catch (error) {
        failed.push({ title: device.title, error })
      }
    }
  }
  await Promise.all(Array.from({ length: parallel }, worker))
  const done = devices.length - failed.length
  if (done > 0) notifySuccess(t(flag ? 'devices.disabledCount' : 'devices.enabledCount', { count: done }))
  const [first] = failed
  if (first) {
    notifyError(first.error, t('devices.changeFailed', { count: failed.length, title: first.title }))
  }
  await invalidateDevices(cache)
}
