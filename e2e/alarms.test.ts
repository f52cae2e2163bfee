import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { createBrowser, startPushService } from '../packages/server/test/pushService.ts'
import { expectAccessible, expectFits, handsOn, phone, startJourney, startMailServer } from './kit.ts'

/** An alarm as the person on call meets it: told by email and push, tended on a phone, over with the next packet. */

const mails = await startMailServer()
const pushService = await startPushService()
const { page, api, platform, make, token, accountId, tabOf, open, button, field, dialog, row, says, choose } =
  await startJourney({
    env: { SMTP_URL: mails.url, ALLOWED_NETWORKS: '127.0.0.1' },
    uses: [mails, pushService],
  })
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
    const card = tab.page.locator('tr', { hasText: 'Batterie wechseln' }).first()
    await card.getByRole('button', { name: 'Actions', exact: true }).click()
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

describe('a device that goes silent', () => {
  const telephone = createBrowser(pushService, 'Diensthandy')
  const sendLevel = () =>
    platform.api('POST', `/hooks/${connector.key}`, { identifier: 'pegel-1', data: { level: 3 } })

  /** Three hours go by in which no gauge sends anything, and an hour ends. */
  const beSilent = () =>
    platform.fill(`
      update twins set created_at = created_at - interval '1 day';
      update device_live set last_seen = last_seen - interval '3 hours';
      delete from device_packets;
      update packet_rounds set hour = hour - 1, since = since - interval '1 day';
      update smart_groups set judged = judged - 1`)

  it('is in a smart group of which a user wants to hear by email and push', async () => {
    await make.device('Pegel 1', 'pegel-1', { connectorId: connector.id, tags: ['Pegel'] })
    await sendLevel()
    const monitoring = { expected: 'number', packetsPerDay: 24, windowHours: 1, threshold: 100 }
    await api.post('/virtualdevice/views', {
      title: 'Pegel am Fluss',
      accountId,
      filter: { tags: ['Pegel'] },
      monitoring,
    })
    await api.post('/push/subscriptions', telephone.subscription)
    await open('/user-profile')
    for (const [name, channel] of [
      ['Pegel per Mail', 'E-Mail'],
      ['Pegel aufs Handy', 'Im Browser'],
    ] as const) {
      await button('Benachrichtigung anlegen').click()
      await handsOn(dialog()).field('Name').fill(name)
      await choose('Weg', channel)
      await choose('Nur Geräte der Gruppe', /^Pegel am Fluss/)
      await dialog().getByLabel('Auch wenn ein Alarm endet').check()
      await handsOn(dialog()).button('Speichern').click()
      await says(`${channel} · Warnungen und Fehler · in Pegel am Fluss · sofort`)
    }
    await button('Aktionen für „Pegel aufs Handy“').click()
    await page.getByRole('menuitem', { name: 'Bearbeiten' }).click()
    await expect
      .poll(() => handsOn(dialog()).choice('Nur Geräte der Gruppe').inputValue())
      .toMatch(/^Pegel am Fluss/)
    await page.keyboard.press('Escape')
    await dialog().waitFor({ state: 'detached' })
  })

  it('raises an alarm by the clock, which is told the same by email and push', async () => {
    await beSilent()
    const mail = await mails.next()
    expect(mail.subject).toBe('Warnung: Zu wenige Pakete: 0 statt 1 in einer Stunde – Pegel 1')
    await expect.poll(() => telephone.received().length).toBe(1)
    const [{ message } = { message: null }] = telephone.received()
    expect(message).toMatchObject({
      title: mail.subject,
      url: expect.stringMatching(/^\/#\/alarm-logs\?alarm=\d+$/),
    })
    expect(mail.text).toContain(message.body)
    expect(mail.text).toContain(message.url)
  })

  it('is taken care of on the phone that was told, until the next packet', async () => {
    const tab = await tabOf(token, phone)
    const hands = handsOn(tab.page)
    const [{ message } = { message: null }] = telephone.received()
    await open(message.url.slice('/#'.length), tab.page)
    await hands.dialog().getByText('Too few packets: 0 instead of 1 in an hour').first().waitFor()
    await hands.dialog().getByLabel('Comment').fill('The battery is empty')
    await hands.button('Add comment').click()
    await hands.dialog().getByText('The battery is empty').waitFor()
    await hands.button('Acknowledge').click()
    await hands.says('Alarm acknowledged')
    await expectFits(tab.page, 'threshold alarm on a phone')
    await sendLevel()
    await hands.dialog().getByText('Resolved').first().waitFor()
    await tab.page.close()
    const { subject } = await mails.next()
    expect(subject).toBe('Beendet: Warnung: Zu wenige Pakete: 0 statt 1 in einer Stunde – Pegel 1')
    await expect.poll(() => telephone.received().map((each) => each.message.title)).toContain(subject)
  })

  it('is told only afterwards if its group is maintained', async () => {
    await open('/alarm-logs?maintenance=1')
    await button('Wartung planen').click()
    const form = handsOn(dialog().last())
    await form.field('Anlass').fill('Batterien wechseln')
    await choose('Gerätegruppe', /^Pegel am Fluss/)
    await form.button('Wartung planen').click()
    await dialog().nth(1).waitFor({ state: 'detached' })
    await open('/alarm-logs')
    await open('/alarm-logs?maintenance=1')
    await says(/^Pegel am Fluss · /)
    await says('Läuft')
    await make.device('Pegel 2', 'pegel-2', { connectorId: connector.id, tags: ['Pegel'] })
    await beSilent()
    await says('1 offener Alarm')
    await expectAccessible(page, 'maintenance of a smart group')
    await button('Jetzt beenden').click()
    await says('„Batterien wechseln“ ist beendet.')
    expect((await mails.next()).subject).toBe(
      'Wieder offen: Warnung: Zu wenige Pakete: 0 statt 1 in einer Stunde – Pegel 2',
    )
    await expect.poll(() => telephone.received().length).toBe(3)
  })
})
