import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { expectAccessible, startJourney } from './kit.ts'

/** Many devices at once: a file with faulty rows, and a change that is cancelled half-way. */

const folder = mkdtempSync(join(tmpdir(), 'leitstand-bulk-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const { page, platform, token, api, make, open, button, field, choice, says } = await startJourney({
  isAlone: true,
})
const settings = { preset: 'standard', template: '', messagesPerSecond: null }
const { id: connectorId } = await make.connector('Werkstor', settings)

interface Listed {
  total: number
  items: { id: number; title: string; externalId: string; tags: string[]; latitude: number | null }[]
}
const devices = (query: string) => api.get<Listed>(`/virtualdevice?${query}`)

/** Chooses a file in the step of the wizard that asks for one. */
async function choose(name: string, content: string): Promise<void> {
  const path = join(folder, name)
  writeFileSync(path, content)
  const [chooser] = await Promise.all([page.waitForEvent('filechooser'), button('Datei wählen').click()])
  await chooser.setFiles(path)
  await says(`${name} ·`)
}

describe('a file with faulty rows', () => {
  let failed: string

  it('is read, its columns are found, and one is given a name', async () => {
    await open('/virtual-devices')
    await button('Geräte importieren').first().click()
    await page.getByRole('heading', { name: 'Geräte importieren' }).waitFor()
    await page.getByRole('radio', { name: /Werkstor/ }).check()
    await expectAccessible(page, 'import, target')
    await button('Weiter').click()
    await button('Weiter').click()
    await says('Wählen Sie eine Datei.')
    await choose(
      'geraete.csv',
      [
        'DevEUI;Name;Breite;Länge;Seriennummer',
        'A8-17-58-FF-FE-00-20-01;Tor 1;53,55;9,99;S1',
        ';Ohne Kennung;53,55;9,99;S2',
        'tor-3;Tor 3;nördlich;9,99;S3',
        'tor-4;Tor 4;;;S4',
      ].join('\r\n'),
    )
    await page.getByRole('combobox', { name: 'Feld für Seriennummer' }).fill('Eigen')
    await page.getByRole('option', { name: 'Eigenschaft' }).click()
    await expectAccessible(page, 'import, columns')
    await button('Weiter').click()
  })

  it('is tried first, which tells each fault with its row and column', async () => {
    await says('Noch ist nichts angelegt.')
    await page.getByRole('row', { name: '3 Ohne Kennung DevEUI: Der Wert ist erforderlich' }).waitFor()
    await page.getByRole('row', { name: '4 Tor 3 Breite: Keine Zahl.' }).waitFor()
    expect((await devices('search_items=Tor')).total).toBe(0)
    await expectAccessible(page, 'import, dry run')
    await button('2 Geräte anlegen').click()
    await says('Korrigieren Sie die Datei, oder überspringen Sie die fehlerhaften Zeilen.')
  })

  it('becomes the devices without faults, and a file of the others', async () => {
    await page.getByRole('checkbox', { name: 'Fehlerhafte Zeilen überspringen' }).check()
    await field('Titel des Vorgangs').fill('Werkstore')
    await button('2 Geräte anlegen').click()
    await page.getByRole('heading', { name: 'Werkstore' }).waitFor()
    await says('Fertig, 2 fehlgeschlagen')
    await page.getByRole('main').getByRole('link', { name: 'Tor 4' }).waitFor()
    const { items } = await devices('search_items=Tor&order_by=title')
    expect(items.map(({ externalId, latitude }) => [externalId, latitude])).toEqual([
      ['A81758FFFE002001', 53.55],
      ['tor-4', null],
    ])
    await expectAccessible(page, 'result of an import')
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      button('Fehlgeschlagene als CSV').click(),
    ])
    const path = join(folder, 'failed.csv')
    await download.saveAs(path)
    failed = readFileSync(path, 'utf8')
    expect(failed).toContain('tor-3;Tor 3;nördlich;9,99;S3;Breite: NO_NUMBER')
  })

  it('is mended and uploaded again', async () => {
    await open('/virtual-devices?import=1')
    await page.getByRole('radio', { name: /Werkstor/ }).check()
    await button('Weiter').click()
    await choose('gebessert.csv', failed.replace('nördlich', '53,6').replace(';Ohne Kennung', 'tor-2;Tor 2'))
    await button('Weiter').click()
    await field('Titel des Vorgangs').fill('Werkstore, zweiter Versuch')
    await button('2 Geräte anlegen').click()
    await says('Fertig')
    expect((await devices('search_items=Tor')).total).toBe(4)
    await open('/background-jobs?tab=imports')
    await page.getByRole('main').getByRole('link', { name: 'Werkstore, zweiter Versuch' }).waitFor()
    await expectAccessible(page, 'background jobs')
  })

  it('says of a job that is not there what may have happened, and leads back to the others', async () => {
    await open('/background-jobs?job=999999')
    await page.getByRole('heading', { level: 1, name: 'Nicht gefunden' }).waitFor()
    await says('Vielleicht wurde es gelöscht, oder Sie dürfen es nicht sehen.')
    await expectAccessible(page, 'job that is not there')
    await page.getByRole('link', { name: 'Zur Liste' }).click()
    await page.getByRole('heading', { level: 1, name: 'Hintergrundvorgänge' }).waitFor()
  })
})

