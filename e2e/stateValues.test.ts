import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { expectAccessible, expectFits, handsOn, phone, startJourney } from './kit.ts'

/** Stored values of states: units, corrections with a reason. */

const { page, token, tabOf, api, accountId, open, button, dialog, says } = await startJourney()

const { id: school } = await api.post<{ id: number }>('/digitaltwin', { title: 'Grundschule', accountId })
const { id: stateId } = await api.post<{ id: number }>('/digitaltwin/states', {
  dtwinId: school,
  key: 'temperature',
  title: 'Temperatur',
  unit: '°C',
  source: 'none',
  upperBound: 40,
})
const startMs = Date.now() - 3_600_000
for (const [index, value] of [20, 21, 950].entries())
  await api.put(`/digitaltwin/states/${stateId}/value`, {
    value,
    time: new Date(startMs + index * 60_000).toISOString(),
  })

async function history(): Promise<unknown[]> {
  const { rows } = await api.post<{ rows: { value: unknown }[] }>('/digitaltwin/states/postgres-fetch', {
    stateIds: [stateId],
  })
  return rows.map(({ value }) => value).reverse()
}

const inDialog = () => handsOn(dialog().last())

it('corrects and deletes stored values with a reason', async () => {
  await open(`/digitaltwin-mgmt/${school}?tab=states&values=${stateId}&show=table`)
  const actions = dialog().getByRole('button', { name: /^Aktionen für den Wert vom/ })
  await actions.first().click()
  await page.getByRole('menuitem', { name: 'Korrigieren' }).click()
  await inDialog().says(/Gespeicherter Wert vom .*: 950/)
  await inDialog().field(/^Wert/).fill('22')
  await inDialog().button('Korrigieren').click()
  await inDialog().says('Dieses Feld ist erforderlich')
  await expectAccessible(page, 'correcting a value')
  await inDialog().field('Grund').fill('Komma vergessen')
  await inDialog().button('Korrigieren').click()
  await says(/^Gespeichert$/)
  expect(await history()).toEqual([20, 21, 22])

  await actions.last().click()
  await page.getByRole('menuitem', { name: 'Löschen' }).click()
  await inDialog().field('Grund').fill('Einbau des Sensors')
  await inDialog().button('Löschen').click()
  await says('1 Wert gelöscht.')
  expect(await history()).toEqual([21, 22])

  const { items } = await api.get<{ items: { action: string; changes: object }[] }>(
    `/activityLog?subject=State&objectId=${stateId}`,
  )
  expect(items.map(({ action, changes }) => ({ action, ...changes }))).toMatchObject([
    { action: 'deleteValues', values: 1, reason: 'Einbau des Sensors' },
    { action: 'correctValue', value: { before: 950, after: 22 }, reason: 'Komma vergessen' },
    {},
    {},
    {},
    {},
  ])
})

it('asks what a new unit means, and converts values and limits', async () => {
  await open(`/digitaltwin-mgmt/${school}?tab=states`)
  await button('Aktionen für Temperatur').click()
  await page.getByRole('menuitem', { name: 'Bearbeiten' }).click()
  const form = handsOn(dialog())
  const unit = dialog().getByRole('combobox', { name: 'Einheit' }).or(form.field('Einheit')).first()
  await unit.fill('fahrenheit')
  await page.getByRole('option', { name: /°F/ }).click()
  await dialog().getByText('sind in °C: in °F umrechnen').click()
  expect(await form.field('Plausibel bis').inputValue()).toBe('104')
  await expectAccessible(page, 'a new unit')
  await form.button('Speichern').click()
  await says('„Temperatur“ wurde gespeichert.')
  expect(await history()).toEqual([69.8, 71.6])
  await says(/71,6/)
})

it('uploads values from a file, without its faulty cells', async () => {
  await open(`/digitaltwin-mgmt/${school}?tab=states`)
  await button('Datei').click()
  await page.getByRole('menuitem', { name: 'Werte hochladen' }).click()
  const day = new Date(startMs - 24 * 3_600_000).toISOString().slice(0, 10)
  const text = ['Zeit;Temperatur;Bemerkung', `${day} 06:00;64,5;`, `${day} 06:15;warm;Ofen`, 'morgens;65;']
  await page
    .locator('input[type=file]')
    .setInputFiles({ name: 'werte.csv', mimeType: 'text/csv', buffer: Buffer.from(text.join('\n')) })
  await says('2 Zellen sind unbrauchbar.')
  await says('Zeile 3, Temperatur: „warm“ passt nicht zum Datentyp')
  await says('Zeile 4, Zeit: „morgens“ ist keine Zeit')
  await says('Nicht verwendet: Bemerkung')
  await expectAccessible(page, 'a file of values')
  await inDialog().button('1 Wert hochladen').click()
  await says('1 Wert hochgeladen.')
  expect(await history()).toEqual([64.5, 69.8, 71.6])
})

it('downloads the history of a state in every format', async () => {
  await open(`/digitaltwin-mgmt/${school}?tab=states&values=${stateId}&show=table`)
  for (const [name, ending, begin] of [
    ['CSV', 'csv', 'Zeit'],
    ['Excel (XLSX)', 'xlsx', 'PK'],
    ['JSON Lines', 'jsonl', '{"time":"'],
    ['Parquet', 'parquet', 'PAR1'],
  ] as const) {
    await inDialog().button('Als Datei herunterladen').click()
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name, exact: true }).click(),
    ])
    expect(file.suggestedFilename()).toBe(`Grundschule Temperatur.${ending}`)
    expect((await readFile(await file.path(), 'utf8')).replace('\uFEFF', '')).toMatch(begin)
  }
})

it('downloads the values of several states as a spreadsheet', async () => {
  await open(`/digitaltwin-mgmt/${school}?tab=states`)
  await button('Datei').click()
  await page.getByRole('menuitem', { name: 'Werte herunterladen' }).click()
  await expectAccessible(page, 'downloading values')
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    inDialog().button('Herunterladen').click(),
  ])
  expect(file.suggestedFilename()).toBe('Grundschule.xlsx')
})

it('fits a phone', async () => {
  const small = await tabOf(token, phone)
  await open(`/digitaltwin-mgmt/${school}?tab=states&values=${stateId}&show=table`, small.page)
  const on = handsOn(small.page)
  await on
    .dialog()
    .getByRole('button', { name: /^Actions for the value of/ })
    .first()
    .click()
  await small.page.getByRole('menuitem', { name: 'Correct' }).click()
  await on.says(/Stored value of/)
  await expectFits(small.page, 'correcting a value on a phone')
  await small.context.close()
})
