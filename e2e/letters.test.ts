import { describe, expect, it } from 'vitest'
import { expectAccessible, expectFits, phone, startJourney } from './kit.ts'

/** Messages that could not be processed or were decoded wrongly: found, fixed and replayed in the console. */

const wrong =
  'function decodeUplink({ bytes }) { return { data: { temperature: bytes[0], battery: bytes[1] } } }'
const right =
  'function decodeUplink({ bytes }) { return { data: { temperature: bytes[0] / 10, humidity: bytes[1] } } }'
const driverFields = {
  title: 'Raumfühler RF-2',
  variables: [{ key: 'temperature', title: 'Temperatur', unit: '°C' }],
}

const { tab, page, platform, api, make, open, button, dialog, says } = await startJourney()
const hook = await make.connector('Bürohaus')
const driver = await make.driver(driverFields.title, wrong, driverFields)

async function send(body: unknown): Promise<number> {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const reply = await fetch(`${platform.url}/api/hooks/${hook.key}`, { method: 'POST', body: text })
  return reply.status
}

describe('a message that cannot be used', () => {
  let trace = ''

  it('is found with its reason', async () => {
    expect(await send({ identifier: 'RF-1', data: 'd23c', time: new Date().toISOString() })).toBe(422)
    expect(await send({ identifier: 'RF-1', data: 'd33c', time: new Date().toISOString() })).toBe(422)
    expect(await send('{"broken"')).toBe(400)
    await open(`/connectors/edit/${hook.accountId}/${hook.id}?tab=dead`)
    await button('Alle 3 erneut verarbeiten').waitFor()
    await says('Seit dem Anlegen abgelehnt')
    await expectAccessible(page, 'dead letters')
    await button('Grund').click()
    await page.getByRole('combobox', { name: 'Grund' }).click()
    await page.getByRole('option', { name: /^Kein Gerät/ }).click()
    await page.keyboard.press('Escape')
    await button('Alle 2 erneut verarbeiten').waitFor()
    await page.getByRole('table').getByRole('link').first().press('Enter')
    await dialog().getByText('Legen Sie ein Gerät mit dieser Kennung an').waitFor()
    await expectAccessible(page, 'dead letter')
    const follow = dialog().getByRole('link', { name: 'Ablauf verfolgen' })
    trace = ((await follow.getAttribute('href')) ?? '').replace(/^.*#/, '')
  })

  it('is processed again when its cause is mended', async () => {
    const link = dialog().getByRole('link', { name: 'Gerät mit der Kennung RF-1 anlegen' })
    expect(await link.getAttribute('href')).toContain(`connector=${hook.id}&externalId=RF-1`)
    await api.post('/virtualdevice', {
      title: 'Büro 2.14',
      externalId: 'RF-1',
      connectorId: hook.id,
      driverId: driver.id,
    })
    await dialog().getByRole('button', { name: 'Schließen' }).click()
    await button('Alle 2 erneut verarbeiten').click()
    await dialog().getByText('Was jetzt angenommen wird, wird genau einmal gespeichert.').waitFor()
    await dialog().getByRole('button', { name: 'Erneut verarbeiten' }).click()
    const panel = page.getByRole('region', { name: 'Erneut verarbeiten' })
    await panel.getByText('Fertig').waitFor()
    expect(await panel.getByRole('definition').allTextContents()).toEqual(['2'])
    // Wait for the reload: the list is dimmed until then.
    await says('Kein Treffer für diese Filter')
    await expectAccessible(page, 'finished replay')
  })

  it('is deleted after a question that says how many are meant', async () => {
    await button('Zurücksetzen').click()
    await button('1 löschen').waitFor()
    await page.getByRole('checkbox', { name: /^Alle Zeilen/ }).check()
    await page
      .getByRole('region', { name: 'Aktionen für die Auswahl' })
      .getByRole('button', { name: 'Löschen' })
      .click()
    await dialog().getByText('1 Nachricht löschen').waitFor()
    await dialog().getByRole('button', { name: 'Löschen' }).click()
    await says('Keine abgelehnten Nachrichten')
  })

  it('is followed to the packet that became of it, and another one to where it stopped', async () => {
    await open(trace)
    await says('Sie wurde seitdem erneut verarbeitet')
    await page.getByRole('link', { name: 'Paket von Büro 2.14' }).waitFor()
    await expectAccessible(page, 'trace of a letter that was used')
    expect(await send({ identifier: 'RF-9', data: 'd23c' })).toBe(422)
    await open(`/connectors/edit/${hook.accountId}/${hook.id}?tab=dead`)
    await page.getByRole('table').getByRole('link').first().press('Enter')
    await dialog().getByRole('link', { name: 'Ablauf verfolgen' }).click()
    await page.getByRole('link', { name: /^Nachricht von RF-9/ }).waitFor()
    await says('Hier endete der Ablauf')
    await page.setViewportSize(phone)
    await expectFits(page, 'trace of a letter')
    await page.setViewportSize({ width: 1440, height: 900 })
  })
})

describe('packets that were decoded wrongly', () => {
  it('are decoded again after a look at what would change', async () => {
    await api.put(`/devicedrivers/${driver.id}`, {
      id: driver.id,
      version: driver.version,
      ...driverFields,
      script: right,
    })
    await open(`/virtual-device-drivers/${driver.id}?tab=versions`)
    await button('Erneut dekodieren …').click()
    await dialog().getByRole('combobox', { name: 'Treiberversion' }).waitFor()
    await expectAccessible(page, 'decode again, what')
    await dialog().getByRole('button', { name: 'Weiter' }).click()
    await dialog()
      .getByRole('row', { name: /temperature 2-mal geändert 211 21,1/ })
      .waitFor()
    await expectAccessible(page, 'decode again, preview')
    await dialog().getByRole('button', { name: 'Weiter' }).click()
    await dialog().getByText('Regeln lösen nicht aus').waitFor()
    await dialog().getByRole('button', { name: 'Erneut dekodieren' }).click()
    await dialog().getByText('Fertig').waitFor()
    await expectAccessible(page, 'decode again, done')
    await dialog().getByRole('button', { name: 'Schließen' }).last().click()
    await open('/virtual-devices')
    await page.getByRole('main').getByRole('link', { name: 'Büro 2.14' }).click()
    await says(/21,1/)
  })

  it('left nothing in the console of the browser', () => {
    expect(tab.problems).toEqual([])
  })
})
