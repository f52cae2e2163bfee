import { readFile } from 'node:fs/promises'
import { connectAsync } from 'mqtt'
import type { Locator } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { expectAccessible, openTab, phone, signIn, startJourney, startMailServer } from './kit.ts'

/**
 * The main task as a user does it: from nothing to a live value on a dashboard, a mail and a log entry. The
 * steps depend on each other and run in this order.
 */

const mails = await startMailServer()
const { api, browser, tab, page, platform, button, field, heading } = await startJourney({
  env: { SMTP_URL: mails.url },
  uses: [mails],
  isGuest: true,
})

const driverScript = `function decodeUplink(input) {
  return { data: { temperature: ((input.bytes[0] << 8) | input.bytes[1]) / 10, humidity: input.bytes[2] } }
}`

const [webhookEui, mqttEui] = ['A81758FFFE0A0001', 'A81758FFFE0A0002']
/** The words for the states of a twin. */
const [state, states] = [/^Datenpunkt/, /^Datenpunkte/]
const mqttPassword = 'a secret for mqtt'
let counter = 0

/** An uplink as The Things Stack sends it. */
function uplink(devEui: string, hex: string): object {
  return {
    end_device_ids: { device_id: devEui.toLowerCase(), dev_eui: devEui, dev_addr: '260B1234' },
    received_at: new Date().toISOString(),
    uplink_message: {
      session_key_id: 'AXBSH1Pk6Z0G166RlH16CQ==',
      f_port: 1,
      f_cnt: ++counter,
      frm_payload: Buffer.from(hex, 'hex').toString('base64'),
      rx_metadata: [{ gateway_ids: { gateway_id: 'gw-1' }, rssi: -81, snr: 7.5 }],
      settings: { frequency: '868300000', data_rate: { lora: { spreading_factor: 7 } } },
    },
  }
}

/** The key of the webhook, as the console shows it once. */
let hookKey = ''

/** Posts an uplink to the webhook and expects that it was stored. */
async function sendByWebhook(hex: string): Promise<void> {
  expect(await platform.api('POST', `/hooks/${hookKey}`, uplink(webhookEui, hex))).toMatchObject({
    accepted: 1,
  })
}

/** Publishes an uplink to the built-in broker with QoS 1; resolves with the acknowledgement. */
async function sendByMqtt(hex: string): Promise<void> {
  const client = await connectAsync(`mqtt://127.0.0.1:${platform.mqttPort}`, {
    username: 'tts',
    password: mqttPassword,
  })
  await client.publishAsync(`tts/devices/${mqttEui}/up`, JSON.stringify(uplink(mqttEui, hex)), { qos: 1 })
  await client.endAsync()
}

/** Opens a page of the console by its address, without waiting for a heading. */
const open = (path: string) => page.goto(`${platform.url}/#${path}`)
/** A temperature as a tile shows it. */
const degrees = (value: number) => page.getByText(new RegExp(`^${value}(,0)?\\s*°C$`)).first()

/** Types into a search field with options and selects the first match. */
async function choose(field: Locator, search: string, option: string | RegExp): Promise<void> {
  await field.click()
  await field.fill(search)
  await page.getByRole('option', { name: option }).filter({ hasText: search }).first().click()
}

async function createDevice(title: string, devEui: string, connector: string): Promise<void> {
  await open('/virtual-devices')
  await button('Gerät anlegen')
    .or(page.getByRole('link', { name: 'Gerät anlegen' }))
    .first()
    .click()
  await page.getByRole('radio', { name: new RegExp(connector) }).click()
  await button('Weiter').click()
  // The bundled drivers take more than one page.
  await page.getByRole('textbox', { name: 'Hersteller, Modell oder Titel' }).fill('Mein Raumfühler')
  await page.getByRole('radio', { name: /Mein Raumfühler/ }).click()
  await button('Weiter').click()
  await field('Kennung').fill(devEui)
  await field('Titel').fill(title)
  await button('Weiter').click()
  await button('Weiter').click()
  await page.getByRole('main').getByRole('button', { name: 'Gerät anlegen' }).click()
  await heading(new RegExp(`${title}.* wurde angelegt`)).waitFor()
}

