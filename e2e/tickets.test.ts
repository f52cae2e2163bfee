import { describe, expect, it } from 'vitest'
import { dot } from '../packages/server/test/pictures.ts'
import { expectAccessible, expectFits, handsOn, phone, startJourney } from './kit.ts'

/** A fault, reported on a phone from the code at a room, also without a network, and taken care of on the board. */

const { page, api, make, platform, accountId, open, openAnew, button, dialog, says, tabOf } =
  await startJourney()
const { scopeId } = (
  await api.get<{ items: { id: number; scopeId: number }[] }>('/tenant/fetch/all')
).items.find(({ id }) => id === accountId) as { scopeId: number }
const account = { id: accountId, scopeId }
const building = await api.post<{ id: number }>('/digitaltwin', { accountId, title: 'Town hall' })
const room = await api.post<{ id: number }>('/digitaltwin', {
  accountId,
  title: 'Room 101',
  parentId: building.id,
})
const username = `ada${accountId}`
await make.user(username, account, 'Ticket reporter')
await platform.fill(
  `update users set password_hash = (select password_hash from users where username = 'admin@localhost')
    where username = '${username}'`,
)
const ada = await tabOf(await platform.login(username), phone)
const hers = handsOn(ada.page)
const bell = () => page.getByRole('button', { name: /offene[sn]? Ticket/ })
const tickets = async () =>
  (await api.get<{ items: { number: number; subject: string; pictureId: number | null }[] }>('/isFmTicket'))
    .items

describe('a fault', () => {
  it('is reported in three taps from the code at the room', async () => {
    await open(`/fm-add-ticket?twin=${room.id}`, ada.page)
    await hers.says('Room 101')
    await hers.says('Town hall')
    await hers.button('Report').click()
    await hers.says('Choose what happened.')
    await ada.page.getByRole('radio', { name: 'Heating failure' }).check()
    await expectAccessible(ada.page, 'report a fault')
    await expectFits(ada.page, 'report a fault')
    await hers.button('Report').click()
    await hers.heading('Thank you, the problem is reported').waitFor()
    await hers.says('Your ticket has the number #1.')
    await expectAccessible(ada.page, 'fault reported')
    expect(await tickets()).toMatchObject([{ number: 1, subject: 'Heating failure', pictureId: null }])
  })

  it('is not reported twice unless that is meant', async () => {
    await hers.button('Report something else').click()
    await hers.says('Already reported here')
    await ada.page.getByRole('radio', { name: 'Heating failure' }).check()
    await hers.button('Report').click()
    await hers.says('There is already an open ticket of this type with this subject: #1.')
    await hers.button('Report anyway').waitFor()
    await ada.page.getByRole('radio', { name: 'Defect' }).check()
    await hers.button('Report').waitFor()
  })

  it('waits on the phone while there is no network, and arrives once with its photo', async () => {
    await ada.page.setInputFiles('input[type=file]', { name: 'tap.png', mimeType: 'image/png', buffer: dot })
    await ada.page.getByRole('img', { name: 'Photo' }).waitFor()
    await hers.field('In a few words').fill('The tap drips')
    await ada.context.setOffline(true)
    await hers.button('Report').click()
    await hers.heading('Your report is kept').waitFor()
    await expectAccessible(ada.page, 'report kept')
    expect(await tickets()).toHaveLength(1)
    await hers.button('Report something else').click()
    await hers.heading('Not sent yet').waitFor()
    await hers.says('The tap drips')
    await ada.context.setOffline(false)
    await hers.heading('Not sent yet').waitFor({ state: 'detached' })
    const arrived = await tickets()
    expect(arrived).toMatchObject([
      { number: 2, subject: 'The tap drips', pictureId: expect.any(Number) },
      { number: 1 },
    ])
  })

  it('is also kept when the network drops in the middle, and the page is opened again later', async () => {
    await open(`/fm-add-ticket?twin=${room.id}`, ada.page)
    // The server takes the report, but its answer does not arrive.
    await ada.page.route('**/api/isFmTicket', async (route) => {
      if (route.request().method() !== 'POST') return route.fallback()
      await route.fetch()
      return route.abort('connectionfailed')
    })
    await ada.page.getByRole('radio', { name: 'Pollution' }).check()
    await hers.button('Report').click()
    await hers.heading('Your report is kept').waitFor()
    expect((await tickets()).filter(({ subject }) => subject === 'Pollution')).toHaveLength(1)
    await ada.page.unroute('**/api/isFmTicket')
    await openAnew('/fm-add-ticket', ada.page)
    await hers.heading('My reports').waitFor()
    await hers.heading('Not sent yet').waitFor({ state: 'detached' })
    expect((await tickets()).filter(({ subject }) => subject === 'Pollution')).toHaveLength(1)
  })

  it('is written where there is no network at all, on a page that was kept before, and arrives later', async () => {
    const address = `/fm-add-ticket?twin=${room.id}`
    await openAnew(address, ada.page)
    await hers.says('Room 101')
    await ada.page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined))
    await ada.context.setOffline(true)
    await ada.page.goto('about:blank')
    await ada.page.goto(`${platform.url}/#${address}`)
    await hers.heading('No connection').waitFor()
    await hers.says('Town hall › Room 101')
    await hers.button('Keep on this device').click()
    await hers.says('Choose what happened.')
    await ada.page.getByRole('radio', { name: 'Power failure' }).check()
    await ada.page.setInputFiles('input[type=file]', { name: 'fuse.png', mimeType: 'image/png', buffer: dot })
    await ada.page.getByRole('img', { name: 'Photo' }).waitFor()
    await hers.field('In a few words').fill('<b>Dark</b>')
    await expectAccessible(ada.page, 'report without a network')
    await expectFits(ada.page, 'report without a network')
    await hers.button('Keep on this device').click()
    await hers.heading('Your report is kept').waitFor()
    await hers.heading('Not sent yet').waitFor()
    await expectAccessible(ada.page, 'report kept without a network')
    const before = (await tickets()).length
    await ada.context.setOffline(false)
    // The console opens by itself, and sends it.
    await hers.heading('My reports').waitFor()
    await expect
      .poll(async () => (await tickets())[0])
      .toMatchObject({
        subject: '<b>Dark</b>',
        pictureId: expect.any(Number),
      })
    expect(await tickets()).toHaveLength(before + 1)
  })
})

