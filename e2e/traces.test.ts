import { expect, it } from 'vitest'
import { expectAccessible, expectFits, phone, startJourney } from './kit.ts'

/** From a mail back to the packet that caused it, and from the packet forward. */

const script = 'function decodeUplink({ bytes }) { return { data: { temperature: bytes[0] } } }'

const journey = await startJourney({ isAlone: true })
const { page, platform, api, accountId, make, open, button, dialog, says } = journey
const { id: connectorId, key } = await make.connector('Netz')
const { id: driverId } = await make.driver('Fühler', script, { variables: [{ key: 'temperature' }] })
const { id: deviceId } = await make.device('Fühler 7', 'room-7', { connectorId, driverId })
const { items: states } = await api.get<{ items: { id: number; key: string }[] }>(
  `/digitaltwin/states?dtwinId=${deviceId}`,
)
const source = states.find((state) => state.key === 'temperature')?.id ?? 0
const room = (await api.post('/digitaltwin', { title: 'Serverraum', accountId })) as { id: number }
const shown = (await api.post('/digitaltwin/states', {
  dtwinId: room.id,
  key: 'temperature',
  title: 'Temperatur',
  unit: '°C',
  source: 'aggregate',
  sourceSettings: { stateIds: [source], method: 'latest' },
})) as { id: number }
await api.post('/digitaltwin/ddr', {
  dtwinId: room.id,
  title: 'Zu warm',
  metrics: [{ alias: 'temperature', stateId: shown.id }],
  conditions: { op: 'gt', left: { metric: 'temperature' }, right: { value: 30 } },
  actions: [
    {
      kind: 'email',
      recipients: ['admin@localhost'],
      subject: 'Serverraum zu warm',
      body: '{{temperature}}',
    },
    { kind: 'alarm', severity: 'warning', message: 'Serverraum zu warm' },
  ],
})
const reply = await fetch(`${platform.url}/api/hooks/${key}`, {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ identifier: 'room-7', payload: '23' }),
})
expect(reply.status).toBe(200)

const titles = async () => page.getByRole('article').locator('[data-title]').allTextContents()

it('measures what uses the disk, and leads to what takes most', async () => {
  await open('/system-logs?tab=disk')
  await page.getByText('Noch nicht gemessen').waitFor()
  await button('Jetzt messen').press('Enter')
  await page.getByRole('row', { name: /^Serverraum/ }).waitFor()
  await page.getByRole('row', { name: /^Pakete/ }).waitFor()
  await expectAccessible(page, 'disk usage')
  await page.getByRole('link', { name: 'Fühler 7' }).press('Enter')
  await page.waitForURL(/virtual-devices/)
})

it('leads from a mail back to the packet, and from there to the device', async () => {
  await open('/system-logs?tab=mails')
  await button('Serverraum zu warm').first().click()
  await dialog().getByRole('link', { name: 'Ablauf verfolgen' }).press('Enter')
  await page.getByRole('heading', { level: 1, name: 'Ablauf' }).waitFor()
  await page.getByText('Paket von Fühler 7').waitFor()
  expect(await titles()).toEqual([
    'Paket von Fühler 7',
    'Dekodiert mit Fühler, Version 1',
    'temperature: 35',
    'Temperatur: 35\u202f°C',
    'Regel „Zu warm“',
    'Alarm auslösen',
    'Alarm ausgelöst: Serverraum zu warm',
    'E-Mail senden',
  ])
  const asked = page.getByRole('article').filter({ hasText: 'Ausgangspunkt' })
  expect(await asked.locator('[data-title]').textContent()).toBe('E-Mail senden')
  await expectAccessible(page, 'trace')
  await button('Warum?').press('Enter')
  await says(/Die Regel hat ausgelöst/)
  await page.getByRole('link', { name: 'Paket von Fühler 7' }).click()
  await page.waitForURL(/virtual-devices/)
  await page.goBack()
  await page.getByText('Ausgangspunkt').waitFor()
})

it('leads from a packet to the alarm, also on a phone', async () => {
  await page.setViewportSize(phone)
  await open(`/virtual-devices/${deviceId}?tab=packets`)
  await page.locator('[aria-expanded="false"]').filter({ hasText: 'temperature' }).first().click()
  await page.getByRole('link', { name: 'Ablauf verfolgen' }).click()
  await page.getByText('Alarm ausgelöst: Serverraum zu warm').waitFor()
  await expectFits(page, 'trace')
  const asked = page.getByRole('article').filter({ hasText: 'Ausgangspunkt' })
  expect(await asked.locator('[data-title]').textContent()).toBe('Paket von Fühler 7')
})

it('says so when there is nothing to trace', async () => {
  await open('/trace')
  await says('Nichts ausgewählt')
  await open('/trace?mail=999999')
  await says('Woher das kam, ist nicht bekannt.')
})