describe('from nothing to a value on a dashboard', () => {
  it('signs in', async () => {
    await signIn(tab, platform)
    await heading(/^Guten/).waitFor()
    await expectAccessible(page, 'home')
  })

  it('creates a webhook for The Things Stack', async () => {
    await open('/connectors/create')
    const kind = button(/^Webhook \(eingehend\)/)
    await kind.or(page.getByLabel('Name')).first().waitFor()
    if (await kind.isVisible()) await kind.click()
    await field('Name').fill('TTS Webhook')
    await page.getByRole('radio', { name: /The Things Stack/ }).check()
    await expectAccessible(page, 'create a connector')
    await button('Prüfen und speichern').click()
    await heading('TTS Webhook').waitFor()
    await page.getByText('Empfangsbereit').waitFor()
  })

  it('reads its key, which is shown this once', async () => {
    await page.getByText(/Der Schlüssel darin wird nur einmal angezeigt/).waitFor()
    const address = page.getByText(/\/api\/hooks\/[\w-]{32}$/).first()
    hookKey =
      String(await address.textContent())
        .split('/')
        .at(-1) ?? ''
    expect(hookKey).toMatch(/^[\w-]{32}$/)
    await expectAccessible(page, 'a key that was just made')
    await page.reload()
    await heading('TTS Webhook').waitFor()
    await page
      .getByText(/api\/hooks\/<Schlüssel>/)
      .first()
      .waitFor()
    expect(await page.getByText(hookKey).count()).toBe(0)
  })

  it('creates an access to the built-in MQTT broker', async () => {
    await open('/connectors/create?kind=mqtt-broker')
    const kind = button(/^MQTT-Broker/)
    await kind.or(page.getByLabel('Benutzername')).first().waitFor()
    if (await kind.isVisible()) await kind.click()
    await field('Name').fill('TTS MQTT')
    await field('Benutzername').fill('tts')
    await page.getByRole('textbox', { name: 'Passwort' }).fill(mqttPassword)
    await page.getByRole('radio', { name: /The Things Stack/ }).check()
    await button('Prüfen und speichern').click()
    await heading('TTS MQTT').waitFor()
  })

  it('writes a driver and tries it', async () => {
    await open('/virtual-device-drivers')
    await button('Treiber anlegen')
      .or(page.getByRole('link', { name: 'Treiber anlegen' }))
      .first()
      .click()
    await field('Titel').fill('Mein Raumfühler')
    await page.getByRole('tab', { name: 'Parser' }).click()
    const editor = page.getByRole('textbox', { name: 'Skript des Treibers' })
    await editor.click()
    await page.keyboard.press('ControlOrMeta+A')
    await page.keyboard.insertText(driverScript)
    await field('Nutzdaten').fill('00 E6 2D')
    await page.getByRole('row', { name: /temperature.*23/ }).waitFor()
    await expectAccessible(page, 'driver editor')
    await page.getByRole('main').getByRole('button', { name: 'Treiber anlegen' }).click()
    await heading('Mein Raumfühler').waitFor()
  })

  it('creates devices and waits for their first packet', async () => {
    await createDevice('Fühler Besprechung', webhookEui, 'TTS Webhook')
    await expectAccessible(page, 'waiting for the first packet')
    await sendByWebhook('00D229')
    await page.getByText('Das erste Paket ist da').waitFor()
    await page.getByRole('row', { name: /temperature.*21/ }).waitFor()

    await createDevice('Fühler Flur', mqttEui, 'TTS MQTT')
    await sendByMqtt('00BE30')
    await page.getByText('Das erste Paket ist da').waitFor()
  })

  it('creates a twin with a state that follows the device', async () => {
    await open('/digitaltwin-mgmt')
    await button('Zwilling anlegen').first().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox', { name: 'Titel', exact: true }).fill('Besprechungsraum')
    await dialog.getByRole('button', { name: 'Zwilling anlegen' }).click()
    await heading('Besprechungsraum').waitFor()
    for (const [title, key, device] of [
      ['Temperatur', 'temperature', 'Fühler Besprechung'],
      ['Temperatur im Flur', 'hall', 'Fühler Flur'],
    ] as const) {
      await page.getByRole('tab', { name: states }).click()
      await button(/^Datenpunkt anlegen/)
        .first()
        .click()
      const sheet = page.getByRole('dialog')
      await sheet.getByRole('textbox', { name: 'Titel', exact: true }).fill(title)
      await sheet.getByRole('textbox', { name: 'Schlüssel', exact: true }).fill(key)
      await sheet.getByRole('combobox', { name: 'Einheit', exact: true }).fill('°C')
      await choose(sheet.getByRole('combobox', { name: states }), device, /temperatur/i)
      await sheet.getByRole('button', { name: /^Datenpunkt anlegen/ }).click()
      await page
        .getByRole('row', { name: new RegExp(title) })
        .first()
        .waitFor()
    }
    await expectAccessible(page, 'states of a twin')
  })
})

