import { describe, expect, it } from 'vitest'
import { expectAccessible, expectFits, phone, startJourney } from './kit.ts'

/** The words of an email: changed in the form with a preview, and taken back. */

const { page, accountId, open, button, dialog, row, says, field, tabNamed } = await startJourney()
const preview = page.frameLocator('iframe')

describe('the template of an email', () => {
  it('is found in the list of all emails, also without a domain', async () => {
    await open(`/system-settings?account=${accountId}&tab=email`)
    await row(/Passwort vergessen.*DE: mitgeliefert.*EN: mitgeliefert/).waitFor()
    await expectAccessible(page, 'all emails')
    await page.getByRole('button', { name: 'Einladung', exact: true }).click()
    await preview.getByText('für Sie wurde ein Zugang angelegt').waitFor()
    await expectAccessible(page, 'template')
  })

  it('shows what is wrong while somebody types, and how it will look', async () => {
    await field('Text').fill('Willkommen bei {{firma}}!')
    await says('Die Variable „firma“ gibt es hier nicht.')
    await says('Keine Vorschau, solange die Vorlage Fehler hat.')
    await field('Text').fill('Willkommen bei ')
    await button('{{product}} einfügen').click()
    await says('„link“ muss im Text vorkommen')
    await field('Text').press('End')
    await field('Text').pressSequentially('!\n\n')
    await button('{{link}} einfügen').click()
    await preview.getByText('Willkommen bei Leitstand!').waitFor()
    await page.getByText('Dunkel', { exact: true }).click()
    await preview.getByRole('link', { name: /change-password/ }).waitFor()
    await page.getByText('Nur Text', { exact: true }).click()
    await says(/Willkommen bei Leitstand!\s+https:/)
  })

  it('asks before it is lost, and is kept once it is saved', async () => {
    await tabNamed('English').click()
    await dialog().getByRole('button', { name: 'Weiter bearbeiten' }).click()
    await button('Speichern').click()
    await says('Vorlage gespeichert')
    await tabNamed('English').click()
    await preview.getByText('you now have access to Leitstand').waitFor()
    await button('Alle E-Mails').click()
    await row(/Einladung.*DE: angepasst.*EN: mitgeliefert/).waitFor()
  })

  it('is taken back', async () => {
    await page.setViewportSize(phone)
    await page.getByRole('button', { name: 'Einladung', exact: true }).click()
    await preview.getByText('Willkommen bei Leitstand!').waitFor()
    await expectFits(page, 'template on a phone')
    await button('Zurücksetzen').click()
    await dialog().getByText('für Sie wurde ein Zugang angelegt').waitFor()
    await dialog().getByRole('button', { name: 'Zurücksetzen' }).click()
    await preview.getByText('für Sie wurde ein Zugang angelegt').waitFor()
    expect(await field('Text').inputValue()).toContain('[Passwort setzen]({{link}})')
    await expectFits(page, 'template on a phone after reset')
  })
})