/** More than any machine can change before the test presses the button. */
const many = 3000

describe('a bulk edit', () => {
  it('takes all that match and is cancelled half-way: what was processed stays', async () => {
    await importMany()
    await open('/virtual-devices?tag=Halle')
    await page.getByRole('checkbox', { name: 'Zeile auswählen' }).first().check()
    await button('Alle 3.000 Treffer ändern').click()
    await says('3.000 Geräte')
    await choice('Tags hinzufügen').fill('geprüft')
    await page.keyboard.press('Enter')
    await page.getByRole('checkbox', { name: 'Betriebsstatus' }).check()
    await expectAccessible(page, 'bulk edit, changes')
    await button('Weiter').click()
    await page.getByRole('heading', { name: 'Was sich ändert' }).waitFor()
    await field('Titel des Vorgangs').fill('kurz')
    await button('3.000 Geräte ändern').click()
    await field('Titel des Vorgangs').fill('Alle prüfen')
    await expectAccessible(page, 'bulk edit, apply')
    await button('3.000 Geräte ändern').click()
    await page.getByRole('heading', { name: 'Alle prüfen' }).waitFor()
    await page
      .getByRole('row', { name: /Erledigt/ })
      .first()
      .waitFor()
    await button('Abbrechen').click()
    await button('Fortsetzen').waitFor()
    const changed = (await devices(`tags=${encodeURIComponent('geprüft')}`)).total
    expect(changed).toBeGreaterThan(0)
    expect(changed).toBeLessThan(many)
    await page.getByText(`${changed.toLocaleString('de-DE')} von 3.000`).waitFor()
  })

  it('deletes devices whose number is typed', async () => {
    await open('/virtual-devices?q=Tor')
    await page.getByRole('checkbox', { name: 'Alle Zeilen dieser Seite auswählen' }).check()
    await button('Massenänderung').click()
    await page.getByRole('radio', { name: /Alle ausgewählten löschen/ }).check()
    await button('Weiter').click()
    await field('Titel des Vorgangs').fill('Tore weg')
    await field('Zahl der Geräte').fill('3')
    await button('4 Geräte löschen').click()
    await says('Die eingegebene Zahl stimmt nicht mit der Zahl der Geräte überein.')
    await field('Zahl der Geräte').fill('4')
    await button('4 Geräte löschen').click()
    await says('Fertig')
    expect((await devices('search_items=Tor')).total).toBe(0)
  })

  it('stands among the jobs on a phone, too', async () => {
    await page.setViewportSize({ width: 375, height: 800 })
    await open('/background-jobs?tab=devices')
    await page.getByRole('main').getByRole('link', { name: 'Tore weg' }).waitFor()
    await expectAccessible(page, 'background jobs on a phone')
  })
})

/** Devices with the tag Halle, in an account that may change as many at once. */
async function importMany(): Promise<void> {
  const { items } = await api.get<{ items: { id: number; version: number }[] }>('/tenant/fetch/all')
  const id = items[0]?.id ?? 0
  const { version } = await api.get<{ version: number }>(`/tenant/${id}`)
  await api.put(`/tenant/${id}/bulk-limit`, { version, devices: 50_000 })
  const lines = Array.from({ length: many }, (_, at) => `halle-${at};Halle ${at}`)
  const body = new FormData()
  body.append('file', new File([['id;name', ...lines].join('\n')], 'hallen.csv'))
  const response = await fetch(`${platform.url}/api/background-runners/virtualdevice-bulk-import/upload`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    body,
  })
  const { id: uploadId } = (await response.json()) as { id: string }
  const columns = [
    { column: 0, target: 'externalId' },
    { column: 1, target: 'title' },
  ]
  const job = await api.post<{ id: number }>('/background-runners/virtualdevice-bulk-import', {
    title: 'Hallen',
    uploadId,
    settings: { connectorId, columns, tags: ['Halle'] },
  })
  await expect
    .poll(() => api.get<{ state: string }>(`/background-jobs/${job.id}`), {
      timeout: 120_000,
    })
    .toMatchObject({ state: 'done' })
}
