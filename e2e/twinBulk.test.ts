import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { expectAccessible, expectFits, handsOn, phone, startJourney } from './kit.ts'

/** Many twins at once: copies by the rows of a file, a change of all that match a filter, and undoing it. */

const folder = mkdtempSync(join(tmpdir(), 'leitstand-twins-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const { page, platform, api, accountId, open, tabOf, ...hands } = await startJourney()
const { button, dialog, says } = hands

interface Item {
  id: number
  title: string
  parentId: number | null
  tags: string[]
}
const post = (path: string, body: object) => api.post<Item>(path, body)
const find = async (search: string) =>
  (await api.get<{ items: Item[] }>(`/digitaltwin?search=${search}&orderBy=title`)).items

describe('a twin is duplicated from a file', () => {
  const form = () => handsOn(dialog())
  let sample: string

  it('after a sample file with the columns of the twin was downloaded', async () => {
    await post('/digitaltwin', { title: 'Ringstraße', accountId })
    const house = await post('/digitaltwin', {
      title: 'Musterhaus',
      accountId,
      type: 'building',
      tags: ['wohnen'],
      keyValues: { hersteller: 'Acme' },
      referenceIds: [{ name: 'eui', value: '70B3D57ED0000000' }],
    })
    await post('/digitaltwin', { title: 'Keller', parentId: house.id, type: 'room' })
    await open(`/digitaltwin-mgmt/${house.id}`)
    await button('Aktionen für Musterhaus').click()
    await page.getByRole('menuitem', { name: 'Aus Datei duplizieren' }).click()
    await form().says('1 Zwilling darunter')
    await expectAccessible(page, 'duplicating from a file, template')
    await form().button('Weiter').click()
    await form().button('Weiter').click()
    await form().says('Wählen Sie eine Datei.')
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      form().button('Beispieldatei herunterladen').click(),
    ])
    sample = readFileSync(await file.path(), 'utf8')
    expect(sample).toContain('Titel;Beschreibung;Typ;Tags;Zonen;Adresse;Breite;Länge;Übergeordneter Zwilling')
    expect(sample).toContain('Eigenschaft hersteller;Referenz-ID eui')
  })

  it('whose columns are known, and whose faults are shown with line and reason', async () => {
    const [header = '', first = '', second = ''] = sample.trim().split('\r\n')
    const path = join(folder, 'haeuser.csv')
    const lines = [
      header,
      first
        .replace('Musterhaus 1', 'Ringstraße 1')
        .replace(/;;Acme;$/, ';Ringstraße;Acme;70-B3-D5-7E-D0-00-11-22'),
      second.replace('Musterhaus 2', 'Ringstraße 2').replace(/$/, 'ABC'),
      second.replace('Musterhaus 2', 'Ringstraße 3').replace('Gebäude', 'Schloss'),
      second.replace('Musterhaus 2', 'Ringstraße 4'),
    ]
    writeFileSync(path, lines.join('\r\n'))
    const choosing = page.waitForEvent('filechooser')
    await form().button('Datei wählen').click()
    await (await choosing).setFiles(path)
    await form().says('haeuser.csv · 4 Zeilen')
    await expectAccessible(page, 'duplicating from a file, columns')
    await form().button('Weiter').click()
    await form().says('Noch ist nichts angelegt.')
    await page
      .getByRole('row', { name: '3 Ringstraße 2 Referenz-ID eui: Eine EUI-64 hat 16 Hex-Ziffern.' })
      .waitFor()
    await page.getByRole('row', { name: '4 Ringstraße 3 Typ: Diesen Typ gibt es nicht.' }).waitFor()
    await form().says('Jede Kopie besteht aus 2 Zwillingen, zusammen sind es 4.')
    await expectAccessible(page, 'duplicating from a file, dry run')
    await form().button('2 Kopien anlegen').click()
    await form().says('Korrigieren Sie die Datei, oder überspringen Sie die fehlerhaften Zeilen.')
  })

  it('and the good rows become copies with everything below them', async () => {
    await dialog().getByRole('checkbox', { name: 'Fehlerhafte Zeilen überspringen' }).check()
    await form().field('Titel des Vorgangs').fill('Häuser der Ringstraße')
    await form().button('2 Kopien anlegen').click()
    await page.getByRole('heading', { name: 'Häuser der Ringstraße' }).waitFor()
    await says('Fertig, 2 fehlgeschlagen')
    await page.getByRole('main').getByRole('link', { name: 'Ringstraße 1' }).click()
    await page.getByRole('heading', { name: 'Ringstraße 1', level: 1 }).waitFor()
    await says('Keller')
    const [street, first, fourth] = await find('Ringstraße')
    expect([first?.title, fourth?.title]).toEqual(['Ringstraße 1', 'Ringstraße 4'])
    expect(first).toMatchObject({ parentId: street?.id, tags: ['wohnen'] })
    expect(await api.get(`/digitaltwin/${first?.id}`)).toMatchObject({
      keyValues: { hersteller: 'Acme' },
      referenceIds: [{ name: 'eui', value: '70B3D57ED0001122' }],
    })
  })

  it('on a phone, too', async () => {
    const [house] = await find('Musterhaus')
    const { page: small } = await tabOf(await platform.login(), phone)
    await open(`/digitaltwin-mgmt/${house?.id}`, small)
    await small.getByRole('button', { name: 'Actions for Musterhaus' }).click()
    await small.getByRole('menuitem', { name: 'Duplicate from a file' }).click()
    await small.getByText('1 twin below').waitFor()
    await expectFits(small, 'duplicating from a file')
    await small.getByRole('button', { name: 'Next' }).click()
    await small.getByRole('button', { name: 'Download a sample file' }).waitFor()
    await expectFits(small, 'duplicating from a file, file')
  })
})

