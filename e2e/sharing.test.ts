import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, expect, it } from 'vitest'
import { expectAccessible, expectFits, handsOn, openTab, phone, startJourney } from './kit.ts'

/** Twins and dashboards shared through public links, opened by somebody who is not signed in. */

const { page, accountId, api, browser, open, platform, button, dialog, field, says } = await startJourney()

interface Made {
  id: number
}

const make = (title: string, fields: object) => api.post<Made>('/digitaltwin', { title, ...fields })
const school = await make('Schule', { accountId, latitude: 51.05, longitude: 11.02 })
const gym = await make('Turnhalle', { parentId: school.id, latitude: 51.051, longitude: 11.022 })
const other = await make('Rathaus', { accountId })
const co2 = await api.post<Made>('/digitaltwin/states', {
  dtwinId: gym.id,
  key: 'co2',
  title: 'CO₂',
  unit: 'ppm',
  source: 'none',
  visualization: { kind: 'gauge', min: 0, max: 3000, lowerThreshold: 1000, upperThreshold: 2000 },
})
const measure = (value: number) => api.put(`/digitaltwin/states/${co2.id}/value`, { value })
await measure(640)

/** A web site of somebody else with a page in a frame; it is one the account names, or not. */
const frames = createServer((request, response) => {
  const address = new URL(request.url ?? '/', 'http://x').searchParams.get('show') ?? ''
  response
    .setHeader('content-type', 'text/html')
    .end(`<title>Site</title><iframe src="${address}" width="900" height="600">`)
})
await new Promise<void>((resolve) => frames.listen(0, '127.0.0.1', resolve))
afterAll(() => new Promise((resolve) => frames.close(resolve)))
const site = `http://localhost:${(frames.address() as AddressInfo).port}`

let address = ''

it('is created from the menu of a twin, with an address, a QR code and HTML', async () => {
  await open(`/digitaltwin-mgmt/${school.id}`)
  await button('Aktionen für Schule').click()
  await page.getByRole('menuitem', { name: 'Öffentlich teilen' }).click()
  await says('Jeder mit dem Link sieht diesen Zwilling und alles darunter')
  await expectAccessible(page, 'a new link')
  await button('Link anlegen').click()
  address = await field('Adresse').inputValue()
  expect(address).toMatch(new RegExp(`^${platform.url}/#/public/lss_[\\w-]{43}/tiles/${school.id}$`))
  await page.getByRole('img', { name: 'QR-Code der Adresse' }).waitFor()
  await says('Noch darf keine Website die Seite einbetten')
  await expectAccessible(page, 'a link')
  await page.getByRole('tab', { name: 'Karte' }).click()
  await field('Neigung (Grad)').fill('0')
  expect(await field('Adresse').inputValue()).toMatch(/\/map\/\d+\?pitch=0$/)
})

it('shows values live to somebody on a phone who is not signed in', async () => {
  const visitor = await openTab(browser, phone)
  const there = handsOn(visitor.page)
  await visitor.page.goto(address)
  await there.heading('Schule').waitFor()
  await visitor.page.getByRole('link', { name: 'Turnhalle' }).click()
  await there.heading('Turnhalle').waitFor()
  await there.says('640')
  await expectAccessible(visitor.page, 'shared tiles')
  await expectFits(visitor.page, 'shared tiles on a phone')
  await measure(1240)
  await there.says('1,240')
  await visitor.page.getByRole('button', { name: /CO₂/ }).click()
  await there.dialog().getByRole('img', { name: /CO₂/ }).first().waitFor()
  await expectFits(visitor.page, 'the history of a shared value')
  await visitor.page.keyboard.press('Escape')
  await there.dialog().waitFor({ state: 'detached' })
  // Neither beside nor above it, nor anything of the console.
  await visitor.page.goto(address.replace(/\d+$/, String(other.id)))
  await visitor.page.getByRole('heading', { name: /not found|does not exist|no longer/i }).waitFor()
  await visitor.context.close()
})

