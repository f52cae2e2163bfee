import { expect, it } from 'vitest'
import { expectAccessible, expectFits, phone, startJourney } from './kit.ts'

/** A rule for what drives into a yard: built with the keyboard, woken by a tracker that sends to a webhook. */

const { page, platform, api, make, accountId, open, openAnew, button, dialog, says } = await startJourney()

const fleet = await api.post<{ id: number }>('/digitaltwin', { title: 'Fuhrpark', accountId })
const load = await api.post<{ id: number }>('/digitaltwin/states', {
  dtwinId: fleet.id,
  key: 'load',
  title: 'Ladung',
  source: 'none',
})
await api.put(`/digitaltwin/states/${load.id}/value`, { value: 50, time: new Date().toISOString() })
const yard = await api.post<{ id: number }>('/digitaltwin', {
  title: 'Hof',
  type: 'zone',
  parentId: fleet.id,
  geoPolygon: {
    type: 'Polygon',
    coordinates: [
      [
        [10.13, 54.32],
        [10.14, 54.32],
        [10.14, 54.33],
        [10.13, 54.33],
        [10.13, 54.32],
      ],
    ],
  },
})
const connector = await make.connector('Tracker', { preset: 'standard' })
const car = await api.post<{ id: number }>('/virtualdevice', {
  title: 'Wagen 1',
  externalId: 'wagen-1',
  connectorId: connector.id,
  parentId: fleet.id,
})

/** What a tracker sends from where it is. */
const drive = (latitude: number, longitude: number, identifier = 'wagen-1') =>
  platform.api('POST', `/hooks/${connector.key}`, { identifier, data: { latitude, longitude } })

interface StoredRule {
  id: number
  title: string
  triggers: object[]
}
const rules = async () =>
  (await api.get<{ items: StoredRule[] }>(`/digitaltwin/ddr/list?dtwinId=${fleet.id}`)).items

it('is built with the keyboard, and says in words what it waits for', async () => {
  await open(`/digitaltwin-mgmt/${fleet.id}?tab=rules&rule=new&state=${load.id}`)
  await dialog().getByRole('textbox', { name: 'Titel', exact: true }).fill('Fährt auf den Hof')
  await button('Auslöser hinzufügen').press('Enter')
  await page.getByRole('menuitem', { name: 'Geofence' }).press('Enter')
  const below = dialog().getByRole('switch', { name: 'Auch, was darunter liegt' })
  await below.press('Space')
  await dialog().getByRole('button', { name: 'Regel anlegen' }).press('Enter')
  await dialog().getByText('Dieses Feld ist erforderlich').waitFor()
  const zones = dialog().getByRole('combobox', { name: 'Zonen' })
  await zones.fill('Hof')
  await page.getByRole('option', { name: 'Hof' }).waitFor()
  await zones.press('ArrowDown')
  await zones.press('Enter')
  await zones.press('Escape')
  await dialog()
    .getByText('Geprüft bei jedem neuen Wert oder wenn etwas hier oder darunter die Zone „Hof“ betritt.')
    .waitFor()
  await expectAccessible(page, 'the form of a geofence')
  await page.setViewportSize(phone)
  await expectFits(page, 'the form of a geofence')
  await dialog().getByRole('button', { name: 'Regel anlegen' }).press('Enter')
  await says('„Fährt auf den Hof“ wurde angelegt.')
  const [rule] = await rules()
  expect(rule?.triggers).toEqual([
    { kind: 'values' },
    { kind: 'geofence', mode: 'enter', area: { kind: 'zones', zoneIds: [yard.id] }, below: true, margin: 10 },
  ])
})

it('fires when the tracker drives in, and its history says so', async () => {
  const [rule] = await rules()
  await drive(54.3, 10.1)
  await drive(54.325, 10.135)
  const causes = async () => {
    const { items } = await api.get<{ items: { cause: { kind: string } }[] }>(
      `/digitaltwin/ddr/${rule?.id}/execution-history`,
    )
    return items.map(({ cause }) => cause).filter(({ kind }) => kind === 'geofence')
  }
  await expect.poll(causes).toEqual([{ kind: 'geofence', mode: 'enter', twinId: car.id, targetId: yard.id }])
  await open(`/digitaltwin-mgmt/${fleet.id}?tab=rules&history=${rule?.id}`)
  await dialog().getByRole('button').filter({ hasText: 'Ausgelöst' }).first().click()
  await dialog().getByText('Geprüft, weil „Wagen 1“ „Hof“ betreten hat.').first().waitFor()
  await expectFits(page, 'the history of a geofence')
})