describe('the board', () => {
  it('shows what was reported, and the bell counts it', async () => {
    await open('/fm-ticketing-mgmt')
    await says('#2 The tap drips')
    await expectAccessible(page, 'board of tickets')
    await bell().click()
    await dialog().getByText('#2 The tap drips').waitFor()
    await expectAccessible(page, 'bell of tickets')
    await page.keyboard.press('Escape')
  })

  it('moves a ticket by its menu, by keyboard and by dragging', async () => {
    const column = (name: string) => page.getByRole('region', { name, exact: true })
    await button('Aktionen für #2 The tap drips').click()
    await page.getByRole('menuitem', { name: 'Nach „In Arbeit“' }).click()
    await column('In Arbeit').getByText('#2 The tap drips').waitFor()
    const handle = column('In Arbeit').getByRole('button', { name: '#2 The tap drips', exact: true })
    await handle.press('Space')
    await says('#2 The tap drips ist jetzt bei In Arbeit.')
    await page.keyboard.press('ArrowRight')
    await says('#2 The tap drips ist jetzt bei Erledigt.')
    await page.keyboard.press('Space')
    await column('Erledigt').getByText('#2 The tap drips').waitFor()
    const grip = column('Offen').getByRole('button', { name: '#1 Heating failure', exact: true })
    await grip.hover()
    await page.mouse.down()
    const target = await column('In Arbeit').boundingBox()
    if (target === null) throw new Error('the column is not on the page')
    await page.mouse.move(target.x + target.width / 2, target.y + 80, { steps: 8 })
    await page.mouse.up()
    await column('In Arbeit').getByText('#1 Heating failure').waitFor()
  })

  it('opens a ticket, in which it is assigned, changed and commented', async () => {
    await page.getByRole('link', { name: '#1 Heating failure' }).click()
    const drawer = handsOn(dialog())
    await drawer.says('hat das Ticket gemeldet')
    await drawer.choice('Zuständig').click()
    await page.getByRole('option').first().click()
    await drawer.says(/^Zuständig: /)
    await drawer.field('Kommentar').fill('Der Heizungsbauer kommt morgen.')
    await drawer.button('Kommentieren').click()
    await drawer.says('Der Heizungsbauer kommt morgen.')
    await expectAccessible(page, 'ticket')
    await drawer.button('Mehr').click()
    await page.getByRole('menuitem', { name: 'Bearbeiten' }).click()
    const form = handsOn(page.getByRole('dialog', { name: 'Ticket #1 bearbeiten' }))
    await form.field('Betreff').fill('Heizkörper bleibt kalt')
    await form.choice('Priorität').click()
    await page.getByRole('option', { name: 'Dringend' }).click()
    await expectAccessible(page, 'form of a ticket')
    await form.button('Speichern').click()
    await drawer.says('Betreff: Heizkörper bleibt kalt')
    await drawer.says('Priorität: Dringend')
    await page.keyboard.press('Escape')
  })

  it('is a list, too, with filters and figures', async () => {
    await open('/fm-ticketing-mgmt?view=list')
    await page.getByRole('row', { name: /Heizkörper bleibt kalt/ }).waitFor()
    await expectAccessible(page, 'list of tickets')
    await button('Auswertung').click()
    await dialog().getByText('Orte mit den meisten Meldungen').waitFor()
    await expectAccessible(page, 'figures of tickets')
    await page.keyboard.press('Escape')
    await open('/fm-ticketing-mgmt?view=list&state=2')
    await page.getByRole('row', { name: /The tap drips/ }).waitFor()
    await page.getByRole('row', { name: /Heizkörper/ }).waitFor({ state: 'detached' })
  })

  it('fits a phone', async () => {
    const small = await tabOf(await platform.login(), phone)
    for (const path of [
      '/fm-ticketing-mgmt',
      '/fm-ticketing-mgmt?view=list',
      `/fm-ticketing-mgmt?ticket=1`,
    ]) {
      await open(path, small.page)
      await small.page.waitForLoadState('networkidle')
      await expectFits(small.page, path)
    }
  })
})

describe('the page of a twin', () => {
  it('lists what is open at it and below, and has the code to report more', async () => {
    await openAnew(`/digitaltwin-mgmt/${building.id}?tab=tickets`)
    await says('#1 Heizkörper bleibt kalt')
    await page.getByRole('img', { name: 'QR-Code zum Aushängen: Town hall' }).waitFor()
    await expectAccessible(page, 'tickets of a twin')
  })
})

describe('the reporter', () => {
  it('sees what became of it, and no names that are not for them', async () => {
    await openAnew('/fm-add-ticket', ada.page)
    await ada.page.getByRole('button', { name: /Heizkörper bleibt kalt/ }).click()
    await ada.page.getByRole('dialog').getByText('Der Heizungsbauer kommt morgen.').waitFor()
    await ada.page.getByRole('dialog').getByText('No user-read permissions').first().waitFor()
    await expectFits(ada.page, 'ticket on a phone')
    await expectAccessible(ada.page, 'ticket of the reporter')
  })
})
