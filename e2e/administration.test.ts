import { expect, it } from 'vitest'
import { expectAccessible, expectFits, phone, startJourney } from './kit.ts'

/**
 * An administrator of the installation decides what the menu of an account shows, and its users see it. An address that
 * does not exist offers ways on.
 */

// It is for the administrator of the installation.
const journey = await startJourney({ isAlone: true })
const { page, platform, api, make, open, openAnew, button, dialog, says, heading, tabOf, tab } = journey

const harbour = await make.account('Hafen')
const basin = await make.account('Hafenbecken', harbour.id)
await make.user('ada', basin, 'Account administrator')
await platform.fill(
  `update users set password_hash = (select password_hash from users where username = 'admin@localhost') where username = 'ada'`,
)
const ada = await tabOf(await platform.login('ada'))
const entry = (name: string) => ada.page.getByRole('link', { name, exact: true })

it('finds what each switch does, and where the value of each account comes from', async () => {
  await open('/home', ada.page)
  await entry('Regelmonitor').waitFor()
  await open('/system-settings')
  await page.getByRole('link', { name: 'Menü je Account' }).click()
  await heading('Was die Schalter bewirken').waitFor()
  await says('Vorgabe der Plattform: Ja.')
  const line = page.getByRole('row').filter({ hasText: 'Hafenbecken' })
  await line.getByText('Ja, Vorgabe').waitFor()
  await line.getByText('unter Hafen').waitFor()
  await expectAccessible(page, 'flags of accounts')
})

it('takes an entry from the menu of an account, and of those below it', async () => {
  await button('Hafen').click()
  await heading('Menü: Hafen').waitFor()
  const choices = dialog().getByRole('radiogroup', { name: 'Regelmonitor zeigen' })
  await choices.getByText('Geerbt: ja').waitFor()
  await expectAccessible(page, 'flags of an account')
  await choices.getByText('Nein', { exact: true }).click()
  await says('Gespeichert')
  await page.keyboard.press('Escape')
  await page.getByRole('row').filter({ hasText: 'Hafenbecken' }).getByText('Nein, geerbt').waitFor()
  await entry('Regelmonitor').waitFor()
  await openAnew('/virtual-devices', ada.page)
  expect(await entry('Regelmonitor').count()).toBe(0)
})

it('can be set otherwise in the account below', async () => {
  await open(`/account-mgmt-flags?edit=${basin.id}`)
  await heading('Menü: Hafenbecken').waitFor()
  const choices = dialog().getByRole('radiogroup', { name: 'Regelmonitor zeigen' })
  await choices.getByText('Ja', { exact: true }).click()
  await says('Gespeichert')
  await page.keyboard.press('Escape')
  await open('/account-mgmt-flags?setHere=rulesMonitor')
  await page.getByRole('row').filter({ hasText: 'Hafenbecken' }).getByText('Ja, hier eingestellt').waitFor()
  await openAnew('/virtual-devices', ada.page)
  await entry('Regelmonitor').waitFor()
  const { items } = await api.get<{ items: { changes: object }[] }>(
    `/activityLog?subject=Tenant&objectId=${basin.id}`,
  )
  expect(items[0]?.changes).toEqual({ 'flag.rulesMonitor': [null, true] })
})

it('is closed to administrators of an account', async () => {
  await ada.page.goto(`${platform.url}/#/account-mgmt-flags`)
  await ada.page.waitForURL(/#\/home/)
  await entry('Regelmonitor').waitFor()
})

it('is told apart from an address that does not exist, which offers a retry, home and help', async () => {
  await ada.page.goto(`${platform.url}/#/no-such-screen?x=1`)
  await ada.page.getByRole('heading', { name: 'Diese Seite gibt es nicht' }).waitFor()
  await expectAccessible(ada.page, 'an address that does not exist')
  await Promise.all([
    ada.page.waitForRequest((request) => request.isNavigationRequest()),
    ada.page.getByRole('button', { name: 'Erneut versuchen' }).click(),
  ])
  await ada.page.getByRole('heading', { name: 'Diese Seite gibt es nicht' }).waitFor()
  expect(decodeURIComponent(ada.page.url())).toContain('from=/no-such-screen?x=1')
  expect(await ada.page.getByRole('link', { name: 'Hilfe und Kontakt' }).getAttribute('href')).toBe('/#/help')
  await ada.page.getByRole('link', { name: 'Zur Startseite' }).click()
  await ada.page.waitForURL(/#\/home/)
})

it('offers the same ways on where a screen cannot be shown', async () => {
  const theirs = await tabOf(journey.token)
  await open('/home', theirs.page)
  await theirs.page.route(/\/assets\/[^/]+\.js$/, (route) =>
    route.fulfill({ contentType: 'text/javascript', body: 'throw new Error("broken")' }),
  )
  await theirs.page.goto(`${platform.url}/#/superadmin-terminal`)
  await theirs.page.getByRole('button', { name: 'Erneut versuchen' }).waitFor()
  expect(await theirs.page.getByRole('link', { name: 'Hilfe und Kontakt' }).getAttribute('href')).toBe(
    '/#/help',
  )
  await theirs.page.getByRole('link', { name: 'Zur Startseite' }).click()
  await theirs.page.waitForURL(/#\/home/)
  await theirs.context.close()
})

it('has its links in the footer beside one another from 991 px on, else below', async () => {
  const places = async (width: number) => {
    await page.setViewportSize({ width, height: 900 })
    const links = page.getByRole('contentinfo').getByRole('link')
    await links.nth(1).waitFor()
    return links.evaluateAll((all) => new Set(all.map((link) => link.getBoundingClientRect().top)).size > 1)
  }
  await open('/home')
  expect([await places(991), await places(990)]).toEqual([false, true])
  await page.setViewportSize({ width: 1440, height: 900 })
})

it('fits a phone, in English and in the dark', async () => {
  const small = await tabOf(journey.token, phone)
  await openAnew('/account-mgmt-flags', small.page)
  await small.page.getByText('Hafenbecken').waitFor()
  await expectAccessible(small.page, 'flags on a phone')
  await expectFits(small.page, 'flags on a phone')
  await small.context.close()
  expect([...tab.problems, ...ada.problems]).toEqual([])
})