it('for many trackers is woken on the one that drives in, and the history of each says so', async () => {
  const other = await api.post<{ id: number }>('/virtualdevice', {
    title: 'Wagen 2',
    externalId: 'wagen-2',
    connectorId: connector.id,
    parentId: fleet.id,
  })
  await drive(54.3, 10.11)
  await drive(54.3, 10.12, 'wagen-2')
  const hasState = async () =>
    (
      await api
        .get<{ items: { key: string }[] }>(`/digitaltwin/${other.id}/states`)
        .catch(() => ({ items: [] }))
    ).items.some(({ key }) => key === 'latitude')
  await expect.poll(hasState).toBe(true)
  await page.setViewportSize({ width: 1440, height: 900 })
  await open(`/digitaltwin-mgmt/${fleet.id}?tab=rules&rule=new`)
  await dialog().getByRole('textbox', { name: 'Titel', exact: true }).fill('Jeder Wagen')
  await button('Auslöser hinzufügen').press('Enter')
  await page.getByRole('menuitem', { name: 'Geofence' }).press('Enter')
  const below = dialog().getByRole('switch', { name: 'Auch, was darunter liegt' })
  await below.press('Space')
  // Each of many twins is compared itself.
  await dialog().getByRole('radio', { name: 'Auf vielen Zwillingen' }).press('Space')
  await dialog().getByText('Jeder Zwilling der Regel wird für sich mit dem Gebiet verglichen.').waitFor()
  expect(await below.count()).toBe(0)
  await dialog().getByRole('combobox', { name: 'Verwendeter Wert' }).click()
  await page.getByRole('option', { name: 'Datenpunkt nach Schlüssel' }).click()
  await dialog().getByRole('textbox', { name: 'Schlüssel des Datenpunkts' }).fill('latitude')
  await dialog().getByText('Gilt jetzt auf 2 Zwillingen: Wagen 1, Wagen 2').waitFor()
  const zones = dialog().getByRole('combobox', { name: 'Zonen', exact: true }).last()
  await zones.fill('Hof')
  await page.getByRole('option', { name: 'Hof' }).waitFor()
  await zones.press('ArrowDown')
  await zones.press('Enter')
  await zones.press('Escape')
  await dialog()
    .getByText(/^Für jeden Zwilling und jedes Gerät unter „Fuhrpark“: .*wenn es die Zone „Hof“ betritt/)
    .first()
    .waitFor()
  await expectAccessible(page, 'the form of a geofence for many')
  await page.setViewportSize(phone)
  await expectFits(page, 'the form of a geofence for many')
  await dialog().getByRole('button', { name: 'Regel anlegen' }).press('Enter')
  await says('„Jeder Wagen“ wurde angelegt.')
  const rule = (await rules()).find(({ title }) => title === 'Jeder Wagen')
  expect(rule?.triggers.at(-1)).toMatchObject({ kind: 'geofence', below: false })

  await drive(54.301, 10.1)
  await drive(54.301, 10.1, 'wagen-2')
  await drive(54.326, 10.136, 'wagen-2')
  const causes = async () => {
    const { items } = await api.get<{ items: { twinTitle: string; cause: { kind: string } }[] }>(
      `/digitaltwin/ddr/${rule?.id}/execution-history`,
    )
    return items
      .filter(({ cause }) => cause.kind === 'geofence')
      .map(({ twinTitle, cause }) => [twinTitle, cause])
  }
  await expect
    .poll(causes)
    .toEqual([['Wagen 2', { kind: 'geofence', mode: 'enter', twinId: other.id, targetId: yard.id }]])
  await open(`/digitaltwin-mgmt/${fleet.id}?tab=rules&history=${rule?.id}`)
  await dialog().getByText('Wagen 2').first().waitFor()
  await dialog().getByRole('button').filter({ hasText: 'Wagen 2' }).first().click()
  await dialog().getByText('Geprüft, weil „Wagen 2“ „Hof“ betreten hat.').first().waitFor()
  await expectFits(page, 'the history of a geofence for many')
})

it('says that its zone is gone', async () => {
  await api.delete(`/digitaltwin/${yard.id}`)
  await openAnew(`/digitaltwin-mgmt/${fleet.id}?tab=rules`)
  await says(/wenn etwas hier oder darunter die Zone \(gelöscht oder nicht sichtbar\) betritt/)
})
