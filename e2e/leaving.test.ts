import { describe, expect, it } from 'vitest'
import { startJourney } from './kit.ts'

/** What was entered survives whatever would lose it. */

const { page, make, open, button, field, says } = await startJourney()

/** As when an address is typed: the console is told only afterwards. */
const type = (hash: string) =>
  page.evaluate((typed) => {
    location.hash = typed
  }, hash)

const hash = () => new URL(page.url()).hash

describe('a form', () => {
  it('stays when another address is typed, or the browser goes back', async () => {
    await open('/connectors/list')
    await open('/connectors/create?kind=mqtt-broker')
    await field('Name').fill('Halle')
    for (const leave of [() => type('#/account-mgmt'), () => page.evaluate(() => history.back())]) {
      await leave()
      await button('Weiter bearbeiten').click()
      await page.waitForFunction(() => location.hash === '#/connectors/create?kind=mqtt-broker')
      expect(await field('Name').inputValue()).toBe('Halle')
    }
  })

  it('says what is wrong with a password when it is left, and then with each letter', async () => {
    const password = page.locator('input[type=password]').first()
    await password.fill('kurz')
    await password.blur()
    await says('Mindestens 8 Zeichen')
    await password.pressSequentially('-und-gut')
    await page.getByText('Mindestens 8 Zeichen').waitFor({ state: 'detached' })
    await password.fill('kurz')
    await says('Mindestens 8 Zeichen')
  })

  it('is left by an address that was typed, once that was confirmed', async () => {
    await type('#/connectors/list')
    await button('Verwerfen und verlassen').click()
    await page.getByRole('heading', { name: 'Konnektoren', level: 1 }).waitFor()
    expect(hash()).toBe('#/connectors/list')
  })
})

describe('the wizard for a device', () => {
  it('asks before the browser goes back from it', async () => {
    await make.connector('Anderer')
    await open('/virtual-devices')
    await page.getByRole('button', { name: 'Gerät anlegen' }).first().click()
    await button('Weiter').click()
    await says('Wählen Sie einen Konnektor.')
    await page.getByRole('radio', { name: /Anderer/ }).check()
    await page.evaluate(() => history.back())
    await button('Weiter bearbeiten').click()
    expect(await page.getByRole('radio', { name: /Anderer/ }).isChecked()).toBe(true)
  })

  it('keeps what was entered while a connector is created', async () => {
    await button('Weiter').click()
    await button('Weiter').click()
    await field('Kennung').fill('press-9')
    await field('Titel').fill('Presse 9')
    for (let step = 0; step < 2; step += 1) await button('Zurück').click()
    await button('Konnektor anlegen').click()
    await page.getByText('Webhook (eingehend)').first().click()
    await field('Name').fill('Neue Halle')
    await button('Prüfen und speichern').click()
    await page.getByRole('heading', { name: 'Gerät anlegen' }).waitFor()
    expect(await page.getByRole('radio', { name: /Neue Halle/ }).isChecked()).toBe(true)
    await button('Weiter').click()
    await button('Weiter').click()
    expect(await field('Kennung').inputValue()).toBe('press-9')
    expect(await field('Titel').inputValue()).toBe('Presse 9')
  })
})

describe('a dialog', () => {
  it('asks before Escape and a click beside lose what was entered', async () => {
    await button('Abbrechen').click()
    await button('Verwerfen und verlassen').click()
    await open('/dashboards')
    await page.getByRole('button', { name: 'Dashboard anlegen' }).first().click()
    await field('Name').fill('Rathaus')
    await page.keyboard.press('Escape')
    await button('Weiter bearbeiten').click()
    await page.getByText('Änderungen verwerfen?').waitFor({ state: 'detached' })
    await page.mouse.click(5, 5)
    await page.getByText('Änderungen verwerfen?').waitFor()
    await page.keyboard.press('Escape')
    await page.getByText('Änderungen verwerfen?').waitFor({ state: 'detached' })
    expect(await field('Name').inputValue()).toBe('Rathaus')
  })
})
