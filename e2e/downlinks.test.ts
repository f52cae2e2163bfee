import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, expect, it } from 'vitest'
import { expectAccessible, startJourney } from './kit.ts'

/** A downlink to a device: defined with the driver, sent from the console, acknowledged by the network server. */

/** The downlink in The Things Stack's format. */
interface Push {
  path: string
  downlinks: { f_port: number; frm_payload: string; confirmed: boolean; correlation_ids: string[] }[]
}

let status = 200
const pushed: Push[] = []
const devEui = '0004A30B001C0530'
const network = createServer((request, response) => {
  let body = ''
  request.on('data', (chunk) => {
    body += chunk
  })
  request.on('end', () => {
    if (status === 200) pushed.push({ path: request.url ?? '', ...JSON.parse(body) })
    response.writeHead(status).end()
  })
})
afterAll(() => {
  network.close()
})
await new Promise<void>((resolve) => network.listen(0, '127.0.0.1', resolve))

const { page, platform, api, accountId, make, open, button, choose, says } = await startJourney({
  env: { ALLOWED_NETWORKS: '127.0.0.1' },
})
const { id: connectorId, key } = await make.connector('Stadtnetz', { preset: 'tts-v3' })
const script = 'function decodeUplink({ bytes }) { return { data: { level: bytes[0] } } }'
const { id: driverId } = await make.driver('Ventil', script)
const { id: deviceId } = await make.device('Ventil Brunnen', devEui, { connectorId, driverId })

const field = (name: string | RegExp) => page.getByRole('textbox', { name })
const row = (name: RegExp) => page.getByRole('row', { name }).first().waitFor()
const soon = { timeout: 30_000 }

/** A message of The Things Stack about the simulated device. */
async function tell(message: object): Promise<void> {
  const ids = { device_id: 'ventil-1', application_ids: { application_id: 'app1' }, dev_eui: devEui }
  const response = await fetch(`${platform.url}/api/hooks/${key}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ end_device_ids: ids, ...message }),
  })
  expect(response.status).toBe(200)
}

it('says why nothing can be sent, until the connector and the network server are known', async () => {
  await open(`/virtual-devices/${deviceId}?tab=downlinks`)
  await says('Der Konnektor dieses Geräts sendet keine Downlinks.')
  await says('Noch nichts gesendet')
  await expectAccessible(page, 'device without downlinks')
  await page.getByRole('main').getByRole('link', { name: 'Stadtnetz' }).last().click()
  await page.getByRole('heading', { level: 1, name: 'Stadtnetz' }).waitFor()
  await open(`/connectors/edit/${accountId}/${connectorId}?tab=metadata`)
  await choose('Übergabe', 'The Things Stack v3')
  const { port } = network.address() as AddressInfo
  const path = '/api/v3/as/applications/app1/webhooks/hook1'
  await field('Adresse des Netzwerkservers').fill(`http://127.0.0.1:${port}${path}`)
  await page.getByLabel('Schlüssel', { exact: false }).first().fill('NNSXS.key')
  await expectAccessible(page, 'connector with downlinks')
  await button(/speichern/i)
    .first()
    .click()
  await expect
    .poll(async () => {
      const stored = await api.get<{ settings: { downlinks: string } }>(`/bridge/configs/${connectorId}`)
      return stored.settings.downlinks
    }, soon)
    .toBe('tts-v3')
  await open(`/virtual-devices/${deviceId}?tab=downlinks`)
  await says('Der Name dieses Geräts beim Netzwerkserver steht in seinen Paketen.')
  await tell({ uplink_message: { session_key_id: 'x', f_port: 1, f_cnt: 1, frm_payload: 'gkHe' } })
  await says('Downlink senden')
})

it('defines a downlink with a parameter, and tries it', async () => {
  await open(`/virtual-device-drivers/${driverId}?tab=downlinks`)
  await says('Keine Downlinks')
  await button('Downlink hinzufügen').click()
  await field('Name').last().fill('Sendeintervall')
  await field('Port').fill('15')
  await field('Nutzdaten').fill('01 zz')
  await button('Speichern und veröffentlichen').click()
  await says('Geben Sie die Ziffern 0–9 und A–F in Paaren ein.')
  await field('Nutzdaten').fill('01 0000')
  await page.getByRole('switch', { name: 'Bestätigung vom Gerät anfordern' }).click()
  await button('Parameter hinzufügen').click()
  await field('Schlüssel').fill('minutes')
  await field('Beschriftung').fill('Minuten')
  await field('Startbit').fill('8')
  await field('Bits').fill('16')
  await field('Minimum').fill('1')
  await field('Maximum').fill('1440')
  await field('Minuten').fill('600')
  await says('01 02 58')
  await field('Minuten').fill('2000')
  await says('Der Wert liegt außerhalb des Erlaubten.')
  await expectAccessible(page, 'driver with a downlink')
  await button('Speichern und veröffentlichen').click()
  await says(/Version 2/)
})

it('sends it to the device and sees the acknowledgement', async () => {
  await open(`/virtual-devices/${deviceId}?tab=downlinks`)
  await says('Sendeintervall')
  await field('Minuten').fill('600')
  await says('01 02 58')
  await expectAccessible(page, 'device with downlinks')
  await button('Senden').click()
  await row(/Sendeintervall.*Gesendet/)
  const push = pushed.at(-1)
  expect(push).toMatchObject({
    path: '/api/v3/as/applications/app1/webhooks/hook1/devices/ventil-1/down/push',
    downlinks: [{ f_port: 15, frm_payload: 'AQJY', confirmed: true }],
  })
  const about = { f_port: 15, correlation_ids: push?.downlinks[0]?.correlation_ids ?? [] }
  await tell({ downlink_sent: about })
  await tell({ downlink_ack: { ...about, confirmed: true } })
  await row(/Sendeintervall.*Bestätigt/)
  await expectAccessible(page, 'an acknowledged downlink')
})

it('waits while the network server is busy, and is withdrawn', async () => {
  status = 503
  await page.getByText('Eigene Nutzdaten', { exact: true }).first().click()
  await field('Port').fill('2')
  await field('Nutzdaten').fill('BEEF')
  await says('2 Byte werden gesendet')
  await button('Senden').click()
  await row(/Eigene Nutzdaten.*BEEF.*In der Warteschlange.*Der Netzwerkserver ist ausgelastet/)
  await page.getByRole('row', { name: /BEEF/ }).getByRole('button').first().click()
  await page.getByRole('menuitem', { name: 'Zurücknehmen' }).click()
  await row(/BEEF.*Zurückgenommen/)
  status = 200
})
