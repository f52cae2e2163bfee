import { describe, expect, it } from 'vitest'
import { expectAccessible, expectFits, handsOn, phone, startJourney, startMailServer } from './kit.ts'

/** An alarm report: made step by step with the keyboard, tested and received, changed, copied and deleted. */

const mails = await startMailServer()
const { page, token, tabOf, api, make, accountId, ...hands } = await startJourney({
  env: { SMTP_URL: mails.url },
  uses: [mails],
})
const { open, button, dialog, heading, row, says } = hands
const { id: connectorId } = await make.connector('Stadtwerke', { preset: 'standard' })
await make.device('Pumpe „Süd“ <b>', 'pump-1', { connectorId })
const { id: groupId } = await api.post<{ id: number }>('/virtualdevice/views', { title: 'Pumpen', accountId })

const { keyboard } = page

describe('an alarm report', () => {
  it('is made step by step with the keyboard, and shows beforehand how it will look', async () => {
    await open('/alarm-log-reports')
    await says('Noch kein Alarmbericht')
    await expectAccessible(page, 'no alarm reports')
    await button('Alarmbericht anlegen').first().focus()
    await keyboard.press('Enter')
    const form = handsOn(dialog())
    await form.field('Name').waitFor()
    await keyboard.press('Enter')
    await says('Dieses Feld ist erforderlich')
    await expectAccessible(page, 'new alarm report')
    await form.field('Name').focus()
    await keyboard.type('Pumpen, täglich')
    await form.choice('Gerätegruppe').focus()
    await keyboard.type('Pump')
    await page.getByRole('option', { name: 'Pumpen' }).waitFor()
    await keyboard.press('ArrowDown')
    await keyboard.press('Enter')
    await form.button('Weiter').press('Enter')
    await dialog().getByRole('radio', { name: 'An jedem der Tage' }).focus()
    await keyboard.press('Space')
    await dialog()
      .getByRole('checkbox', { name: 'Offene Fehler oder Warnungen' })
      .waitFor({ state: 'detached' })
    await expectAccessible(page, 'when an alarm report is sent')
    await form.button('Weiter').press('Enter')
    await form.field('Betreff').focus()
    await keyboard.type('Pumpen heute – 30 °C')
    const preview = page.frameLocator('iframe[title="Vorschau"]')
    await preview.getByRole('heading', { name: 'Pumpen heute – 30 °C' }).waitFor()
    await preview.getByRole('heading', { name: 'Überblick' }).waitFor()
    await says('Jetzt würde der Bericht verschickt.')
    await dialog().getByRole('checkbox', { name: 'Geräte mit zu wenigen Paketen' }).focus()
    await keyboard.press('Space')
    // What devices are called is text.
    await preview.getByText('Pumpe „Süd“ <b>').waitFor()
    await expectAccessible(page, 'content of an alarm report')
    await form.button('Weiter').press('Enter')
    await says('Wer nicht zum Account gehört, wird zuerst gefragt.')
    await expectAccessible(page, 'recipients of an alarm report')
    await form.button('Weiter').press('Enter')
  })

  it('is tested before it is saved, and received with a PDF', async () => {
    const form = handsOn(dialog())
    await form.button('Test an mich senden').press('Enter')
    const mail = await mails.next()
    expect(mail.subject).toBe('[Test] Pumpen heute – 30 °C')
    expect(mail.html).toContain('Pumpe „Süd“ &#60;b&#62;')
    expect(mail.attachments[0]).toMatchObject({
      filename: 'Pumpen täglich.pdf',
      mimeType: 'application/pdf',
    })
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      form.button('PDF des Tests herunterladen').press('Enter'),
    ])
    expect(download.suggestedFilename()).toBe('Pumpen, täglich.pdf')
    await expectAccessible(page, 'tested alarm report')
    await form.button('Alarmbericht anlegen').press('Enter')
    await row(/Pumpen, täglich/).waitFor()
    await says('Noch nicht verschickt')
    await expectAccessible(page, 'alarm reports')
  })

  it('keeps its group', async () => {
    await open(`/virtual-device-groups/${groupId}?tab=files`)
    await says('berichtet darüber')
    await open('/alarm-log-reports')
  })

  it('is changed, and asks before input is lost', async () => {
    await row(/Pumpen, täglich/)
      .getByRole('link', { name: 'Pumpen, täglich' })
      .click()
    const form = handsOn(dialog())
    await form.field('Name').fill('Pumpen am Morgen')
    await keyboard.press('Escape')
    await says('Änderungen verwerfen?')
    await button('Weiter bearbeiten').click()
    for (let step = 0; step < 4; step++) await form.button('Weiter').click()
    await form.button('Speichern').click()
    await row(/Pumpen am Morgen/).waitFor()
  })

  it('is copied, switched off, and has a history', async () => {
    const menu = async (name: RegExp, action: string) => {
      await row(name).getByRole('button', { name: 'Aktionen' }).click()
      await page.getByRole('menuitem', { name: action }).click()
    }
    await menu(/Pumpen am Morgen/, 'Duplizieren')
    const form = handsOn(dialog())
    await expect.poll(() => form.field('Name').inputValue()).toBe('Pumpen am Morgen (Kopie)')
    for (let step = 0; step < 4; step++) await form.button('Weiter').click()
    await form.button('Alarmbericht anlegen').click()
    await row(/Kopie/).waitFor()
    await menu(/Kopie/, 'Deaktivieren')
    await says('„Pumpen am Morgen (Kopie)“ wird nicht mehr verschickt.')
    await menu(/Kopie/, 'Bisherige Berichte')
    await says('Noch kein Bericht')
    await expectAccessible(page, 'history of an alarm report')
    await keyboard.press('Escape')
    await menu(/Kopie/, 'Alarmbericht löschen')
    await dialog().getByRole('button', { name: 'Alarmbericht löschen' }).click()
    await row(/Kopie/).waitFor({ state: 'detached' })
  })

  it('can be seen on a phone', async () => {
    const small = await tabOf(token, phone)
    await open('/alarm-log-reports?create=1', small.page)
    await small.page.getByRole('dialog').getByText('Step 1 of 5').waitFor()
    await expectFits(small.page, 'new alarm report')
    await small.page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
    await small.page.getByText('Pumpen am Morgen').waitFor()
    await expectFits(small.page, 'alarm reports')
    await heading('Alarmberichte').waitFor()
  })
})
