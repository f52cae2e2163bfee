import { expect, it } from 'vitest'
import { expectAccessible, expectFits, phone, startJourney } from './kit.ts'

/** Rules as an operator makes them, with the keyboard and on a phone. */

const { page, api, accountId, make, open, button, dialog, says } = await startJourney()

const hall = (await api.post('/digitaltwin', { title: 'Turnhalle', accountId })) as { id: number }
const made = await api.post('/digitaltwin/states', {
  dtwinId: hall.id,
  key: 'co2',
  title: 'CO₂',
  unit: 'ppm',
  source: 'none',
})
const co2 = (made as { id: number }).id

interface StoredRule {
  id: number
  title: string
  triggers: object[]
}

async function rules(): Promise<StoredRule[]> {
  return (await api.get<{ items: StoredRule[] }>(`/digitaltwin/ddr/list?dtwinId=${hall.id}`)).items
}

it('wakes a rule by silence, at a time of day and by hand, with the keyboard', async () => {
  await open(`/digitaltwin-mgmt/${hall.id}?tab=rules&rule=new&state=${co2}`)
  await dialog().getByRole('textbox', { name: 'Titel', exact: true }).fill('Sensor still')
  const add = async (kind: string) => {
    await button('Auslöser hinzufügen').press('Enter')
    await page.getByRole('menuitem', { name: kind }).press('Enter')
  }
  await add('Kein neuer Wert')
  await add('Uhrzeit')
  await add('Von Hand')
  await dialog().getByRole('textbox', { name: 'Minuten' }).fill('90')
  await dialog().getByRole('spinbutton', { name: 'Uhrzeit: Stunden' }).focus()
  await page.keyboard.type('0630')
  await dialog()
    .getByText(
      'Geprüft bei jedem neuen Wert, wenn co2 90 Minuten lang keinen Wert hatte, Mo–Fr um 06:30 oder von Hand.',
    )
    .waitFor()
  await expectAccessible(page, 'triggers of a rule')
  await page.setViewportSize(phone)
  await expectFits(page, 'triggers of a rule')
  await dialog().getByRole('button', { name: 'Regel anlegen' }).press('Enter')
  await says('„Sensor still“ wurde angelegt.')
  const [rule] = await rules()
  expect(rule?.triggers).toEqual([
    { kind: 'values' },
    { kind: 'silence', metric: 'co2', minutes: 90 },
    { kind: 'daily', hour: 6, minute: 30, days: [1, 2, 3, 4, 5] },
    { kind: 'manual' },
  ])
})

it('runs a rule by hand, and says so in its history', async () => {
  const rule = (await api.post('/digitaltwin/ddr', {
    dtwinId: hall.id,
    title: 'Nachsehen',
    triggers: [{ kind: 'manual' }],
    metrics: [{ alias: 'co2', stateId: co2, operation: 'latest', abortIfNull: false }],
    conditions: { op: 'eq', left: { value: 1 }, right: { value: 1 } },
    actions: [{ kind: 'alarm', severity: 'warning', message: 'Nachsehen' }],
  })) as StoredRule
  await open(`/digitaltwin-mgmt/${hall.id}?tab=rules`)
  await button('Aktionen für Nachsehen').click()
  await page.getByRole('menuitem', { name: 'Jetzt ausführen' }).click()
  await says('„Nachsehen“ wurde gestartet.')
  await open(`/digitaltwin-mgmt/${hall.id}?tab=rules&history=${rule.id}`)
  await dialog().getByRole('button').filter({ hasText: 'Ausgelöst' }).first().click()
  await dialog()
    .getByText(/^Ausgeführt von /)
    .first()
    .waitFor()
})