it('shows a map with the values of what is chosen', async () => {
  const visitor = await openTab(browser)
  const there = handsOn(visitor.page)
  await visitor.page.goto(`${address.replace('tiles', 'map')}?pitch=30&markerstyle=outlined`)
  const places = visitor.page.getByRole('navigation')
  await places.getByRole('button', { name: 'Turnhalle' }).click()
  await there.says('1.240')
  await expectAccessible(visitor.page, 'a shared map')
  await visitor.page.goto(`${address.replace('tiles', 'map')}?hidebar=true`)
  await visitor.page.reload()
  await visitor.page.locator('canvas').waitFor()
  expect(await places.count()).toBe(0)
  expect(visitor.problems).toEqual([])
  await visitor.context.close()
})

it('is embedded by the web sites that are named, and shows no other screen there', async () => {
  const framed = address.replace('/#', `${new URL(address).hash.replace(/^#(\/public\/[^/]+).*/, '$1')}#`)
  const visitor = await openTab(browser)
  await visitor.page.goto(`${site}/?show=${encodeURIComponent(framed)}`)
  const inside = visitor.page.frameLocator('iframe')
  await expect.poll(() => visitor.problems.join()).toContain('frame-ancestors')

  await button('Einstellungen ändern').click()
  await page.getByRole('combobox', { name: 'Websites, die die Seite einbetten dürfen' }).fill(site)
  await page.keyboard.press('Enter')
  await button('Speichern').click()
  await says(`Eingebettet nur auf ${site}.`)

  await visitor.page.reload()
  await inside.getByRole('heading', { name: 'Schule' }).waitFor()
  const login = framed.replace(/#.*/, '#/login')
  await visitor.page.goto(`${site}/?show=${encodeURIComponent(login)}`)
  await inside.getByRole('heading', { level: 1 }).first().waitFor()
  expect(await inside.getByRole('textbox').count()).toBe(0)
  await visitor.context.close()
})

it('asks for its password, and is closed for open pages when it ends', async () => {
  await button('Einstellungen ändern').click()
  await page.getByRole('checkbox', { name: 'Nur mit Passwort öffnen' }).check()
  await dialog().locator('input[type=password]').fill('kurz')
  await button('Speichern').click()
  await says('Mindestens 8 Zeichen')
  await dialog().locator('input[type=password]').fill('Sommerfest 2026')
  await button('Speichern').click()
  await says('Mit Passwort')

  const visitor = await openTab(browser)
  const there = handsOn(visitor.page)
  await visitor.page.goto(address)
  await there.heading('Diese Seite hat ein Passwort').waitFor()
  await expectAccessible(visitor.page, 'a locked link')
  await visitor.page.locator('input[type=password]').fill('Winterfest')
  await visitor.page.keyboard.press('Enter')
  await there.says('Das Passwort stimmt nicht.')
  await visitor.page.locator('input[type=password]').fill('Sommerfest 2026')
  await visitor.page.keyboard.press('Enter')
  await there.heading('Schule').waitFor()

  await button('Link beenden').click()
  await dialog().getByRole('button', { name: 'Link beenden' }).last().click()
  await says('Der Link ist beendet.')
  await there.heading('Diesen Link gibt es nicht mehr').waitFor()
  await visitor.context.close()
})

it('shows a dashboard', async () => {
  const board = await api.post<Made>('/dashboards', { name: 'Foyer', accountId })
  const definition = { type: 'value', title: 'Luft', valueOptions: { stateIds: [co2.id] } }
  await api.post(`/dashboards/${board.id}/widgets`, { definition })
  await open(`/dashboards/${board.id}`)
  await button('Öffentlich teilen').click()
  await button('Link anlegen').click()
  const link = await field('Adresse').inputValue()
  const visitor = await openTab(browser)
  const there = handsOn(visitor.page)
  await visitor.page.goto(link)
  await there.heading('Foyer').waitFor()
  await there.says('1.240')
  // Titles lead users to twins and devices, but visitors only to a sign-in page.
  expect(await visitor.page.getByRole('link').count()).toBe(0)
  await expectAccessible(visitor.page, 'a shared dashboard')
  await measure(880)
  await there.says('880')
  expect(visitor.problems).toEqual([])
  await visitor.context.close()
})
