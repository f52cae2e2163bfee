import { expect, it } from 'vitest'
import { phone, startJourney, startMailServer } from './kit.ts'

/** Rules as people meet them: an alarm that reminds, a device that falls silent, a zone that is drawn and crossed. */

const mails = await startMailServer()
const { page, api, platform, make, token, tabOf, accountId, open, button, dialog, field, says, choose } =
  await startJourney({ env: { SMTP_URL: mails.url }, uses: [mails] })
const made = async (path: string, body: object) => (await api.post<{ id: number }>(path, body)).id

const connector = await make.connector('Fühler', { preset: 'standard' })
/** A packet of a device, so many seconds ago. */
const send = (identifier: string, data: object, secondsAgo = 0) =>
  platform.api('POST', `/hooks/${connector.key}`, {
    identifier,
    data,
    time: new Date(Date.now() - secondsAgo * 1_000).toISOString(),
  })
const stateOf = async (twinId: number, key: string) => {
  const states = async () =>
    (await api.get<{ items: { id: number; key: string }[] }>(`/digitaltwin/${twinId}/states`)).items
  await expect.poll(async () => (await states()).some((state) => state.key === key)).toBe(true)
  return (await states()).find((state) => state.key === key)?.id as number
}
const openAlarms = async () =>
  (await api.get<{ items: { message: string }[] }>('/alarm-logs?status=unresolved&limit=100')).items.map(
    ({ message }) => message,
  )

// It reminds a minute after it was raised.
const hall = await made('/digitaltwin', { title: 'Halle', accountId })
const heat = await made('/digitaltwin/states', { dtwinId: hall, key: 'heat', title: 'Hitze', source: 'none' })
await api.post('/digitaltwin/ddr', {
  dtwinId: hall,
  title: 'Ofen zu heiß',
  metrics: [{ alias: 'heat', stateId: heat }],
  conditions: { op: 'gt', left: { metric: 'heat' }, right: { value: 100 } },
  actions: [
    {
      kind: 'alarm',
      severity: 'error',
      message: 'Ofen zu heiß',
      escalation: {
        everyMinutes: null,
        until: 'acknowledged',
        steps: [{ afterMinutes: 1, recipients: ['admin@localhost'] }],
      },
    },
  ],
})
await api.put(`/digitaltwin/states/${heat}/value`, { value: 120 })

it('a device is watched for silence', async () => {
  const sensor = await make.device('Fühler 1', 'fuehler-1', { connectorId: connector.id })
  await send('fuehler-1', { level: 1 }, 120)
  await api.post('/digitaltwin/ddr', {
    dtwinId: sensor.id,
    title: 'Sensor still',
    triggers: [{ kind: 'values' }, { kind: 'silence', metric: 'values', minutes: 1 }],
    metrics: [
      { alias: 'values', stateId: await stateOf(sensor.id, 'level'), operation: 'count', lastMinutes: 1 },
    ],
    conditions: { op: 'eq', left: { metric: 'values' }, right: { value: 0 } },
    actions: [{ kind: 'alarm', severity: 'warning', message: 'Fühler 1 schweigt' }],
  })
  // More than a minute has passed since then.
  await platform.fill('update rule_due set due_at = now()')
})

it('a zone that was drawn is crossed by a tracker', async () => {
  const device = await make.device('Wagen 1', 'wagen-1', { connectorId: connector.id })
  const zone = await made('/digitaltwin', {
    title: 'Hof',
    type: 'zone',
    accountId,
    geoPolygon: {
      type: 'Polygon',
      coordinates: [
        [
          [10.1, 54.3],
          [10.11, 54.3],
          [10.11, 54.31],
          [10.1, 54.3],
        ],
      ],
    },
  })
  await open(`/digitaltwin-mgmt/${zone}?tab=data`)
  await button('Rechteck').click()
  const canvas = page.locator('canvas[data-tool="rectangle"]')
  await canvas.waitFor()
  await canvas.evaluate((element) => element.scrollIntoView({ block: 'center' }))
  const box = await canvas.boundingBox()
  if (!box) throw new Error('the map is not visible')
  await page.mouse.move(box.x + 200, box.y + 80)
  await page.mouse.down()
  await page.mouse.move(box.x + 500, box.y + 240, { steps: 6 })
  await page.mouse.up()
  await expect.poll(async () => (await field('Geopolygon').inputValue()).split('\n').length).toBe(4)
  await button('Speichern').click()
  await button('Speichern').waitFor({ state: 'detached' })
  const { geoPolygon } = await api.get<{ geoPolygon: { coordinates: [[number, number][]] } }>(
    `/digitaltwin/${zone}`,
  )
  const [one, , other] = geoPolygon.coordinates[0] as [number, number][]
  const inside = {
    longitude: ((one?.[0] ?? 0) + (other?.[0] ?? 0)) / 2,
    latitude: ((one?.[1] ?? 0) + (other?.[1] ?? 0)) / 2,
  }
  await send('wagen-1', { ...inside, longitude: inside.longitude + 1 }, 20)
  const longitude = await stateOf(device.id, 'longitude')
  await api.post('/digitaltwin/ddr', {
    dtwinId: device.id,
    title: 'Auf dem Hof',
    triggers: [
      { kind: 'geofence', mode: 'enter', area: { kind: 'zones', zoneIds: [zone] }, below: false, margin: 10 },
    ],
    metrics: [{ alias: 'longitude', stateId: longitude }],
    conditions: { op: 'gt', left: { metric: 'longitude' }, right: { value: -180 } },
    actions: [{ kind: 'alarm', severity: 'warning', message: 'Wagen 1 ist auf dem Hof' }],
  })
  await open('/alarm-logs?status=unresolved')
  await page.getByRole('main').getByText('Ofen zu heiß').first().waitFor()
  await send('wagen-1', { ...inside, longitude: inside.longitude + 1.01 }, 10)
  await send('wagen-1', inside)
  await page.getByRole('main').getByText('Wagen 1 ist auf dem Hof').first().waitFor()
})

