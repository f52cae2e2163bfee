import type { Page } from 'playwright-core'
import { afterAll, describe, expect, it } from 'vitest'
import { countSteps, expectAccessible, startJourney, type Task } from './kit.ts'

/**
 * Everyday tasks, each begun on the start page, and the steps they take: fewer than when they were first
 * counted.
 */

const { page, platform, token, accountId, api, make, open, tabOf, ...hands } = await startJourney()
const { button, choice, dialog, field, says, tabNamed } = hands
const { page: phone } = await tabOf(token, { width: 375, height: 760 })
const count = await countSteps(page)
const countOnPhone = await countSteps(phone)

const script = `function decodeUplink(input) {
  return { data: { temperature: input.bytes[0] / 10 } }
}`

/** 24 sensors, one of which has sent a value, and a press that is too warm and has raised an alarm. */
async function makeHall() {
  const { key, id: connectorId } = await make.connector('Werkstor', {
    preset: 'standard',
    template: '',
    messagesPerSecond: null,
  })
  const { id: driverId } = await make.driver('Fühler', script, {
    variables: [{ key: 'temperature', title: 'Temperatur', unit: '°C' }],
  })
  const names = Array.from({ length: 24 }, (_, at) => `halle-${String(at + 1).padStart(2, '0')}`)
  for (const name of names)
    await make.device(name.replace('halle-', 'Halle '), name, { connectorId, driverId })
  const { id: dtwinId } = await api.post<{ id: number }>('/digitaltwin', { title: 'Presse', accountId })
  const { id: stateId } = await api.post<{ id: number }>('/digitaltwin/states', {
    dtwinId,
    key: 'temp',
    title: 'Temperatur',
    unit: '°C',
    source: 'none',
  })
  await api.post('/digitaltwin/ddr', {
    dtwinId,
    title: 'Zu warm',
    metrics: [{ alias: 'temp', stateId }],
    conditions: { op: 'gt', left: { metric: 'temp' }, right: { value: 30 } },
    actions: [{ kind: 'alarm', severity: 'error', message: 'Presse zu warm' }],
  })
  await api.put(`/digitaltwin/states/${stateId}/value`, { value: 34 })
  await send(key, 'halle-07')
  return { driverId, dtwinId }
}