describe('what the values lead to', () => {
  it('builds a dashboard with a value and a chart', async () => {
    await open('/dashboards')
    await button('Dashboard anlegen').first().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill('Mein Dashboard')
    await dialog.getByRole('button', { name: 'Dashboard anlegen' }).click()
    await heading('Mein Dashboard').waitFor()
    for (const [kind, title] of [
      [/^Werte/, 'Jetzt'],
      [/^Liniendiagramm/, 'Verlauf'],
    ] as const) {
      await button('Widget hinzufügen').first().click()
      const sheet = page.getByRole('dialog')
      await sheet.getByRole('button', { name: kind }).click()
      await sheet.getByRole('textbox', { name: 'Titel', exact: true }).fill(title)
      // A new widget starts with the states of the last one.
      if (title === 'Jetzt')
        await choose(sheet.getByRole('combobox', { name: states }), 'Besprechungsraum', /Temperatur/)
      await sheet.getByRole('button', { name: 'Widget hinzufügen' }).click()
      await heading(title).waitFor()
    }
    await expectAccessible(page, 'draft of a dashboard')
    // Leaving a draft asks first, and every step can be undone.
    await page.getByRole('link', { name: 'Dashboards' }).first().click()
    await page.getByRole('dialog').getByRole('button', { name: 'Weiter bearbeiten' }).click()
    await button('Aktionen für Verlauf').click()
    await page.getByRole('menuitem', { name: 'Entfernen' }).click()
    await heading('Verlauf').waitFor({ state: 'detached' })
    await page.keyboard.press('Control+z')
    await heading('Verlauf').waitFor()
    // Someone else saves in between: the draft stays, and replaces theirs once that is confirmed.
    const id = Number(/dashboards\/(\d+)/.exec(page.url())?.[1])
    expect((await api.get<{ widgets: unknown[] }>(`/dashboards/${id}`)).widgets).toEqual([])
    await api.post(`/dashboards/${id}/widgets`, { definition: { type: 'empty', title: 'Fremd' } })
    await button('Speichern').click()
    await page.getByRole('button', { name: 'Meinen Stand speichern' }).click()
    expect(tab.problems.splice(0)).toEqual([expect.stringContaining('409')])
    await button('Bearbeiten').waitFor()
    await heading('Fremd').waitFor({ state: 'detached' })
    await degrees(21).waitFor()
    await expectAccessible(page, 'dashboard')
  })

  it('makes a rule that sends a mail when it gets warm', async () => {
    await open('/digitaltwin-mgmt')
    await page.getByRole('main').getByRole('link', { name: 'Besprechungsraum' }).click()
    await page.getByRole('tab', { name: /^Regeln/ }).click()
    await button('Regel anlegen').first().click()
    const sheet = page.getByRole('dialog')
    await sheet.getByRole('textbox', { name: 'Titel', exact: true }).fill('Zu warm')
    await choose(sheet.getByRole('combobox', { name: state }).first(), 'Besprechungsraum', /Temperatur/)
    await sheet.getByRole('textbox', { name: /Wert$/ }).last().fill('25')
    await sheet.getByRole('button', { name: 'Aktion hinzufügen' }).click()
    await page.getByRole('menuitem', { name: 'E-Mail senden' }).click()
    await sheet
      .getByRole('combobox', { name: 'Empfänger' })
      .or(sheet.getByLabel('Empfänger'))
      .first()
      .fill('hausmeister@example.org')
    await page.keyboard.press('Enter')
    await sheet.getByRole('textbox', { name: 'Betreff' }).fill('Zu warm in {{twin.title}}')
    await expectAccessible(page, 'rule editor')
    await sheet.getByRole('button', { name: 'Regel anlegen' }).click()
    await page.getByText('Zu warm').first().waitFor()
  })

  it('asks the recipient, who is nobody of the account, before it writes', async () => {
    const question = await mails.next()
    expect(question.to?.map(({ address }) => address)).toEqual(['hausmeister@example.org'])
    const [, path = ''] = /#(\/rule-mail\?token=[\w-]+)/.exec(question.text ?? '') ?? []
    await open(path)
    await page.getByText('hausmeister@example.org').waitFor()
    await expectAccessible(page, 'question to a recipient')
    await button('Meldungen bekommen').click()
    await page.getByText(/^Meldungen aus dem Account/).waitFor()
  })

  it('shows new values on the open dashboard without a reload and sends the mail', async () => {
    await open('/dashboards')
    await page.getByRole('main').getByRole('link', { name: 'Mein Dashboard' }).click()
    await degrees(21).waitFor()
    // A reload would remove this mark.
    await page.evaluate(() => Object.assign(globalThis, { notReloaded: true }))
    await sendByWebhook('010E28')
    await degrees(27).waitFor()
    expect(await page.evaluate(() => 'notReloaded' in globalThis)).toBe(true)

    const mail = await mails.next()
    expect(mail.subject).toBe('Zu warm in Besprechungsraum')
    expect(mail.to?.map(({ address }) => address)).toEqual(['hausmeister@example.org'])
  })

  it('saves the dashboard as PDF', async () => {
    const [saved] = await Promise.all([page.waitForEvent('download'), button('Als PDF speichern').click()])
    expect(saved.suggestedFilename()).toMatch(/^Mein Dashboard \d{4}-\d{2}-\d{2}\.pdf$/)
    const bytes = await readFile(await saved.path())
    expect(bytes.subarray(0, 5).toString()).toBe('%PDF-')
  })

  it('takes uplinks over MQTT the same way', async () => {
    await open('/digitaltwin-mgmt')
    await page.getByRole('main').getByRole('link', { name: 'Besprechungsraum' }).click()
    await degrees(19).waitFor()
    await sendByMqtt('00DC30')
    await degrees(22).waitFor()
    await expectAccessible(page, 'twin')
  })

  it('explains why the rule fired', async () => {
    await page.getByRole('tab', { name: /^Regeln/ }).click()
    await page.getByText('Ausgelöst').first().waitFor()
    await expectAccessible(page, 'rules of a twin')
  })

  it('finds the packet in the log of its connector and of its device', async () => {
    await open('/connectors/list')
    await page.getByRole('main').getByRole('link', { name: 'TTS Webhook' }).click()
    await page.getByRole('tab', { name: 'Konnektorprotokoll' }).click()
    await page.getByText(webhookEui).first().waitFor()
    await expectAccessible(page, 'connector log')
    await open('/virtual-devices')
    await page.getByRole('main').getByRole('link', { name: 'Fühler Besprechung' }).click()
    await page.getByRole('tab', { name: 'Pakete' }).click()
    await page
      .getByText(/01 ?0e ?28/i)
      .first()
      .waitFor()
    await expectAccessible(page, 'packets of a device')
  })
})

