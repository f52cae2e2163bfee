import { expect, it } from 'vitest'
import { expectAccessible, expectFits, handsOn, phone, startJourney } from './kit.ts'

/** The states overview as an operator uses it. */

const { page, token, tabOf, api, accountId, open, choice, button, row, field, dialog, says } =
  await startJourney()

const school = await twin('Grundschule')
const hall = await twin('Turnhalle')
const co2 = await state(school, 'co2', 'CO₂', 'ppm')
await state(school, 'temperature', 'Temperatur', '°C')
await state(hall, 'humidity', 'Feuchte', '%')
await api.put(`/digitaltwin/states/${co2}/value`, { value: 900 })

async function twin(title: string): Promise<number> {
  const { id } = (await api.post('/digitaltwin', { title, accountId })) as { id: number }
  return id
}

async function state(dtwinId: number, key: string, title: string, unit: string): Promise<number> {
  const made = await api.post('/digitaltwin/states', { dtwinId, key, title, unit, source: 'none' })
  return (made as { id: number }).id
}

it('finds states, shows their values as they arrive, and opens a history', async () => {
  await open('/fm-building-mgmt')
  await row(/Temperatur/).waitFor()
  await field('Datenpunkt oder Zwilling suchen …').fill('co2')
  await row(/Temperatur/).waitFor({ state: 'detached' })
  await row(/CO₂.*900.*Grundschule/s).waitFor()
  await expectAccessible(page, 'states overview')
  await api.put(`/digitaltwin/states/${co2}/value`, { value: 1200 })
  await row(/CO₂.*1\.?200/s).waitFor()
  await button('CO₂').click()
  await dialog().getByText('Grundschule').waitFor()
  await page.goBack()
  await dialog().waitFor({ state: 'detached' })
})

it('begins a rule with the chosen state', async () => {
  await open('/digitaltwin-state-overview')
  await row(/CO₂/).getByRole('button', { name: 'Aktionen' }).click()
  await page.getByRole('menuitem', { name: 'Regel anlegen' }).click()
  await page.getByRole('heading', { level: 1, name: 'Grundschule' }).waitFor()
  await field('Titel').fill('Lüften')
  await dialog().getByRole('textbox', { name: /Wert$/ }).last().fill('1000')
  await dialog().getByRole('button', { name: 'Regel anlegen' }).click()
  await page.getByRole('switch', { name: /Lüften/ }).waitFor()
  const { items } = await api.get<{ items: object[] }>(`/digitaltwin/ddr/list?dtwinId=${school}`)
  expect(items).toMatchObject([{ title: 'Lüften', metrics: [{ stateId: co2 }] }])
})

it('narrows the list by conditions, and keeps them under a name', async () => {
  await open('/digitaltwin-state-overview')
  await button('Bedingungen …').click()
  await choice('Wert').fill('humidity')
  await page.keyboard.press('Enter')
  await expectAccessible(page, 'conditions of the states overview')
  await button('Anwenden').click()
  await row(/Feuchte/).waitFor()
  await row(/CO₂/).waitFor({ state: 'detached' })
  await button('1 Bedingung').waitFor()
  await button('Gespeicherte Filter').click()
  await page.getByRole('menuitem', { name: /Diesen Filter speichern/ }).click()
  await field('Name').fill('Feuchte überall')
  await dialog().getByRole('checkbox').check()
  await button('Speichern').click()
  await says('„Feuchte überall“ wurde gespeichert.')
  expect(await api.get('/digitaltwin/states/views')).toMatchObject({
    items: [{ title: 'Feuchte überall', shared: true }],
  })
  await open('/digitaltwin-state-overview?silent=never')
  await row(/Temperatur/).waitFor()
  await row(/CO₂/).waitFor({ state: 'detached' })
  await button('Gespeicherte Filter').click()
  await page.getByRole('menuitem', { name: 'Feuchte überall' }).click()
  await row(/Temperatur/).waitFor({ state: 'detached' })
  await row(/Feuchte/).waitFor()
})

