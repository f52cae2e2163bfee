import { expect, it } from 'vitest'
import { expectAccessible, expectFits, handsOn, phone, startJourney } from './kit.ts'

/** States that are computed: from a time series, and from what a query finds. */

const { page, token, tabOf, api, accountId, open, button, dialog, says } = await startJourney()

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
