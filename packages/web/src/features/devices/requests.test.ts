import { QueryClient } from '@tanstack/react-query'
import i18next from 'i18next'
import { beforeAll, describe, expect, test } from 'vitest'
import { openBrowser, refusal } from '../../../test/browser.ts'
import de from '../../locales/de.json' with { type: 'json' }

const browser = openBrowser()
const { notifications, notificationsStore } = await import('@mantine/notifications')
const { setDisabled } = await import('./disable.ts')
const { findTemplates, templateTitle } = await import('./template/choices.ts')
const { api } = await import('../../lib/api.ts')

beforeAll(() => i18next.init({ lng: 'de', resources: { de: { translation: de } } }))

describe('disabling devices of a page', () => {
  const update = 'PUT /virtualdevice/bulk-update'
  const cache = new QueryClient()
  const shown = () => {
    const { notifications: open, queue } = notificationsStore.getState()
    return [...open, ...queue].map(({ message, title }) => [title, message].filter(Boolean).join(': '))
  }
  const devices = (count: number) => Array.from({ length: count }, (_, index) => ({ id: index + 1 }))

  test.each([
    [1, true],
    [100, false],
  ])('asks once for %d devices, disabled: %s', async (count, disabled) => {
    notifications.clean()
    browser.answer(update, {})
    await setDisabled(devices(count), disabled, cache, i18next.t)
    expect(browser.calls).toHaveLength(1)
    expect(browser.calls[0]?.body).toEqual({
      ids: devices(count).map(({ id }) => id),
      changes: { disabled },
    })
  })

  test('reads the devices again, whether it worked or not', async () => {
    const queryKey = api.virtualdevice.list.key()
    for (const answer of [{}, () => refusal(403, 'FORBIDDEN')]) {
      cache.setQueryData(queryKey, {})
      browser.answer(update, answer)
      await setDisabled(devices(2), true, cache, i18next.t)
      expect(cache.getQueryState(queryKey)?.isInvalidated).toBe(true)
    }
  })

  test('shows why it was refused', async () => {
    notifications.clean()
    browser.answer(update, () => refusal(403, 'FORBIDDEN'))
    await setDisabled(devices(2), true, cache, i18next.t)
    await expect.poll(() => shown().join()).toContain('r-1')
  })
})

describe('templates of a picker', () => {
  test('are found by text, connector and driver', async () => {
    browser.answer('GET /digitaltwin/device-templates/list', {
      items: [{ id: 3, title: 'Größe XL' }],
      total: 1,
      offset: 0,
      limit: 20,
    })
    const call = () => browser.calls.at(-1)
    await expect(findTemplates('xl', { connectorIds: [2], productive: true })).resolves.toEqual([
      { value: '3', label: 'Größe XL' },
    ])
    expect(call()?.query).toMatchObject({ search: 'xl', orderBy: 'title', limit: '20', productive: 'true' })
    await findTemplates('')
    expect(call()?.query).toEqual({ orderBy: 'title', limit: '20' })
  })

  test('are named by their title', async () => {
    browser.answer('GET /digitaltwin/device-templates/3', { id: 3, title: 'Größe XL' })
    await expect(templateTitle('3')).resolves.toBe('Größe XL')
  })

  test('that are gone say so', async () => {
    browser.answer('GET /digitaltwin/device-templates/9', () => refusal(404, 'NOT_FOUND'))
    await expect(templateTitle('9')).rejects.toMatchObject({ status: 404 })
  })
})
