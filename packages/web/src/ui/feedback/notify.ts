import i18next from 'i18next'
import type { ReactNode } from 'react'
import { describeError } from '../../lib/errors.ts'
import { createStore } from '../../lib/store.ts'

/** Counts the notices; the component that shows them is loaded with the first one. */
export const noticeStore = createStore(0)

type Notice = Parameters<typeof import('@mantine/notifications')['notifications']['show']>[0]

function show(notice: Notice): void {
  noticeStore.set((count) => count + 1)
  import('@mantine/notifications').then(
    ({ notifications }) => notifications.show(notice),
    (error: unknown) => console.error('A notice could not be shown', notice, error),
  )
}

/** Shows a success notice. */
export function notifySuccess(message: string): void {
  show({ message, color: 'green', autoClose: 3500 })
}

/** Shows a notice of partial success. */
export function notifyWarning(message: string): void {
  show({ message, color: 'yellow', autoClose: 10_000 })
}

/** Shows an error notice, which stays until it is closed. */
export function notifyError(error: unknown, title?: string): void {
  const info = describeError(error)
  const suffix = info.requestId ? ` (${i18next.t('common.requestId')} ${info.requestId})` : ''
  show({
    title: title ?? i18next.t('common.actionFailed'),
    message: `${info.text}${suffix}`,
    color: 'red',
    autoClose: false,
  })
}

let lastNotice = 0

/**
 * Shows a notice with content other than text, e.g. an undo button.
 * @returns closes the notice
 */
export function notifyWith(message: ReactNode, autoCloseMs: number): () => void {
  lastNotice += 1
  const id = `notice-${lastNotice}`
  show({ id, message, autoClose: autoCloseMs })
  return () => void import('@mantine/notifications').then(({ notifications }) => notifications.hide(id))
}