async function send(key: string, identifier: string): Promise<void> {
  const response = await fetch(`${platform.url}/api/hooks/${key}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ identifier, payload: 'd2' }),
  })
  expect(response.status).toBe(200)
}

const { driverId, dtwinId } = await makeHall()
const tasks: (Task & { before: number })[] = []
const home = async (on: Page = page) => {
  await open('/home', on)
  await on.getByText('Presse zu warm').first().waitFor()
}
/** Runs a task and checks that it takes fewer steps than before. */
async function play(name: string, before: number, task: () => Promise<void>, counter = count): Promise<void> {
  const done = await counter(name, task)
  tasks.push({ ...done, before })
  expect(done.steps, name).toBeLessThan(before)
}

afterAll(() => {
  const lines = tasks.map(
    ({ name, before, steps, seconds }) =>
      `${name.padEnd(40)} ${String(before).padStart(6)} ${String(steps).padStart(6)} ${seconds.toFixed(1).padStart(8)}`,
  )
  console.info(['journey                                  before  steps  seconds', ...lines].join('\n'))
})

describe('an everyday task', () => {
  it('shows what is wrong', async () => {
    await home()
    await play('what is wrong', 3, async () => {
      await page.getByRole('main').getByRole('link', { name: 'Presse zu warm' }).click()
      await says('Ausgelöst')
    })
  })

  it('finds a sensor and exports its last month', async () => {
    await home()
    await play('a sensor, its month as CSV', 9, async () => {
      await page.keyboard.press('Control+k')
      await page.getByRole('combobox', { name: 'Befehle und Suche' }).fill('07 halle')
      await page.getByRole('option', { name: /Halle 07/ }).waitFor()
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: 'Halle 07' }).waitFor()
      await button(/^(Temperatur|Messverlauf)/)
        .first()
        .click()
      await dialog()
        .getByRole('button', { name: /^Zeitraum/ })
        .click()
      await page.getByRole('button', { name: 'Letzter Monat', exact: true }).click()
      await dialog().getByRole('tab', { name: 'Tabelle' }).click()
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        dialog().getByRole('button', { name: /CSV/ }).click(),
      ])
      expect(download.suggestedFilename()).toMatch(/\.csv$/)
    })
  })

  it('creates a dashboard with three widgets', async () => {
    await home()
    await play('a dashboard of three widgets', 30, async () => {
      await page.getByRole('navigation').getByRole('link', { name: 'Dashboards' }).first().click()
      await button('Dashboard anlegen').first().click()
      await dialog().getByRole('textbox', { name: 'Name' }).fill('Halle')
      await page.keyboard.press('Enter')
      for (const kind of [/^Werte/, /^Liniendiagramm/, /^Balkendiagramm/]) {
        await button('Widget hinzufügen').first().click()
        await dialog().getByRole('button', { name: kind }).click()
        if (kind.source === '^Werte') {
          const states = dialog().getByRole('combobox', { name: /^Datenpunkte/ })
          await states.click()
          await states.fill('presse')
          await page
            .getByRole('option', { name: /Presse/ })
            .first()
            .click()
        }
        await dialog().getByRole('button', { name: 'Widget hinzufügen' }).click()
        await dialog().waitFor({ state: 'detached' })
      }
      await button('Speichern').click()
      await button('Bearbeiten').waitFor()
    })
  })

  it('creates a device that sends over MQTT, with nothing there yet', async () => {
    await home()
    let pages = 0
    const { seconds } = await count('', async () => {
      await page.getByRole('navigation').getByRole('link', { name: 'Geräte' }).first().click()
      await button('Gerät anlegen').first().click()
      await button('Konnektor anlegen').click()
      await button(/^MQTT-Broker/).click()
      await field('Name').fill('Hallenfunk')
      await field('Benutzername').fill('halle')
      await page.getByRole('textbox', { name: 'Passwort' }).fill('Funk-7-Hallen-Tor!')
      await button('Prüfen und speichern').click()
      await page.getByRole('heading', { name: 'Gerät anlegen' }).waitFor()
      expect(await page.getByRole('radio', { name: /Hallenfunk/ }).isChecked()).toBe(true)
      pages = await page.locator('.mantine-Stepper-step').count()
      await button('Weiter').click()
      await button('Weiter').click()
      await field(/^Kennung/).fill('tor-1')
      await field('Titel').fill('Tor 1')
      await button('Weiter').click()
      await button('Weiter').click()
      await page.getByRole('main').getByRole('button', { name: 'Gerät anlegen' }).click()
      await says('Wartet auf das erste Paket')
    })
    const name = 'a device by MQTT from nothing (pages)'
    tasks.push({ name, before: 6, steps: pages, seconds })
    expect(pages, name).toBeLessThan(6)
  })

  it('creates a rule', async () => {
    await home()
    await play('a rule', 10, async () => {
      await page.keyboard.press('Control+k')
      await page.getByRole('combobox', { name: 'Befehle und Suche' }).fill('presse')
      await page
        .getByRole('option', { name: /Presse/ })
        .first()
        .waitFor()
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { level: 1, name: 'Presse' }).waitFor()
      await tabNamed(/^Regeln/).click()
      await button('Regel anlegen').first().click()
      await dialog().getByRole('textbox', { name: 'Titel', exact: true }).fill('Viel zu warm')
      await dialog().getByRole('textbox', { name: /Wert$/ }).last().fill('40')
      await dialog().getByRole('button', { name: 'Regel anlegen' }).click()
      await page.getByRole('switch', { name: /Viel zu warm/ }).waitFor()
    })
    const { items } = await api.get<{ items: { title: string }[] }>(
      `/digitaltwin/ddr/list?dtwinId=${dtwinId}`,
    )
    expect(items.find(({ title }) => title === 'Viel zu warm')).toMatchObject({
      metrics: [{ alias: 'temp' }],
      conditions: { conditions: [{ op: 'gt', left: { metric: 'temp' }, right: { value: 40 } }] },
      actions: [{ kind: 'alarm', message: 'Wert außerhalb des Bereichs: {{temp}}' }],
    })
  })

  it('changes a driver that was opened lately', async () => {
    await open(`/virtual-device-drivers/${driverId}`)
    await page.getByRole('heading', { level: 1, name: 'Fühler' }).waitFor()
    await home()
    await play('a driver changed', 6, async () => {
      await page.getByRole('navigation').getByRole('link', { name: 'Fühler' }).click()
      await tabNamed('Parser').click()
      await page.getByRole('textbox', { name: 'Skript des Treibers' }).click()
      await page.keyboard.insertText('// ')
      await button('Speichern und veröffentlichen').click()
      await says('Version 2 ist veröffentlicht')
    })
  })

  it('edits twenty devices', async () => {
    await home()
    await play('20 devices edited', 7, async () => {
      await page.getByRole('navigation').getByRole('link', { name: 'Geräte' }).first().click()
      await page.getByRole('checkbox', { name: 'Alle Zeilen dieser Seite auswählen' }).check()
      await button('Massenänderung').click()
      await choice('Tags hinzufügen').fill('Westseite')
      await button('Weiter').click()
      await button('20 Geräte ändern').click()
      await says('Fertig')
    })
    const changed = await api.get<{ total: number }>('/virtualdevice?tags=Westseite')
    expect(changed.total).toBe(20)
  })

  it('shows the open alarms of a place on its page', async () => {
    await open(`/digitaltwin-mgmt/${dtwinId}`)
    await says('1 offener Alarm')
    await page.getByRole('main').getByRole('link', { name: 'Presse zu warm' }).waitFor()
    await expectAccessible(page, 'overview of a twin')
  })

  it('explains an alarm on a phone', async () => {
    await home(phone)
    await play(
      'an alarm on a phone',
      2,
      async () => {
        await phone.getByRole('main').getByRole('link', { name: 'Presse zu warm' }).click()
        await phone.getByText('Ausgelöst').first().waitFor()
      },
      countOnPhone,
    )
  })

  it('acknowledges an alarm on a phone and says what was done', async () => {
    await home(phone)
    await phone.getByRole('button', { name: '„Presse zu warm“ quittieren' }).click()
    await phone
      .getByText(/Quittiert von/)
      .first()
      .waitFor()
    await phone.goto(phone.url().replace(/#.*/, '#/alarm-logs?acknowledged=yes'))
    await phone
      .getByRole('button', { name: /^Aktionen/ })
      .first()
      .click()
    await phone.getByRole('menuitem', { name: 'Kommentieren' }).click()
    const alarm = phone.getByRole('dialog', { name: 'Presse zu warm' })
    await alarm.getByText('Noch keine Kommentare').waitFor()
    await alarm.getByRole('textbox', { name: 'Kommentar' }).fill('Kühlung gereinigt')
    await alarm.getByRole('button', { name: 'Kommentieren' }).click()
    await alarm.getByRole('list', { name: 'Kommentare' }).getByText('Kühlung gereinigt').waitFor()
    await expectAccessible(phone, 'an alarm on a phone')
    const { items } = await api.get<{ items: { acknowledged: object | null; comments: number }[] }>(
      '/alarm-logs?acknowledged=true',
    )
    expect(items).toMatchObject([{ acknowledged: { by: expect.any(String) }, comments: 1 }])
  })
})
