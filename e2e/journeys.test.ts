import type { Page } from 'playwright-core'
import { afterAll, describe, expect, it } from 'vitest'
import { countSteps, startJourney, type Task } from './kit.ts'

/**
 * Eight tasks of a day, each begun on the start page, with the steps a person needs. Their number stays below
 * what it was when it was first counted.
 */

const { page, platform, token, accountId, api, make, open, button, dialog, says, tabOf } =
  await startJourney()
const { page: phone } = await tabOf(token, { width: 375, height: 760 })
const count = await countSteps(page)
const countOnPhone = await countSteps(phone)

const script = `function decodeUplink(input) {
  return { data: { temperature: input.bytes[0] / 10 } }
}`

/** A hall with 24 sensors, one of which has measured, is too warm and has raised an alarm. */
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
  return { key }
}

async function send(key: string, identifier: string): Promise<void> {
  const response = await fetch(`${platform.url}/api/hooks/${key}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ identifier, payload: 'd2' }),
  })
  expect(response.status).toBe(200)
}

await makeHall()
const tasks: (Task & { before: number })[] = []
const home = async (on: Page = page) => {
  await open('/home', on)
  await on.getByText('Presse zu warm').first().waitFor()
}
/** Plays a task from the start page on. */
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

describe('a day', () => {
  it('what is wrong', async () => {
    await home()
    await play('what is wrong', 3, async () => {
      await page.getByRole('main').getByRole('link', { name: 'Presse zu warm' }).click()
      await says('Ausgelöst')
    })
  })

  it('finds a sensor, its month and a file of it', async () => {
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

  it('makes a dashboard of three widgets', async () => {
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

  it('sees on a phone why there is an alarm', async () => {
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
})