describe('what is wrong', () => {
  it('is refused with a clear error, kept with its reason and shown', async () => {
    const hook = `${platform.url}/api/hooks/${hookKey}`
    const post = async (body: string) => {
      const response = await fetch(hook, {
        method: 'POST',
        body,
        headers: { 'content-type': 'application/json' },
      })
      return { status: response.status, ...((await response.json()) as { code?: string }) }
    }
    expect(await post('{ "broken": ')).toMatchObject({ status: 400, code: 'BODY_NOT_JSON' })
    expect(await post(JSON.stringify('x'.repeat(2_000_000)))).toMatchObject({
      status: 413,
      code: 'BODY_TOO_LARGE',
    })
    expect(await post(JSON.stringify(uplink('A81758FFFE0AFFFF', '00D2')))).toMatchObject({
      status: 422,
      code: 'DEVICE_UNKNOWN',
    })
    await open('/connectors/list')
    await page.getByRole('main').getByRole('link', { name: 'TTS Webhook' }).click()
    await page.getByRole('tab', { name: 'Abgelehnt' }).click()
    await page.getByText('A81758FFFE0AFFFF').filter({ visible: true }).first().waitFor()
    await expectAccessible(page, 'dead letters')
  })

  it('is told at sign-in', async () => {
    const other = await openTab(browser, phone)
    await other.page.goto(`${platform.url}/#/dashboards`)
    await other.page.waitForURL(/#\/login\?redirect=/)
    await other.page.getByLabel(/User name/).fill('admin@localhost')
    await other.page.getByRole('textbox', { name: 'Password' }).fill('wrong')
    await other.page.getByRole('button', { name: 'Sign in' }).click()
    await other.page.getByRole('alert').waitFor()
    await expectAccessible(other.page, 'sign in, dark, small')
    await other.context.close()
  })
})

describe('everything that was seen', () => {
  it('left the record of uses as the definitions are', async () => {
    expect(await platform.doctor('uses')).toEqual({ code: 0, output: 'uses: no differences\n' })
  })

  it('left no error in the console of the browser', () => {
    expect(tab.problems).toEqual([])
  })
})
