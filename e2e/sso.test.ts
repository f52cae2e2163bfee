import { describe, expect, it } from 'vitest'
import { startIdentityProvider } from '../packages/server/test/identityProvider.ts'
import { expectAccessible, expectFits, openTab, phone, startJourney, type Tab } from './kit.ts'

/** Single sign-on: an administrator connects a provider, and users sign in through it. */

const provider = await startIdentityProvider()
const { browser, tab, page, platform, token, open, field, says, tabOf } = await startJourney({
  env: { ALLOWED_NETWORKS: '127.0.0.0/8' },
  uses: [provider],
})
/** The redirect address for the provider, as the console shows it. */
let redirectUri: string

const person = (name: string, more: object = {}) =>
  provider.people.set(name, {
    email: `${name}@example.org`,
    email_verified: true,
    given_name: name,
    family_name: 'Lind',
    ...more,
  })

/** A tab without a session, at the login page. */
async function stranger(options: Parameters<typeof openTab>[1] = {}): Promise<Tab> {
  const theirs = await openTab(browser, options)
  await theirs.page.goto(`${platform.url}/#/login`)
  return theirs
}

/** Clicks the button and signs in at the provider, which asks for a name. */
async function through({ page: theirs }: Tab, name: string): Promise<void> {
  await theirs.getByRole('link', { name: 'Anmelden mit Stadtwerke' }).click()
  await theirs.getByLabel('Name').fill(name)
  await theirs.getByRole('button', { name: 'Continue' }).click()
}

describe('a provider', () => {
  it('is connected; what is wrong is said before anything is stored', async () => {
    await page.goto(`${platform.url}/#/account-mgmt/1?tab=sso`)
    await says('Noch kein Anmeldedienst')
    await expectAccessible(page, 'no provider')
    await page.getByRole('button', { name: 'Anmeldedienst anlegen' }).click()
    await page.getByRole('menuitem', { name: 'OIDC' }).click()
    await page.getByRole('heading', { name: 'Neuer Anmeldedienst mit OpenID Connect' }).waitFor()
    const shown = page.getByRole('figure', { name: 'Redirect-URI' })
    redirectUri = (await shown.locator('pre').textContent()) ?? ''
    expect(redirectUri).toMatch(/^http:\/\/localhost:\d+\/api\/auth\/sso\/[a-z0-9]{24}\/callback$/)
    provider.allow([redirectUri])

    await page.getByRole('button', { name: 'Anmeldedienst anlegen' }).click()
    await says('Dieses Feld ist erforderlich')
    await field('Anzeigename').fill('Stadtwerke')
    await field('Adresse des Anmeldedienstes').fill(provider.issuer)
    await field('Client-ID').fill(provider.clientId)
    await page.getByRole('textbox', { name: 'Client-Secret', exact: true }).fill('not the secret')
    await page.getByRole('button', { name: 'Jetzt prüfen' }).click()
    await says('Mit diesen Angaben kann sich niemand anmelden.')
    await says('Client-Secret: wird abgelehnt')
    await page.getByRole('textbox', { name: 'Client-Secret', exact: true }).fill(provider.clientSecret)
    await page.getByRole('button', { name: 'Jetzt prüfen' }).click()
    await says('Der Anmeldedienst ist bereit.')
    await page.getByRole('button', { name: 'Zuordnung hinzufügen' }).click()
    const line = page.getByRole('group', { name: 'Zuordnung 1' })
    await line.getByRole('textbox', { name: 'Angabe, z. B. groups' }).fill('groups')
    await line.getByRole('textbox', { name: 'Wert' }).fill('leitung')
    await line
      .getByRole('combobox', { name: 'Rolle' })
      .or(line.getByRole('textbox', { name: 'Rolle' }))
      .first()
      .click()
    await page.getByRole('option', { name: 'Bediener', exact: true }).click()
    await expectAccessible(page, 'a provider')
    await page.getByRole('button', { name: 'Anmeldedienst anlegen' }).click()
    await page.getByRole('button', { name: 'Stadtwerke', exact: true }).waitFor()
    await says('0 Benutzer')
    await expectAccessible(page, 'the providers')
  })

  it('keeps what was entered, without the secret', async () => {
    await page.getByRole('button', { name: 'Stadtwerke', exact: true }).click()
    await field('Anzeigename').waitFor()
    expect(await field('Adresse des Anmeldedienstes').inputValue()).toBe(provider.issuer)
    expect(await page.getByRole('textbox', { name: 'Client-Secret', exact: true }).inputValue()).toBe('')
    await says('Leer: Das gespeicherte Client-Secret bleibt.')
    await page.getByRole('button', { name: 'Zur Liste' }).click()
  })
})

