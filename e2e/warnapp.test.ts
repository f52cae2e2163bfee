import { describe, expect, it } from 'vitest'
import { png } from '../packages/server/test/pictures.ts'
import { expectAccessible, expectFits, handsOn, phone, startJourney } from './kit.ts'

/** A warning monitor: set up, on a phone and on a tablet on the wall, turning bad and back, without a network. */

const { page, api, make, platform, accountId, open, dialog, says, button, row, tabOf } = await startJourney()
const { scopeId } = (
  await api.get<{ items: { id: number; scopeId: number }[] }>('/tenant/fetch/all')
).items.find(({ id }) => id === accountId) as { scopeId: number }

const twin = (title: string) => api.post<{ id: number }>('/digitaltwin', { accountId, title })
const state = (dtwinId: number, key: string, title: string, unit: string) =>
  api.post<{ id: number }>('/digitaltwin/states', {
    dtwinId,
    key,
    title,
    unit,
    source: 'none',
    sourceSettings: {},
  })
const setValue = (id: number, value: number) => api.put(`/digitaltwin/states/${id}/value`, { value })

const pool = await twin('Freibad')
const hall = await twin('Hallenbad')
const chlorine = await state(pool.id, 'chlorine', 'Chlor', 'mg/l')
const acidity = await state(pool.id, 'ph', 'pH-Wert', '')
const warmth = await state(hall.id, 'temperature', 'Wasser', '°C')
await setValue(chlorine.id, 0.5)
await setValue(acidity.id, 7.2)
await setValue(warmth.id, 28)

const username = `wall${accountId}`
const role = await api.post<{ id: number }>('/acl/role', {
  accountId,
  name: `Wall ${accountId}`,
  description: '',
  rules: [{ subject: 'IsWarnapp', actions: ['read'] }],
})
await make.user(username, { id: accountId, scopeId }, role.id)
await platform.fill(
  `update users set password_hash = (select password_hash from users where username = 'admin@localhost')
    where username = '${username}'`,
)

describe('setting up', () => {
  it('takes a twin, its states and limits, and shows the level of the newest value', async () => {
    await open('/is-warnapp-admin')
    await says('Noch keine Warnmonitore')
    await expectAccessible(page, 'warning app, empty')
    await button('Monitor einrichten').first().click()
    await handsOn(dialog()).choose('Zwilling', /^Freibad/)
    await handsOn(dialog()).button('Weiter').click()
    const sheet = handsOn(dialog())
    await sheet.button('Speichern').click()
    await sheet.says('Wählen Sie mindestens einen Datenpunkt.')
    await sheet.choose('Datenpunkt hinzufügen', 'Chlor')
    await sheet.button('Speichern').click()
    await sheet.says('Geben Sie mindestens einen Grenzwert an.')
    await sheet.field('Schlecht ab').fill('0.4')
    await sheet.says('Schlecht')
    await sheet.field('Schlecht ab').fill('1,2')
    await sheet.field('Mäßig ab').fill('0,6')
    await dialog().getByText('Gut', { exact: true }).waitFor()
    await expectAccessible(page, 'warning monitor, form')
    await sheet.button('Speichern').click()
    await says('„Freibad“ ist gespeichert.')
    await sheet.choose('Datenpunkt hinzufügen', 'pH-Wert')
    const second = handsOn(dialog().getByRole('group', { name: 'pH-Wert' }))
    await second.field('Schlecht bis').fill('6,5')
    await second.field('Schlecht ab').fill('7,8')
    await sheet.button('Speichern').click()
    await sheet.button('Speichern').and(page.locator(':not([data-loading])')).waitFor()
    await dialog()
      .locator('input[type=file]')
      .first()
      .setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer: png(64, 64) })
    await dialog().getByRole('img', { name: 'logo.png' }).waitFor()
    await dialog()
      .locator('input[type=file]')
      .last()
      .setInputFiles({ name: 'horn.mp3', mimeType: 'audio/mpeg', buffer: Buffer.from('<html>') })
    await sheet.says(/Der Inhalt dieser Datei ist etwas anderes/)
    await expectAccessible(page, 'warning monitor, with image')
    await expectFits(page, 'warning monitor, with image')
    await page.keyboard.press('Escape')
    await dialog().waitFor({ state: 'detached' })
    await row(/Freibad/)
      .getByText('Gut')
      .waitFor()
    await expectAccessible(page, 'warning app')
  })
})