it('a mean, a time, school days and a mail for all rooms are put together with the mouse', async () => {
  const school = await made('/digitaltwin', { title: 'Schule', type: 'building', accountId })
  const room = await made('/digitaltwin', { title: 'Raum 1', type: 'room', parentId: school })
  await made('/digitaltwin/states', { dtwinId: room, key: 'co2', title: 'CO₂', unit: 'ppm', source: 'none' })
  await open(`/digitaltwin-mgmt/${school}?tab=rules&rule=new`)
  await dialog().getByRole('textbox', { name: 'Titel', exact: true }).fill('Lüften')
  await dialog().getByText('Auf vielen Zwillingen').click()
  await dialog().getByText('Typ', { exact: true }).click()
  await page.getByRole('option', { name: 'Raum', exact: true }).click()
  await dialog().getByText('Wo gilt die Regel?').click()
  await choose('Verwendeter Wert', 'Datenpunkt nach Schlüssel')
  await dialog().getByRole('textbox', { name: 'Schlüssel des Datenpunkts' }).fill('co2')
  await choose('Wert je Datenpunkt', 'Mittelwert')
  await dialog().getByRole('textbox', { name: 'Minuten' }).fill('15')
  await dialog().getByRole('textbox', { name: 'Rechte Seite: Wert' }).fill('1200')
  await button('Vergleich ändern').click()
  await page.getByRole('menuitem', { name: 'Muss eine Zeit lang gelten' }).click()
  await dialog().getByRole('textbox', { name: 'Mindestdauer in Minuten' }).fill('10')
  await dialog().getByRole('switch', { name: 'Nur zu bestimmten Zeiten' }).click()
  await choose('Feiertage', 'nicht an Feiertagen')
  await choose('Land', 'Deutschland')
  await button('Alarm auslösen entfernen').click()
  await button('Aktion hinzufügen').click()
  await page.getByRole('menuitem', { name: 'E-Mail senden' }).click()
  await dialog().getByRole('combobox', { name: 'Empfänger' }).click()
  await page
    .getByRole('option', { name: /admin@localhost/ })
    .first()
    .click()
  await dialog().getByRole('textbox', { name: 'Pause nach dem Auslösen (Stunden)' }).fill('4')
  await dialog()
    .getByText(
      /^Für jeden Zwilling und jedes Gerät vom Typ Raum unter „Schule“: .*größer als 1\.200, mindestens 10 Minuten lang → E-Mail senden; nur .*; höchstens einmal in 4 Stunden$/,
    )
    .waitFor()
  await dialog().getByRole('button', { name: 'Regel anlegen' }).click()
  await says('„Lüften“ wurde angelegt.')
  const { items } = await api.get<{ items: object[] }>(`/digitaltwin/ddr/list?dtwinId=${school}&limit=100`)
  expect(items).toMatchObject([
    {
      title: 'Lüften',
      many: { query: { types: ['room'] } },
      metrics: [{ operation: 'related', of: 'own', stateKey: 'co2', over: 'avg', lastMinutes: 15 }],
      conditions: { op: 'and', conditions: [{ op: 'for', minutes: 10 }] },
      throttleHours: 4,
      actions: [{ kind: 'email', recipients: ['admin@localhost'] }],
    },
  ])
})

it('a device that falls silent raises an alarm, and its next packet ends it', async () => {
  await open('/alarm-logs?status=unresolved')
  await page.getByRole('main').getByText('Fühler 1 schweigt').first().waitFor()
  await send('fuehler-1', { level: 2 })
  await expect.poll(openAlarms).not.toContain('Fühler 1 schweigt')
  await page.getByRole('main').getByText('Fühler 1 schweigt').first().waitFor({ state: 'detached' })
})

it('a reminder of an alarm leads to it on a phone, where it is acknowledged', async () => {
  // A minute passes.
  await platform.fill(
    `update alarms set raised_at = raised_at - interval '1 minute' where message = 'Ofen zu heiß';
     update rule_escalations set next_at = next_at - interval '1 minute'`,
  )
  const reminder = await mails.next()
  expect(reminder.subject).toBe('Noch offen / still open: Ofen zu heiß')
  const address = /#\/\S+/.exec(reminder.text ?? '')?.[0] ?? ''
  const { page: small } = await tabOf(token, phone)
  await small.goto(`${platform.url}/${address}`)
  await small.getByText('Ofen zu heiß').first().waitFor()
  await small.goto(`${platform.url}/#/home`)
  await small.getByRole('button', { name: 'Acknowledge “Ofen zu heiß”' }).click()
  await small
    .getByText(/Acknowledged by/)
    .first()
    .waitFor()
  const { items } = await api.get<{ items: object[] }>('/alarm-logs?acknowledged=true')
  expect(items).toMatchObject([{ message: 'Ofen zu heiß', acknowledged: { by: expect.any(String) } }])
})
