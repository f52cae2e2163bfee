import { ORPCError } from '@orpc/client'
import i18next from 'i18next'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import de from '../../locales/de.json' with { type: 'json' }
import { isMissing } from './NotFound.tsx'
import { noticeStore, notifyError, notifySuccess, notifyWarning, notifyWith } from './notify.ts'

const { notifications, notificationsStore } = await import('@mantine/notifications')
const shown = () => {
  const { notifications: open, queue } = notificationsStore.getState()
  return [...open, ...queue]
}

beforeAll(() => i18next.init({ lng: 'de', resources: { de: { translation: de } } }))
beforeEach(() => notifications.clean())

describe('a notice', () => {
  test('of success goes by itself, of an error stays', async () => {
    notifySuccess('Gespeichert')
    await expect.poll(shown).toHaveLength(1)
    expect(shown()[0]).toMatchObject({ message: 'Gespeichert', color: 'green' })
    expect(shown()[0]?.autoClose).toBeGreaterThan(1000)
    notifications.clean()
    notifyError(new Error('x'))
    await expect.poll(shown).toHaveLength(1)
    expect(shown()[0]).toMatchObject({ color: 'red', autoClose: false })
  })

  test('of partial success can be read at leisure', async () => {
    notifyWarning('3 von 5 Geräten')
    await expect.poll(shown).toHaveLength(1)
    expect(shown()[0]?.autoClose).toBeGreaterThanOrEqual(10_000)
  })

  test('of an error names the reason and the request', async () => {
    const data = { requestId: 'r-77', details: {} }
    notifyError(new ORPCError('DEVICE_DISABLED', { status: 409, data }), 'Nicht gelöscht')
    await expect.poll(shown).toHaveLength(1)
    expect(shown()[0]).toMatchObject({
      title: 'Nicht gelöscht',
      message: `${de.errors.DEVICE_DISABLED} (${de.common.requestId} r-77)`,
    })
  })

  test('of an error without a request has a general title and no id', async () => {
    notifyError(new TypeError('fetch failed'))
    await expect.poll(shown).toHaveLength(1)
    expect(shown()[0]).toMatchObject({ title: de.common.actionFailed, message: de.errors.NETWORK_ERROR })
  })

  test('with a button can be closed by it, and only that one', async () => {
    const close = notifyWith('Entfernt', 12_000)
    notifyWith('Auch entfernt', 12_000)
    await expect.poll(shown).toHaveLength(2)
    close()
    await expect.poll(() => shown().map(({ message }) => message)).toEqual(['Auch entfernt'])
  })

  test('is counted, so that the part that shows them is loaded with the first one', () => {
    const before = noticeStore.get()
    notifySuccess('a')
    notifyWarning('b')
    expect(noticeStore.get()).toBe(before + 2)
  })
})

describe('an object that is missing', () => {
  test.each([
    [new ORPCError('NOT_FOUND', { status: 404 }), true],
    [new ORPCError('INPUT_INVALID', { status: 400 }), true],
    [new ORPCError('FORBIDDEN', { status: 403 }), false],
    [new ORPCError('INTERNAL', { status: 500 }), false],
    [new TypeError('fetch failed'), false],
    [undefined, false],
  ])('%s is one: %s', (error, missing) => {
    expect(isMissing(error)).toBe(missing)
  })
})