describe('a tablet on the wall', async () => {
  const tablet = await tabOf(await platform.login(username), { width: 1024, height: 768 })
  const wall = handsOn(tablet.page)
  const screen = (level: string) => tablet.page.locator(`[data-level=${level}]`).first()
  const isPlaying = () =>
    tablet.page.evaluate(() => {
      const audio = document.querySelector('audio')
      return audio !== null && !audio.paused && audio.loop
    })

  it('shows large values, and says that the sound is off until it was started', async () => {
    await tablet.page.clock.install()
    // As browsers on tablets do; this one plays everything.
    await tablet.page.addInitScript(() => {
      let isTouched = false
      addEventListener('click', () => (isTouched = true), { capture: true })
      const { play } = HTMLMediaElement.prototype
      HTMLMediaElement.prototype.play = function () {
        if (isTouched) return play.call(this)
        return Promise.reject(new DOMException('A person has to touch the page first.', 'NotAllowedError'))
      }
    })
    await tablet.page.reload()
    await open(`/is-warnapp-viewer?twins=${pool.id}`, tablet.page)
    await wall.heading('Freibad').waitFor()
    await screen('good').waitFor()
    await wall.says('0,5')
    await wall.says(/Ton aus/)
    await expectAccessible(tablet.page, 'monitor, good')
    await expectFits(tablet.page, 'monitor, good')
    await wall.button('Ton starten').click()
    await wall.button('Ton ist an: deaktivieren').waitFor()
  })

  it('turns bad with a value, sounds until it is silenced, and turns back', async () => {
    await setValue(chlorine.id, 1.5)
    await screen('bad').waitFor()
    await wall.says('Alarm: Freibad')
    await expect.poll(isPlaying).toBe(true)
    await expectAccessible(tablet.page, 'monitor, bad')
    await wall.button('Alarm stummschalten').click()
    await expect.poll(isPlaying).toBe(false)
    await setValue(acidity.id, 8)
    await wall.says('Alarm: Freibad')
    await expect.poll(isPlaying).toBe(true)
    await setValue(acidity.id, 7.1)
    await setValue(chlorine.id, 0.7)
    await screen('okay').waitFor()
    await expect.poll(isPlaying).toBe(false)
    await setValue(chlorine.id, 0.4)
    await screen('good').waitFor()
  })

  it('is unknown after 30 seconds without the server, and good again once it is back', async () => {
    await tablet.context.setOffline(true)
    await tablet.page.clock.fastForward(29_000)
    await tablet.page.clock.fastForward(12_000)
    await wall.says(/Keine Verbindung zum Server seit/)
    await screen('unknown').waitFor()
    expect(await tablet.page.locator('[data-level=good]').count()).toBe(0)
    await expectAccessible(tablet.page, 'monitor, lost')
    await tablet.context.setOffline(false)
    await tablet.page.clock.fastForward(10_000)
    await screen('good').waitFor()
    await tablet.page.getByText(/Keine Verbindung zum Server seit/).waitFor({ state: 'detached' })
  })

  it('is unknown when its values are too old, however well the server answers', async () => {
    await api.put(`/isWarnapp/${hall.id}`, {
      version: null,
      states: [{ stateId: warmth.id, limits: { kind: 'number', badFrom: 30 }, silentMinutes: 1 }],
    })
    await platform.fill(
      `update state_current set time = now() - interval '2 minutes' where state_id = ${warmth.id}`,
    )
    await open(`/is-warnapp-viewer?twins=${hall.id}`, tablet.page)
    await wall.heading('Hallenbad').waitFor()
    await screen('unknown').waitFor()
    await setValue(warmth.id, 27)
    await screen('good').waitFor()
  })

  it('lets monitors take turns, and brings a bad one to the front', async () => {
    await open(`/is-warnapp-viewer?twins=${pool.id},${hall.id}&seconds=10`, tablet.page)
    const title = (name: string) => tablet.page.getByRole('heading', { level: 1, name })
    await title('Freibad').waitFor()
    await tablet.page.clock.fastForward(10_500)
    await title('Hallenbad').waitFor()
    await tablet.page.keyboard.press('ArrowRight')
    await title('Freibad').waitFor()
    await setValue(warmth.id, 31)
    await title('Hallenbad').waitFor()
    await tablet.page.clock.fastForward(10_500)
    await screen('bad').waitFor()
    await title('Hallenbad').waitFor()
    await expectAccessible(tablet.page, 'monitors, one bad')
    await setValue(warmth.id, 27)
    await screen('good').waitFor()
  })

  it('keeps the screen on, and asks for that again after it was hidden', async () => {
    // A browser that is run for tests has no screen that could turn off.
    await tablet.page.addInitScript(() => {
      const asked: (EventTarget & { released: boolean; release: () => Promise<void> })[] = []
      const request = async () => {
        const lock = Object.assign(new EventTarget(), {
          released: false,
          release: async () => {
            lock.released = true
            lock.dispatchEvent(new Event('release'))
          },
        })
        asked.push(lock)
        return lock
      }
      Object.defineProperty(navigator, 'wakeLock', { value: { request } })
      Object.assign(window, { asked })
      let visibility = 'visible'
      Object.defineProperty(document, 'visibilityState', { get: () => visibility })
      addEventListener('turn', (event) => {
        visibility = (event as CustomEvent<string>).detail
        // Browsers end it themselves when a page is hidden.
        if (visibility === 'hidden') for (const lock of asked) void lock.release()
        document.dispatchEvent(new Event('visibilitychange'))
      })
    })
    await open(`/is-warnapp-viewer?twins=${pool.id}`, tablet.page)
    await tablet.page.reload()
    const held = () =>
      tablet.page.evaluate(() => {
        const { asked } = window as unknown as { asked: { released: boolean }[] }
        return [asked.length, asked.filter(({ released }) => !released).length]
      })
    const turn = (to: string) =>
      tablet.page.evaluate((detail) => dispatchEvent(new CustomEvent('turn', { detail })), to)
    await screen('good').waitFor()
    await expect.poll(held).toEqual([1, 1])
    await turn('hidden')
    await wall.says(/hält den Bildschirm nicht wach/)
    expect(await held()).toEqual([1, 0])
    await turn('visible')
    await expect.poll(held).toEqual([2, 1])
    await tablet.page.getByText(/hält den Bildschirm nicht wach/).waitFor({ state: 'detached' })
  })

  it('fills the screen and gives it back', async () => {
    const isFull = () => tablet.page.evaluate(() => document.fullscreenElement !== null)
    await wall.button('Vollbild').click()
    await expect.poll(isFull).toBe(true)
    await wall.button('Vollbild').click()
    await expect.poll(isFull).toBe(false)
  })

  it('goes on after days, and loads a new version when no sound has to be started again for it', async () => {
    await wall.button('Ton starten').click()
    await wall.button('Ton ist an: deaktivieren').waitFor()
    await tablet.page.clock.fastForward(3 * 86_400_000)
    await screen('good').waitFor()
    // Another version has another script.
    await tablet.page.route(
      (url) => url.pathname === '/',
      (route) =>
        route.request().resourceType() === 'fetch'
          ? route.fulfill({
              contentType: 'text/html',
              body: '<script type="module" src="/other.js"></script>',
            })
          : route.fallback(),
    )
    await tablet.page.evaluate(() => Object.assign(window, { isOld: true }))
    const isOld = () => tablet.page.evaluate(() => 'isOld' in window)
    const looked = tablet.page.waitForResponse((answer) => new URL(answer.url()).pathname === '/')
    await tablet.page.clock.fastForward(10 * 60_000)
    await looked
    await screen('good').waitFor()
    expect(await isOld()).toBe(true)
    const loaded = tablet.page.waitForEvent('load')
    await wall.button('Ton ist an: deaktivieren').click()
    await loaded
    await screen('good').waitFor()
    expect(await isOld()).toBe(false)
    await tablet.page.unrouteAll()
  })

  it('shows nothing more once the session has ended, and asks to sign in', async () => {
    await platform.fill(
      `delete from sessions where user_id = (select id from users where username = '${username}')`,
    )
    await tablet.page.clock.fastForward(10_000)
    await tablet.page.waitForURL(/#\/login\?redirect=.*twins/)
    await wall.heading('Anmelden').waitFor()
  })
})

describe('a phone', () => {
  it('chooses its monitors', async () => {
    const small = await tabOf(await platform.login(username), phone)
    const hands = handsOn(small.page)
    await open('/is-warnapp-viewer', small.page)
    await hands.heading('Which monitors should run here?').waitFor()
    await expectAccessible(small.page, 'choose monitors')
    await small.page.getByRole('checkbox', { name: 'Freibad' }).check()
    await hands.button('Show').click()
    await hands.heading('Freibad').waitFor()
    await hands.says('Good')
    await expectAccessible(small.page, 'monitor on a phone')
    await expectFits(small.page, 'monitor on a phone')
  })
})