describe('somebody the provider knows', () => {
  it('comes in at the first click with the mapped role, and lands where he wanted to go', async () => {
    person('Vera', { groups: ['leitung'] })
    const theirs = await openTab(browser)
    await theirs.page.goto(`${platform.url}/#/virtual-devices`)
    await theirs.page.getByRole('link', { name: 'Anmelden mit Stadtwerke' }).waitFor()
    await expectAccessible(theirs.page, 'the login page with a provider')
    await through(theirs, 'Vera')
    await theirs.page.waitForURL(/#\/virtual-devices/)
    await theirs.page.getByRole('heading', { name: 'Geräte', level: 1 }).waitFor()
    await theirs.page.goto(`${theirs.page.url().split('#')[0]}#/user-profile`)
    await theirs.page.getByText('Vera@example.org').first().waitFor()
    expect(theirs.problems).toEqual([])

    // Nothing may stay in the browser's storage.
    await theirs.page.evaluate(() => {
      for (const storage of [localStorage, sessionStorage]) storage.setItem('left', 'behind')
    })
    await theirs.page.getByRole('button', { name: /Vera/ }).first().click()
    await theirs.page.getByRole('menuitem', { name: 'Abmelden' }).click()
    const left = () =>
      theirs.page.evaluate(() => [localStorage.getItem('left'), sessionStorage.getItem('left')])
    await expect.poll(left).toEqual([null, null])
    await theirs.page.getByRole('link', { name: 'Anmelden mit Stadtwerke' }).click()
    // The provider's session is still valid, so the user is signed in again.
    await theirs.page.waitForURL(/#\/home/)
    await theirs.context.close()
  })

  it('is one user, with the role of his group', async () => {
    await page.goto(`${platform.url}/#/account-mgmt/1?tab=users`)
    await page.getByRole('main').getByRole('link', { name: 'Vera Lind' }).waitFor()
    await page.getByText('Bediener').first().waitFor()
    await page.goto(`${platform.url}/#/account-mgmt/1?tab=sso`)
    await page.reload()
    await page.getByText('1 Benutzer').waitFor()
  })

  it('stays out without a role, and the login page says why in words', async () => {
    person('Otto')
    const theirs = await stranger()
    await through(theirs, 'Otto')
    await theirs.page.getByRole('alert').getByText('Ihr Benutzer konnte nicht angelegt werden.').waitFor()
    await expectAccessible(theirs.page, 'a refusal')
    await theirs.context.close()
  })

  it('stays out with an answer that was meant for another window', async () => {
    const theirs = await stranger()
    await theirs.page.getByRole('link', { name: 'Anmelden mit Stadtwerke' }).click()
    await theirs.page.getByLabel('Name').waitFor()
    await theirs.page.goto(`${redirectUri}?${new URLSearchParams({ code: 'any', state: 'another' })}`)
    await theirs.page.getByRole('alert').getByText('Beginnen Sie noch einmal.').waitFor()
    await theirs.context.close()
  })
})

describe('when nobody new is created any more', () => {
  it('somebody unknown stays out', async () => {
    await page.goto(`${platform.url}/#/account-mgmt/1?tab=sso`)
    await page.getByRole('button', { name: 'Stadtwerke', exact: true }).click()
    await page.getByRole('switch', { name: 'Benutzer beim ersten Anmelden anlegen' }).click()
    await page.keyboard.press('ControlOrMeta+S')
    await page.getByText('1 Benutzer').waitFor()
    person('Anna', { groups: ['leitung'] })
    const theirs = await stranger()
    await through(theirs, 'Anna')
    await theirs.page.getByRole('alert').getByText('Sie haben hier keinen Zugang.').waitFor()
    await theirs.context.close()
  })
})

describe('on a phone in the dark, in English', () => {
  it('the login page and the provider fit and can be read', async () => {
    const guest = await openTab(browser, phone)
    await guest.page.goto(`${platform.url}/#/login?error=OIDC_USER_NOT_FOUND`)
    await guest.page.getByRole('link', { name: 'Sign in with Stadtwerke' }).waitFor()
    await guest.page.getByText('You do not have access here.').waitFor()
    await expectFits(guest.page, 'the login page on a phone')
    const theirs = await tabOf(token, phone)
    await open('/account-mgmt/1?tab=sso', theirs.page)
    await theirs.page.getByRole('button', { name: 'Stadtwerke', exact: true }).click()
    await theirs.page.getByRole('textbox', { name: 'Display name' }).waitFor()
    await expectFits(theirs.page, 'the provider on a phone')
    expect([...guest.problems, ...theirs.problems]).toEqual([])
    for (const { context } of [guest, theirs]) await context.close()
  })
})

it('left nothing in the console of the browser', () => {
  expect(tab.problems).toEqual([])
})
