import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { startSshd } from '../packages/server/test/fileServers.ts'
import { cellsOf, unzipped } from '../packages/server/test/spreadsheets.ts'
import { expectAccessible, expectFits, handsOn, phone, startJourney, startMailServer } from './kit.ts'

/** An export schedule: the meter readings of the month by mail and to an SFTP server, run at once and read back. */

const mails = await startMailServer()
const sshd = await startSshd()
const { page, token, tabOf, api, accountId, ...hands } = await startJourney({
  env: { SMTP_URL: mails.url, ALLOWED_NETWORKS: '127.0.0.1' },
  uses: [mails, sshd],
})
const { open, button, dialog, row, says } = hands
const { id: dtwinId } = await api.post<{ id: number }>('/digitaltwin', { title: 'Zähler „Nord“', accountId })
const { id: stateId } = await api.post<{ id: number }>('/digitaltwin/states', {
  dtwinId,
  key: 'meter',
  title: 'Stand',
  unit: 'kWh',
  source: 'none',
})
// In the month before the last one, so that it is still the reading at the end of that one.
const now = new Date()
const measuredAt = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 2, 20)).toISOString()
await api.put(`/digitaltwin/states/${stateId}/value`, { value: 1234.5, time: measuredAt })

/** Chooses from the menu of a row. */
async function act(name: RegExp, action: string): Promise<void> {
  await row(name).getByRole('button', { name: 'Aktionen' }).click()
  await page.getByRole('menuitem', { name: action }).click()
}

describe('an export schedule', () => {
  it('is set up step by step, and says when it runs and with which values', async () => {
    await open('/scheduled-exports')
    await says('Noch kein Exportplan')
    await expectAccessible(page, 'no export schedules')
    await button('Exportplan anlegen').first().click()
    const form = handsOn(dialog())
    await form.button('Weiter').click()
    await says('Mindestens 5 Zeichen')
    await form.field('Name').fill('Zählerstände')
    await form.choose('Was', 'Digitale Zwillinge')
    await form.field('Suche').fill('Zähler')
    await says('Ein Zwilling.')
    await expectAccessible(page, 'what an export schedule exports')
    await form.button('Weiter').click()
    await says(/Läuft das nächste Mal am 1\. .* um 00:15, mit Werten von 1\. /)
    await expectAccessible(page, 'when an export schedule runs')
    await form.button('Weiter').click()
    await form.choose('Welche Werte', 'Zählerstand zum Stichtag')
    await form.choose('Stichtag am Ende von', 'Monat')
    await form.button('Weiter').click()
  })

  it('takes a server once its fingerprint was read and it was tried', async () => {
    const form = handsOn(dialog())
    await form.button('Ziel hinzufügen').click()
    await page.getByRole('menuitem', { name: 'SFTP' }).click()
    await form.field('Server').fill('127.0.0.1')
    await form.field('Port').fill(String(sshd.port))
    await form.field('Benutzername').fill(sshd.username)
    await form.choose('Anmeldung', 'Privater Schlüssel')
    await form.field('Privater Schlüssel').fill(sshd.privateKey)
    await form.field('Ordner').fill('reports')
    await form.button('Fingerabdruck abrufen').click()
    await expect.poll(() => form.field('Fingerabdruck des Servers').inputValue()).toBe(sshd.fingerprint)
    await form.button('Ausprobieren').click()
    await says('Der Server nimmt Dateien an.')
    await expectAccessible(page, 'targets of an export schedule')
    await form.button('Weiter').click()
    await says('E-Mail, SFTP')
    await expectAccessible(page, 'file of an export schedule')
    await form.button('Exportplan anlegen').click()
    await row(/Zählerstände/).waitFor()
    await says('Monatlich am 1. um 00:15')
    await expectAccessible(page, 'export schedules')
  })

  it('runs at once: the spreadsheet is in the mail and on the server', async () => {
    await act(/Zählerstände/, 'Jetzt ausführen')
    const history = handsOn(dialog())
    await history.says('Ausgeliefert')
    await history.says('Von Hand gestartet')
    await expectAccessible(page, 'history of an export schedule')
    const mail = await mails.next()
    expect(mail.subject).toContain('Zählerstände: ')
    const [attached] = mail.attachments
    expect(attached?.filename).toMatch(/^Zählerstände \d{4}-\d\d-\d\d .*\.zip$/)
    const { name, content } = unzipped(new Uint8Array(attached?.content as ArrayBuffer))
    expect(name).toMatch(/\.xlsx$/)
    const [titles, ...readings] = await cellsOf(content)
    expect(titles).toContain('Wert')
    expect(readings).toHaveLength(1)
    expect(readings[0]).toEqual(expect.arrayContaining(['Zähler „Nord“', 'Stand', 1234.5, 'kWh']))
    const folder = join(sshd.folder, 'reports')
    const [stored] = readdirSync(folder)
    expect(stored).toBe(name)
    expect(await cellsOf(readFileSync(join(folder, stored as string)))).toEqual([titles, ...readings])
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      history.button('Herunterladen').click(),
    ])
    expect(download.suggestedFilename()).toBe(name)
  })

  it('is duplicated with its secrets, switched off and deleted', async () => {
    await open('/scheduled-exports')
    await act(/Zählerstände/, 'Duplizieren')
    const form = handsOn(dialog())
    await form.field('Name').fill('Zählerstände, Kopie')
    await page.keyboard.press('Escape')
    await says('Änderungen verwerfen?')
    await button('Weiter bearbeiten').click()
    for (let step = 0; step < 4; step++) await form.button('Weiter').click()
    await form.button('Exportplan anlegen').click()
    const copy = row(/Zählerstände, Kopie/)
    await copy.getByRole('switch').press('Space')
    await expect.poll(() => copy.getByRole('switch').isChecked()).toBe(false)
    await act(/Zählerstände, Kopie/, 'Exportplan löschen')
    await dialog().getByRole('button', { name: 'Exportplan löschen' }).click()
    await says('wurde gelöscht')
    await copy.waitFor({ state: 'detached' })
  })

  it('fits a phone', async () => {
    const small = await tabOf(token, phone)
    await open('/scheduled-exports?create=1', small.page)
    await small.page.getByRole('dialog').getByText('Step 1 of 5').waitFor()
    await expectFits(small.page, 'new export schedule on a phone')
    await small.page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
    await small.page.getByText('Zählerstände').first().waitFor()
    await expectFits(small.page, 'export schedules on a phone')
  })
})