it('shows the states below their twins, whose rows can be hidden', async () => {
  await open('/digitaltwin-state-overview')
  await button('Nach Zwilling').click()
  await button('Grundschule: Zeilen ausblenden').click()
  await row(/CO₂/).waitFor({ state: 'detached' })
  await says('2 Zeilen ausgeblendet')
  await row(/Feuchte/).waitFor()
  expect(await page.getByRole('table').getByText('Turnhalle').count()).toBe(1)
  await expectAccessible(page, 'states below their twins')
  await button('Grundschule: Zeilen zeigen').click()
  await row(/CO₂/).waitFor()
  await open('/digitaltwin-state-overview?by=twin&sort=-value&size=10')
  await button('Turnhalle: Zeilen ausblenden').waitFor()
  expect(await page.getByRole('button', { name: /: Zeilen ausblenden$/ }).count()).toBe(2)
})

it('puts chosen states onto a new dashboard, and one onto an existing one', async () => {
  await open('/digitaltwin-state-overview')
  await row(/CO₂/).getByRole('checkbox').check()
  await row(/Feuchte/)
    .getByRole('checkbox')
    .check()
  await page
    .getByRole('region', { name: 'Aktionen für die Auswahl' })
    .getByRole('button', { name: 'Auf ein Dashboard' })
    .click()
  await dialog().getByText('Neues Dashboard').click()
  await dialog().getByRole('button', { name: 'Hinzufügen' }).click()
  await says('Dieses Feld ist erforderlich')
  await field('Name').fill('Luft')
  await dialog()
    .getByRole('radio', { name: /^Tabelle/ })
    .check()
  await expectAccessible(page, 'states onto a dashboard')
  await dialog().getByRole('button', { name: 'Hinzufügen' }).click()
  await says(/Zu „Luft“ hinzugefügt/)
  const { items } = await api.get<{ items: { id: number; name: string }[] }>('/dashboards')
  const board = items.find(({ name }) => name === 'Luft')?.id

  await row(/CO₂/).getByRole('button', { name: 'Aktionen' }).click()
  await page.getByRole('menuitem', { name: 'Auf ein Dashboard' }).click()
  await dialog().getByRole('combobox', { name: 'Dashboard' }).fill('Luft')
  await page.getByRole('option', { name: /Luft/ }).click()
  await dialog().getByRole('button', { name: 'Hinzufügen' }).click()
  await dialog().waitFor({ state: 'detached' })
  expect(await api.get(`/dashboards/${board}`)).toMatchObject({
    widgets: [
      { definition: { type: 'twin-table', twinTableOptions: { stateKeys: ['co2', 'humidity'] } } },
      { definition: { type: 'value', title: 'Grundschule: CO₂', valueOptions: { stateIds: [co2] } } },
    ],
  })
  await page.getByRole('button', { name: 'Dashboard öffnen' }).last().click()
  await page.getByRole('heading', { level: 1, name: 'Luft' }).waitFor()
  await says(/1\.?200/)
})

it('downloads what the filter finds as a spreadsheet', async () => {
  await open('/digitaltwin-state-overview?unit=ppm')
  await row(/CO₂/).waitFor()
  await button('Datei').click()
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('menuitem', { name: /XLSX/ }).click(),
  ])
  expect(file.suggestedFilename()).toBe('Datenpunkte.xlsx')
})

it('uploads values of several twins, and says which rows are faulty', async () => {
  await open('/digitaltwin-state-overview')
  await button('Datei').click()
  await page.getByRole('menuitem', { name: 'Werte hochladen' }).click()
  const text = [
    'Zeit;Zwilling;Schlüssel;Wert',
    '2026-01-05 06:00;Grundschule;temperature;18,5',
    `2026-01-05 06:00;${hall};humidity;44`,
    '2026-01-05 06:00;Freibad;humidity;44',
  ]
  await page
    .locator('input[type=file]')
    .setInputFiles({ name: 'werte.csv', mimeType: 'text/csv', buffer: Buffer.from(text.join('\n')) })
  await says('Zeile 4, Zwilling: es gibt keinen Zwilling „Freibad“')
  await expectAccessible(page, 'values of several twins')
  await dialog().getByRole('button', { name: '2 Werte hochladen' }).click()
  await says('2 Werte hochgeladen.')
  await row(/Temperatur.*18,5/s).waitFor()
})

it('fits a phone', async () => {
  const small = await tabOf(token, phone)
  await open('/digitaltwin-state-overview', small.page)
  await handsOn(small.page).says('Temperatur')
  await expectFits(small.page, 'states overview on a phone')
  await small.context.close()
})