it('is duplicated, and read again from its file on another twin', async () => {
  const other = (await api.post('/digitaltwin', { title: 'Mensa', accountId })) as { id: number }
  await api.post('/digitaltwin/states', { dtwinId: other.id, key: 'co2', title: 'CO₂', source: 'none' })
  await open(`/digitaltwin-mgmt/${hall.id}?tab=rules`)
  await button('Aktionen für Nachsehen').press('Enter')
  await page.getByRole('menuitem', { name: 'Duplizieren' }).press('Enter')
  await dialog().getByRole('button', { name: 'Regel anlegen' }).press('Enter')
  await says('„Nachsehen (Kopie)“ wurde angelegt.')
  await button('Aktionen für Nachsehen (Kopie)').click()
  const saved = page.waitForEvent('download')
  await page.getByRole('menuitem', { name: 'Als JSON herunterladen' }).click()
  const path = await (await saved).path()
  await open(`/digitaltwin-mgmt/${other.id}?tab=rules`)
  await page.setInputFiles('input[type=file]', path)
  await dialog().getByText('Geprüft von Hand.').waitFor()
  await expectFits(page, 'rule from a file')
  await dialog().getByRole('textbox', { name: 'Titel', exact: true }).fill('Aus der Datei')
  await dialog().getByRole('button', { name: 'Regel anlegen' }).press('Enter')
  await says('„Aus der Datei“ wurde angelegt.')
  const { items } = await api.get<{ items: (StoredRule & { metrics: { twinTitle: string }[] })[] }>(
    `/digitaltwin/ddr/list?dtwinId=${other.id}`,
  )
  expect(items).toMatchObject([{ title: 'Aus der Datei', metrics: [{ twinTitle: 'Mensa' }] }])
})

it('has versions; an earlier one is used again', async () => {
  const [rule] = await rules()
  if (!rule) throw new Error('the rule is missing')
  const stored = await api.get<StoredRule & { version: number }>(`/digitaltwin/ddr/${rule.id}`)
  await api.put(`/digitaltwin/ddr/${rule.id}`, { ...stored, title: 'Umbenannt' })
  await open(`/digitaltwin-mgmt/${hall.id}?tab=rules`)
  await button('Aktionen für Umbenannt').press('Enter')
  await page.getByRole('menuitem', { name: 'Versionen' }).press('Enter')
  await dialog().getByText('geändert: Titel').waitFor()
  await expectAccessible(page, 'versions of a rule')
  await expectFits(page, 'versions of a rule')
  await dialog().getByRole('button', { name: /^v1/ }).press('Enter')
  await dialog().getByRole('button', { name: 'Diese Version bearbeiten und speichern' }).press('Enter')
  await dialog().getByRole('button', { name: 'Speichern', exact: true }).press('Enter')
  await says(`„${rule.title}“ wurde gespeichert.`)
  expect((await rules()).map(({ title }) => title)).toContain(rule.title)
})

it('is counted in the monitor, and by account', async () => {
  const works = await make.account('Werk 2')
  const there = await api.post<{ id: number }>('/digitaltwin', { title: 'Halle 2', accountId: works.id })
  await api.post('/digitaltwin/ddr', {
    dtwinId: there.id,
    title: 'Nachsehen in Werk 2',
    triggers: [{ kind: 'manual' }],
    metrics: [{ alias: 'hour', operation: 'clock', clock: 'hour' }],
    conditions: { op: 'eq', left: { value: 1 }, right: { value: 1 } },
    actions: [{ kind: 'alarm', severity: 'warning', message: 'Nachsehen' }],
  })
  await open('/digitaltwin/rules-monitor?tab=figures')
  await page.getByRole('link', { name: 'Nachsehen', exact: true }).waitFor()
  await page.getByText(/^Zusammen \d+ Prüfungen?, \d+-mal ausgelöst/).waitFor()
  await expectAccessible(page, 'figures of rules')
  await expectFits(page, 'figures of rules')
  await button('Je Account').press('Enter')
  await page.getByRole('cell', { name: 'Werk 2', exact: true }).waitFor()
  await expectAccessible(page, 'figures by account')
  await expectFits(page, 'figures by account')
  await page.keyboard.press('Escape')
  await open('/digitaltwin/rules-monitor?tab=executions&period=1&search=nachsehen')
  await page.getByRole('button', { name: 'Nachsehen', exact: true }).first().waitFor()
})
