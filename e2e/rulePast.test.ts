import { expect, it } from 'vitest'
import { expectAccessible, expectFits, handsOn, phone, startJourney } from './kit.ts'

/** A draft of a rule is run on the past, adopted, changed and compared with the stored one. */

const hour = 3_600_000
const { page, api, accountId, token, tabOf, open, openAnew, button, dialog, says } = await startJourney()

const { id: twinId } = await api.post<{ id: number }>('/digitaltwin', { title: 'Klassenraum', accountId })
const { id: stateId } = await api.post<{ id: number }>('/digitaltwin/states', {
  dtwinId: twinId,
  key: 'co2',
  title: 'CO₂',
  unit: 'ppm',
  source: 'none',
})
// Every two hours; three are above 1 200, and five above 900.
const history = [600, 700, 1300, 800, 950, 1400, 700, 600, 1250, 1000, 700, 600]
const startMs = Date.now() - 36 * hour
for (const [index, value] of history.entries())
  await api.put(`/digitaltwin/states/${stateId}/value`, {
    value,
    time: new Date(startMs + index * 2 * hour).toISOString(),
  })

const rulesTab = `/digitaltwin-mgmt/${twinId}?tab=rules`
const sheet = () => handsOn(dialog())

it('is run on the past and adopted, by key', async () => {
  await open(rulesTab)
  await button('Regel anlegen').first().press('Enter')
  await sheet().field('Titel').fill('Lüften')
  await sheet().field('Rechte Seite: Wert').fill('1200')
  await dialog().getByRole('radio', { name: '7 Tage' }).press('Space')
  await sheet().button('Prüfen').press('Enter')
  await sheet().says('Die Regel hätte 3-mal ausgelöst')
  await dialog().getByRole('img', { name: 'Dieser Stand: 3-mal ausgelöst' }).waitFor()
  await dialog()
    .getByRole('button', { name: /^\d\d\.\d\d\.\d{4}, / })
    .first()
    .press('Enter')
  await sheet().says('1.250')
  await expectAccessible(page, 'a rule run on the past')
  expect(await api.get(`/digitaltwin/ddr/list?dtwinId=${twinId}`)).toMatchObject({ total: 0 })
  await sheet().button('Übernehmen und speichern').press('Enter')
  await says('„Lüften“ wurde angelegt.')
  expect(await api.get(`/digitaltwin/ddr/list?dtwinId=${twinId}`)).toMatchObject({
    items: [{ title: 'Lüften', conditions: { conditions: [{ op: 'gt', right: { value: 1200 } }] } }],
  })
})

it('of a change is compared with the stored rule, and is still there after the sheet was closed', async () => {
  await openAnew(rulesTab)
  await button('Lüften').click()
  await sheet().field('Rechte Seite: Wert').fill('900')
  await sheet().button('Prüfen').click()
  await sheet().says('Die Regel hätte 5-mal ausgelöst')
  await dialog().getByRole('img', { name: 'Gespeicherte Regel: 3-mal ausgelöst' }).waitFor()
  await dialog()
    .getByRole('img', { name: /^Wirklich geschehen: 0-mal/ })
    .waitFor()

  await openAnew(rulesTab)
  await button('Lüften').click()
  await sheet().choose('Frühere Prüfungen', /^Lüften/)
  await sheet().says('Die Regel hätte 5-mal ausgelöst')
  await sheet().button('Diesen Stand hier einsetzen').click()
  expect(await sheet().field('Rechte Seite: Wert').inputValue()).toBe('900')
  await sheet().button('Übernehmen und speichern').click()
  await says('„Lüften“ wurde gespeichert.')
})

it('fits on a phone', async () => {
  const small = await tabOf(token, phone)
  await open(rulesTab, small.page)
  const hands = handsOn(small.page)
  await hands.button('Lüften').click()
  await hands.choose('Earlier runs', /^Lüften/)
  await hands.says('The rule would have fired 5 times')
  await hands.dialog().getByRole('img', { name: 'Stored rule: fired 3 times' }).waitFor()
  await expectFits(small.page, 'a run on the past on a phone')
})

it('over children says that it takes those there are today', async () => {
  const { id: houseId } = await api.post<{ id: number }>('/digitaltwin', { title: 'Schulhaus', accountId })
  const values = [
    [600, 700],
    [1300, 800],
  ]
  for (const [room, of] of values.entries()) {
    const child = await api.post<{ id: number }>('/digitaltwin', {
      title: `Raum ${room + 1}`,
      accountId,
      parentId: houseId,
    })
    const state = await api.post<{ id: number }>('/digitaltwin/states', {
      dtwinId: child.id,
      key: 'co2',
      title: 'CO₂',
      source: 'none',
    })
    for (const [index, value] of of.entries())
      await api.put(`/digitaltwin/states/${state.id}/value`, {
        value,
        time: new Date(startMs + (2 * index + room) * hour).toISOString(),
      })
  }
  await api.post('/digitaltwin/ddr', {
    dtwinId: houseId,
    title: 'Schlechteste Luft',
    metrics: [
      { alias: 'co2', operation: 'related', of: 'children', stateKey: 'co2', over: 'latest', across: 'max' },
    ],
    conditions: { op: 'gt', left: { metric: 'co2' }, right: { value: 1200 } },
    actions: [{ kind: 'alarm', severity: 'warning', message: 'Lüften' }],
  })
  await page.setViewportSize({ width: 1440, height: 900 })
  await openAnew(`/digitaltwin-mgmt/${houseId}?tab=rules`)
  await button('Schlechteste Luft').click()
  await sheet().button('Prüfen').click()
  await sheet().says('Die Regel hätte 2-mal ausgelöst')
  await sheet().says('Mit den Über- und Untergeordneten von heute gerechnet, auch für frühere Zeiten: co2')
  await dialog().getByRole('img', { name: 'Gespeicherte Regel: 2-mal ausgelöst' }).waitFor()
})
