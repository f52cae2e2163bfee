import { expect, it } from 'vitest'
import { expectAccessible, expectFits, phone, startJourney } from './kit.ts'

/** The way of a trackable twin, played back, and of all below a twin at once. */

const minute = 60_000
const { page, api, accountId, open, openAnew, token, tabOf, button, choose, heading, says } =
  await startJourney()

/** Stands for ten minutes, drives for ten, is silent for an hour, and appears elsewhere. */
const now = Math.floor(Date.now() / minute) * minute
const reports = [
  [-120, 48.1, 11.5],
  [-110, 48.1, 11.5],
  [-100, 48.12, 11.54],
  [-40, 48.2, 11.6],
] as const

async function makeTracker(title: string, parentId: number, shift: number): Promise<number> {
  const { id } = await api.post<{ id: number }>('/digitaltwin', { title, type: 'trackable', parentId })
  for (const [axis, column] of [
    ['latitude', 1],
    ['longitude', 2],
  ] as const) {
    const state = await api.post<{ id: number }>('/digitaltwin/states', {
      dtwinId: id,
      key: axis,
      title: axis,
      source: 'none',
    })
    for (const report of reports)
      await api.put(`/digitaltwin/states/${state.id}/value`, {
        value: report[column] + shift,
        time: new Date(now + report[0] * minute).toISOString(),
      })
  }
  return id
}

const { id: fleet } = await api.post<{ id: number }>('/digitaltwin', { title: 'Fuhrpark', accountId })
const car = await makeTracker('Wagen 1', fleet, 0)
await makeTracker('Wagen 2', fleet, 0.05)
const moment = () => page.getByRole('slider', { name: 'Zeitpunkt' })
const at = async () => Number(await moment().getAttribute('aria-valuenow'))

it('is stepped through by report and by key', async () => {
  await open(`/digitaltwin-mgmt/${car}?tab=map`)
  await says('Ganzer Zeitraum')
  await button('Zur vorigen Meldung').click()
  await expect.poll(at).toBe(now - 100 * minute)
  await choose('Funkstille ab', '15 Minuten')
  await button('Zur vorigen Meldung').click()
  await expect.poll(at).toBe(now - 120 * minute)
  await moment().focus()
  for (let press = 0; press < 14; press++) await page.keyboard.press('ArrowRight')
  await expect.poll(at).toBeGreaterThan(now - 116 * minute)
  await says(/^Seit \d Minuten hier$/)
  expect(await moment().getAttribute('aria-valuetext')).toMatch(/\d{4} um \d\d:\d\d:\d\d/)
  for (let press = 0; press < 20; press++) await page.keyboard.press('ArrowRight')
  await says('Unterwegs')
  for (let press = 0; press < 40; press++) await page.keyboard.press('ArrowRight')
  await says(/^Keine Meldung seit /)
  await expectAccessible(page, 'a track that is played')
})

it('plays, pauses and ends', async () => {
  await page.keyboard.press('Home')
  await expect.poll(at).toBe(now - 120 * minute)
  await choose('Tempo', '1 Stunde je Sekunde')
  await button('Abspielen').click()
  await expect.poll(at).toBeGreaterThan(now - 120 * minute)
  await button('Anhalten').click()
  const paused = await at()
  await button('Abspielen').click()
  await expect.poll(at).toBe(now - 40 * minute)
  expect(paused).toBeLessThanOrEqual(now - 40 * minute)
  await button('Abspielen').waitFor()
  await button('Ganzen Zeitraum zeigen').click()
  await says('Ganzer Zeitraum')
})

it('shows all below a twin at once', async () => {
  await openAnew(`/digitaltwin-mgmt/${fleet}?tab=map`)
  await heading('Bewegungen darunter').waitFor()
  await page.getByRole('link', { name: 'Wagen 2' }).waitFor()
  await choose('Funkstille ab', '15 Minuten')
  await moment().focus()
  await page.keyboard.press('Home')
  for (let press = 0; press < 30; press++) await page.keyboard.press('ArrowRight')
  await says('2 unterwegs')
})

it('fits a phone', async () => {
  const { page: small } = await tabOf(token, phone)
  await openAnew(`/digitaltwin-mgmt/${fleet}?tab=map`, small)
  await small.getByRole('link', { name: 'Wagen 2' }).waitFor()
  await expectFits(small, 'tracks below a twin')
})