describe('many twins are changed together', () => {
  it('from the list, all that match its filter', async () => {
    for (const title of ['Lager 1', 'Lager 2', 'Lager 3'])
      await post('/digitaltwin', { title, accountId, type: 'room', tags: ['lager'] })
    await open('/digitaltwin-mgmt/list?tag=lager')
    await page
      .getByRole('row', { name: /Lager 1/ })
      .getByRole('checkbox')
      .check()
    await button('Alle 3 Treffer ändern').click()
    await page.getByRole('heading', { name: 'Zwillinge gemeinsam ändern' }).waitFor()
    await says('3 Zwillinge')
    await button('Weiter').click()
    await says('Wählen Sie mindestens eine Änderung.')
    await hands.choice('Tags hinzufügen').fill('halle')
    await page.keyboard.press('Enter')
    await hands.choice('Tags entfernen').fill('lager')
    await page.keyboard.press('Enter')
    await page.getByRole('checkbox', { name: 'Übergeordneter Zwilling' }).check()
    await hands.choice('Übergeordneter Zwilling').fill('Ringstraße')
    await page.getByRole('option', { name: /^Ringstraße \(/ }).click()
    await expectAccessible(page, 'bulk edit of twins, changes')
    await button('Weiter').click()
    await says('Was sich ändert')
    await says(/^Ringstraße \(/)
    await expectAccessible(page, 'bulk edit of twins, summary')
    await button('3 Zwillinge ändern').click()
    await page.waitForURL(/background-jobs/)
    await says(/^Fertig$/)
    const [street] = await find('Ringstraße')
    for (const lager of await find('Lager'))
      expect(lager).toMatchObject({ parentId: street?.id, tags: ['halle'] })
  })

  it('which can be undone from the result, except for what has changed since', async () => {
    const [, second] = await find('Lager')
    const { version, ...current } = await api.get<Item & { version: number }>(`/digitaltwin/${second?.id}`)
    await api.put(`/digitaltwin/${second?.id}`, { ...current, version, parentId: null })
    await button('Rückgängig').click()
    await says('Massenänderung von Zwillingen rückgängig machen')
    await says(/^Fertig$/)
    await page.getByRole('row', { name: /Lager 2 .*Bleibt, wo er ist: / }).waitFor()
    await expectAccessible(page, 'an undone bulk edit')
    for (const lager of await find('Lager')) expect(lager).toMatchObject({ parentId: null, tags: ['lager'] })
    await button('Rückgängig').waitFor({ state: 'detached' })
  })

  it('and deleted once their number is typed', async () => {
    await open('/digitaltwin-mgmt/list?tag=lager')
    for (const title of ['Lager 2', 'Lager 3'])
      await page
        .getByRole('row', { name: new RegExp(title) })
        .getByRole('checkbox')
        .check()
    await button('Massenänderung').click()
    await page.getByRole('radio', { name: /Alle ausgewählten löschen/ }).check()
    await button('Weiter').click()
    await button('2 Zwillinge löschen').click()
    await says('Das ist nicht die Zahl der Zwillinge.')
    await hands.field('Zahl der Zwillinge').fill('2')
    await button('2 Zwillinge löschen').click()
    await page.waitForURL(/background-jobs/)
    await says(/^Fertig$/)
    expect(await find('Lager')).toMatchObject([{ title: 'Lager 1' }])
  })

  it('on a phone, too', async () => {
    const { page: small } = await tabOf(await platform.login(), phone)
    await open('/digitaltwin-mgmt/list?tag=lager', small)
    await small.getByRole('checkbox').first().check()
    await small.getByRole('button', { name: 'Bulk edit' }).click()
    await small.getByRole('heading', { name: 'Edit twins together' }).waitFor()
    await expectAccessible(small, 'bulk edit of twins on a phone')
    await expectFits(small, 'bulk edit of twins')
  })
})

describe('a single twin', () => {
  it('that was disabled or moved is put back by the message', async () => {
    const [house] = await find('Musterhaus')
    const state = () => api.get<{ disabled: boolean; parentId: number | null }>(`/digitaltwin/${house?.id}`)
    await open(`/digitaltwin-mgmt/${house?.id}`)
    await button('Aktionen für Musterhaus').click()
    await page.getByRole('menuitem', { name: 'Deaktivieren' }).click()
    await dialog().getByRole('button', { name: 'Deaktivieren' }).click()
    await says('„Musterhaus“ ist deaktiviert.')
    expect(await state()).toMatchObject({ disabled: true })
    await expectAccessible(page, 'a message with undo')
    await button('Rückgängig').click()
    await says('Rückgängig gemacht.')
    expect(await state()).toMatchObject({ disabled: false })

    await button('Aktionen für Musterhaus').click()
    await page.getByRole('menuitem', { name: 'Verschieben' }).click()
    const form = handsOn(dialog())
    await form.choice('Übergeordneter Zwilling').fill('Ringstraße')
    await page.getByRole('option', { name: /^Ringstraße \(/ }).click()
    await form.button('Verschieben').click()
    await says('„Musterhaus“ wurde verschoben.')
    expect((await state()).parentId).not.toBeNull()
    // The key belongs to the dialog until it is gone.
    await dialog().waitFor({ state: 'detached' })
    await page.keyboard.press('Control+z')
    await expect.poll(async () => (await state()).parentId, { timeout: 10_000 }).toBeNull()
  })
})
