import { describe, expect, test } from 'vitest'
import { openBrowser, refusal } from '../../test/browser.ts'

const browser = openBrowser()
const { driverTitle, findDrivers } = await import('./drivers/queries.ts')
const { findTwins, nameTwin } = await import('./twins/queries.ts')
const { twinTitleOf } = await import('./twins/states/stateTitles.ts')
const { queryClient } = await import('../lib/api.ts')

const page = (items: object[]) => ({ items, total: items.length, offset: 0, limit: 20 })

describe('a picker of drivers', () => {
  test('finds them by text', async () => {
    browser.answer('GET /devicedrivers', page([{ id: 3, title: 'ERS <2>' }]))
    await expect(findDrivers('ers')).resolves.toEqual([{ value: '3', label: 'ERS <2>' }])
    expect(browser.calls[0]?.query).toEqual({ search: 'ers', limit: '20' })
  })

  test('shows the first ones before anything is typed', async () => {
    browser.answer('GET /devicedrivers', page([]))
    await findDrivers('')
    expect(browser.calls[0]?.query).toEqual({ limit: '20' })
  })

  test('names one that is already chosen', async () => {
    browser.answer('GET /devicedrivers/3', { id: 3, title: 'ERS' })
    await expect(driverTitle('3')).resolves.toBe('ERS')
  })
})

describe('a picker of twins', () => {
  test.each([
    [{ id: 3, title: 'Raum 1', parentTitle: null }, 'Raum 1 (3)'],
    [{ id: 4, title: 'Raum 1', parentTitle: 'Haus Süd' }, 'Raum 1 (4) – Haus Süd'],
    [{ id: 5, title: '', parentTitle: '' }, ' (5) – '],
  ])('tells twins of the same name apart: %j', async (twin, label) => {
    browser.answer('GET /digitaltwin', page([twin]))
    await expect(findTwins('raum')).resolves.toEqual([{ value: String(twin.id), label }])
    browser.answer(`GET /digitaltwin/${twin.id}`, twin)
    await expect(nameTwin(String(twin.id))).resolves.toBe(label)
  })

  test('sends what was typed as it is', async () => {
    browser.answer('GET /digitaltwin', page([]))
    await findTwins('Straße & Co. 100%')
    expect(browser.calls[0]?.query).toEqual({ search: 'Straße & Co. 100%', limit: '20' })
  })

  test('says so if a chosen twin is gone', async () => {
    browser.answer('GET /digitaltwin/9', () => refusal(404, 'DTWIN_NOT_FOUND'))
    await expect(nameTwin('9')).rejects.toMatchObject({ status: 404 })
  })
})

describe('the title of the twin or device of a state', () => {
  test('comes with one of its states, and is read once', async () => {
    queryClient.clear()
    browser.answer('GET /digitaltwin/states', page([{ id: 1, twinTitle: 'Halle 7' }]))
    await expect(twinTitleOf(7)).resolves.toBe('Halle 7')
    await expect(twinTitleOf(7)).resolves.toBe('Halle 7')
    expect(browser.calls).toHaveLength(1)
  })

  test('of a twin without states is read from it', async () => {
    queryClient.clear()
    browser.answer('GET /digitaltwin/states', page([]))
    browser.answer('GET /digitaltwin/7', { id: 7, title: 'Leer' })
    await expect(twinTitleOf(7)).resolves.toBe('Leer')
  })

  test('of one that is not visible is its number', async () => {
    queryClient.clear()
    browser.answer('GET /digitaltwin/states', page([]))
    browser.answer('GET /digitaltwin/7', () => refusal(404, 'DTWIN_NOT_FOUND'))
    await expect(twinTitleOf(7)).resolves.toBe('7')
  })

  test('is not made up when the server fails', async () => {
    queryClient.clear()
    browser.answer('GET /digitaltwin/states', () => refusal(403, 'FORBIDDEN'))
    await expect(twinTitleOf(7)).rejects.toMatchObject({ status: 403 })
  })
})
