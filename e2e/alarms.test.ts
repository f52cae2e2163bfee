import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { expectAccessible, expectFits, handsOn, phone, startJourney, startMailServer } from './kit.ts'

/** An alarm as the person on call meets it: told by e-mail, tended on a phone, over with the next packet. */

const mails = await startMailServer()
const { page, api, platform, make, token, tabOf, open, button, field, dialog, row, says, choose } =
  await startJourney({ env: { SMTP_URL: mails.url }, uses: [mails] })
const connector = await make.connector('Fühler', { preset: 'standard' })
const sensor = await make.device('Fühler 1', 'fuehler-1', { connectorId: connector.id })
const send = (battery: number) =>
  platform.api('POST', `/hooks/${connector.key}`, { identifier: 'fuehler-1', data: { battery } })
const { config, version } = await api
  .get<{ config: object }>(`/virtualdevice/${sensor.id}/health`)
  .then(async (health) => ({
    ...health,
    version: (await api.get<{ version: number }>(`/virtualdevice/${sensor.id}`)).version,
  }))
await api.put(`/virtualdevice/${sensor.id}/health-config/update/own`, {
  version,
  config: {
    ...config,
    entries: [
      {
        identifier: 'battery.low',
        category: 'battery',
        type: 'error',
        description: 'Batterie wechseln',
        condition: { variable: 'battery', operator: 'lt', value: 20 },
      },
    ],
  },
})
const bell = () => page.getByRole('button', { name: /offene[rn]? Alarm/ })

describe('an alarm', () => {
  it('is told as the user wants it', async () => {
    await open('/user-profile')
    await says('Sie werden noch nicht benachrichtigt.')
    await button('Benachrichtigung anlegen').click()
    const form = handsOn(dialog())
    await form.button('Speichern').click()
    await says('Dieses Feld ist erforderlich')
    await form.field('Name').fill('Bereitschaft')
    await choose('Kategorie', 'Batterie')
    await form.field('Name').click()
    await dialog().getByLabel('Auch wenn ein Alarm endet').check()
    await expectAccessible(page, 'notification about alarms')
    await form.button('Speichern').click()
    await says('E-Mail · Warnungen und Fehler · Batterie · sofort')
    await send(10)
    expect((await mails.next()).subject).toBe('Fehler: Batterie wechseln – Fühler 1')
  })

  it('is on the bell, which leads to it', async () => {
    await open('/alarm-logs?status=untended')
    await row(/Batterie wechseln/).waitFor()
    await bell().click()
    await expectAccessible(page, 'bell')
    await page.getByRole('link', { name: 'Batterie wechseln' }).last().click()
    await dialog().getByText('Fühler 1').first().waitFor()
    await expectAccessible(page, 'alarm')
    await choose('Zuständig', /.+/)
    await says('Zuständigkeit geändert')
    await handsOn(dialog()).button('Zurückstellen').click()
    await page.getByRole('menuitem', { name: /Vier Stunden/ }).click()
    await says(/hat den Alarm bis .* zurückgestellt/)
    await handsOn(dialog()).button('Wieder anzeigen').click()
    await says('Alarm zählt wieder')
    await page.keyboard.press('Escape')
    await dialog().waitFor({ state: 'detached' })
  })

  it('is on the page of its device', async () => {
    await open(`/virtual-devices/${sensor.id}`)
    await page.getByRole('heading', { name: '1 offener Alarm' }).waitFor()
    await page.getByRole('button', { name: '„Batterie wechseln“ quittieren' }).waitFor()
    await expectAccessible(page, 'device with an alarm')
  })

  it('is acknowledged with a comment on a phone, and resolved by the next packet', async () => {
    const tab = await tabOf(token, phone)
    await open('/alarm-logs?status=untended', tab.page)
    const hands = handsOn(tab.page)
    await expectFits(tab.page, 'alarm log on a phone')
    await tab.page.getByText('Batterie wechseln').first().waitFor()
    await tab.page.getByRole('button', { name: 'Actions', exact: true }).first().click()
    await tab.page.getByRole('menuitem', { name: /omment/ }).click()
    await hands.dialog().getByLabel('Comment').fill('On my way')
    await hands.button('Add comment').click()
    await hands.dialog().getByText('On my way').waitFor()
    await hands.button('Acknowledge').click()
    await hands.says('Alarm acknowledged')
    await expectAccessible(tab.page, 'alarm on a phone')
    await send(90)
    await hands.dialog().getByText('Resolved').first().waitFor()
    expect((await mails.next()).subject).toBe('Beendet: Fehler: Batterie wechseln – Fühler 1')
    await tab.page.close()
    await open('/alarm-logs?status=resolved')
    await row(/Batterie wechseln/).waitFor()
    await field('Meldung oder Ursprung suchen').fill('fühler wechseln')
    await row(/Batterie wechseln/).waitFor()
  })
  it('is in the analysis, which leads back to it', async () => {
    await open('/alarm-logs?severity=error')
    await button('Analyse').click()
    await button('Schweregrad: Fehler').waitFor()
    await says('Alarme pro Tag')
    await expectAccessible(page, 'analysis of alarms')
    const saved = page.waitForEvent('download')
    await button('„Die meisten Alarme“ als CSV').click()
    const file = await readFile(await (await saved).path(), 'utf8')
    expect(file.split('\r\n')[1]).toMatch(/^Fühler 1;.+;1;1;\d+$/)
    await page.getByText('90 Tage').click()
    await page.getByRole('link', { name: '1 Alarm von Fühler 1 im Alarmprotokoll' }).first().click()
    await row(/Batterie wechseln/).waitFor()
    await open('/alarm-logs/analysis?category=connectivity')
    await says('Keine Alarme in diesem Zeitraum')
    const tab = await tabOf(token, phone)
    await open('/alarm-logs/analysis', tab.page)
    await handsOn(tab.page).says('Most alarms')
    await expectFits(tab.page, 'analysis on a phone')
    await expectAccessible(tab.page, 'analysis on a phone')
    await tab.page.close()
  })
})
