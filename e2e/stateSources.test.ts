import { expect, it } from 'vitest'
import { expectAccessible, expectFits, handsOn, phone, startJourney } from './kit.ts'

/** States that are computed, show a figure of the platform, or set the position of their twin. */

const { page, token, tabOf, api, accountId, make, open, button, dialog, says } = await startJourney()

const school = await twin('Grundschule')
const meter = await state(school, 'energy', 'Zählerstand')
for (const [index, value] of [100, 104, 110].entries()) {
  const time = new Date(Date.now() - (30 - index) * 60_000).toISOString()
  await api.put(`/digitaltwin/states/${meter}/value`, { value, time })
}
for (let number = 1; number <= 12; number++) {
  const room = await state(await twin(`Raum ${number}`, school), 'temperature', 'Temperatur')
  await api.put(`/digitaltwin/states/${room}/value`, { value: number })
}

async function twin(title: string, parentId?: number): Promise<number> {
  const { id } = (await api.post('/digitaltwin', { title, accountId, parentId })) as { id: number }
  return id
}

async function state(dtwinId: number, key: string, title: string): Promise<number> {
  const made = await api.post('/digitaltwin/states', { dtwinId, key, title, unit: 'kWh', source: 'none' })
  return (made as { id: number }).id
}

async function stateNamed(title: string) {
  const { items } = await api.get<{ items: { title: string; value: unknown; sourceSettings: object }[] }>(
    `/digitaltwin/${school}/states`,
  )
  return items.find((each) => each.title === title)
}

async function begin(title: string, source: string) {
  await open(`/digitaltwin-mgmt/${school}?tab=states`)
  await button('Datenpunkt anlegen').first().click()
  await dialog().getByRole('textbox', { name: 'Titel' }).fill(title)
  await handsOn(dialog()).choose('Woher kommt der Wert?', source)
}

const save = () => dialog().getByRole('button', { name: 'Datenpunkt anlegen' }).click()

it('computes the difference of a meter over a period, with its value before it is saved', async () => {
  await begin('Verbrauch', 'Aus einer Zeitreihe berechnet')
  const form = handsOn(dialog())
  await form.choose('Datenpunkt', /Zählerstand/)
  await form.choose('Berechnung', 'Maximum')
  await form.choose('Zeitraum', '1 Stunde')
  await dialog()
    .getByText(/Ergebnis jetzt: 110.*Werte seit .*: 3/)
    .waitFor()
  await expectAccessible(page, 'form of a time series')
  await form.choose('Berechnung', 'Differenz zum vorigen Wert')
  await dialog().getByText('Ergebnis jetzt: 6', { exact: true }).waitFor()
  await save()
  await says('„Verbrauch“ wurde angelegt.')
  expect(await stateNamed('Verbrauch')).toMatchObject({
    value: 6,
    sourceSettings: { stateIds: [meter], operation: 'valueDifference' },
  })
})

it('computes what a query finds, with the states it finds', async () => {
  await begin('Mittlere Temperatur', 'Aus Datenpunkten berechnet')
  await dialog().getByText('Durch Suche gefunden').click()
  await dialog().getByRole('textbox', { name: 'Schlüssel der Datenpunkte' }).fill('temperature')
  await handsOn(dialog()).choose('Zwilling mit allem darunter', /^Grundschule/)
  await dialog()
    .getByText(/Ergebnis jetzt: 6,5.*12 von 12/)
    .waitFor()
  await expectAccessible(page, 'form of an aggregate by query')
  await dialog().getByRole('button', { name: 'Nächste Seite' }).click()
  await dialog()
    .getByText(/Raum 12/)
    .waitFor()
  await save()
  await says('„Mittlere Temperatur“ wurde angelegt.')
  expect(await stateNamed('Mittlere Temperatur')).toMatchObject({ value: 6.5 })
})

it('shows a figure of the platform before it is saved', async () => {
  const { id: connectorId } = await make.connector('Netz')
  for (const number of [1, 2])
    await api.post('/virtualdevice', {
      title: `Zähler ${number}`,
      externalId: `meter-${number}`,
      connectorId,
      parentId: school,
    })
  await begin('Geräte', 'Angabe der Plattform')
  const form = handsOn(dialog())
  await form.choose('Angabe', 'Anzahl der Geräte')
  await dialog().getByText('Ergebnis jetzt: 2', { exact: true }).waitFor()
  await expectAccessible(page, 'form of a figure of the platform')
  await form.choose('Angabe', 'Geräte mit Fehlern')
  await dialog().getByText('Ergebnis jetzt: 0', { exact: true }).waitFor()
  await form.choose('Angabe', 'Anzahl der Geräte')
  await save()
  await says('„Geräte“ wurde angelegt.')
  expect(await stateNamed('Geräte')).toMatchObject({ sourceSettings: { figure: 'devices' } })
  await expect.poll(async () => (await stateNamed('Geräte'))?.value).toBe(2)
})

it('links states to latitude and longitude, so that their values move the twin', async () => {
  const boat = await twin('Boot')
  const states = [await state(boat, 'north', 'Nord'), await state(boat, 'east', 'Ost')]
  const link = async (title: string, axis: string) => {
    await button(`Aktionen für ${title}`).click()
    await page.getByRole('menuitem', { name: 'Bearbeiten' }).click()
    await handsOn(dialog()).choose('Position des Zwillings', axis)
    await dialog().getByRole('button', { name: 'Speichern' }).click()
  }
  await open(`/digitaltwin-mgmt/${boat}?tab=states`)
  await link('Nord', 'Breitengrad')
  await says('„Nord“ wurde gespeichert.')
  await page.getByLabel('Verschiebt den Zwilling: Breitengrad').waitFor()
  // Only one state sets a part of the position.
  await link('Ost', 'Breitengrad')
  await says('Ein anderer Datenpunkt setzt diesen Teil der Position bereits.')
  await expectAccessible(page, 'a part of the position that is taken')
  await handsOn(dialog()).choose('Position des Zwillings', 'Längengrad')
  await dialog().getByRole('button', { name: 'Speichern' }).click()
  await says('„Ost“ wurde gespeichert.')
  for (const [index, value] of [54.31, 10.14].entries())
    await api.put(`/digitaltwin/states/${states[index]}/value`, { value })
  await expect
    .poll(() => api.get<object>(`/digitaltwin/${boat}`))
    .toMatchObject({ latitude: 54.31, longitude: 10.14 })
  await page.getByRole('tab', { name: 'Position' }).click()
  await says('Position und Weg')
})

it('fits a phone', async () => {
  const small = await tabOf(token, phone)
  const on = handsOn(small.page)
  await open(`/digitaltwin-mgmt/${school}?tab=states`, small.page)
  await on.button('Create state').first().click()
  await handsOn(on.dialog()).choose('Where does the value come from?', 'Computed from states')
  await on.dialog().getByText('Found by a query').click()
  await on.dialog().getByRole('textbox', { name: 'Key of the states' }).fill('temperature')
  await on
    .dialog()
    .getByText(/12 of 12/)
    .waitFor()
  await expectFits(small.page, 'aggregate by query on a phone')
  await small.context.close()
})
