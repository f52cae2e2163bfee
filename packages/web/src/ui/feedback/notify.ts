import i18next from 'i18next'
import type { ReactNode } from 'react'
import { describeError } from '../../lib/errors.ts'
import { createStore } from '../../lib/store.ts'

/** Counts the notices; the part of the page that shows them is fetched with the first one. */
export const noticeStore = createStore(0)

type Notice = Parameters<typeof import('@mantine/notifications')['notifications']['show']>[0]

function show(notice: Notice): void {
  noticeStore.set((count) => count + 1)
  import('@mantine/notifications').then(
    ({ notifications }) => notifications.show(notice),
    (error: unknown) => console.error('A notice could not be shown', notice, error),
  )
}

/** Says in a corner that something worked. */
export function notifySuccess(message: string): void {
  show({ message, color: 'green', autoClose: 3500 })
}

/** Says in a corner that something worked, but not quite. */
export function notifyWarning(message: string): void {
  show({ message, color: 'yellow', autoClose: 10_000 })
}

/** Says in a corner what failed and why; stays until it is closed. */
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
 * A notice that holds more than text, e.g. a way back.
 * @returns closes the notice
 */
export function notifyWith(message: ReactNode, autoCloseMs: number): () => void {
  lastNotice += 1
  const id = `notice-${lastNotice}`
  show({ id, message, autoClose: autoCloseMs })
  return () => void import('@mantine/notifications').then(({ notifications }) => notifications.hide(id))
}
