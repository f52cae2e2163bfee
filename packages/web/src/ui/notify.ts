import { notifications } from '@mantine/notifications'
import i18next from 'i18next'
import { describeError } from '../lib/errors.ts'

/** Says in a corner that something worked. */
export function notifySuccess(message: string): void {
  notifications.show({ message, color: 'green', autoClose: 3500 })
}

/** Says in a corner what failed and why; stays until it is closed. */
export function notifyError(error: unknown, title?: string): void {
  const info = describeError(error)
  const suffix = info.requestId ? ` (${i18next.t('common.requestId')} ${info.requestId})` : ''
  notifications.show({
    title: title ?? i18next.t('common.actionFailed'),
    message: `${info.text}${suffix}`,
    color: 'red',
    autoClose: false,
  })
}
