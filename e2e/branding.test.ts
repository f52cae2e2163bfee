import { describe, expect, it } from 'vitest'
import { startDns } from '../packages/server/test/dns.ts'
import { png } from '../packages/server/test/pictures.ts'
import {
  expectAccessible,
  expectFits,
  handsOn,
  openTab,
  phone,
  startJourney,
  startMailServer,
} from './kit.ts'

/** Two accounts with a domain and a brand each, on one server. */

const domains = ['nord.example', 'sued.example'] as const
const mails = await startMailServer()
const names = await startDns([])
const journey = await startJourney({
  env: { SMTP_URL: mails.url, DNS_SERVERS: names.address },
  browserArgs: [`--host-resolver-rules=${domains.map((domain) => `MAP ${domain} 127.0.0.1`).join(', ')}`],
  uses: [mails, names],
})
const { browser, platform, page, api, make, open, openAnew, button, field, says, tab } = journey

interface Claimed {
  record: { name: string; value: string }
}

/** An account that has proven a domain, with somebody who works there. */
async function account(title: string, domain: string) {
  const made = await make.account(title)
  const { id } = made
  const { record } = await api.post<Claimed>(`/tenant/${id}/domains`, { domain, acceptUnknown: true })
  names.texts.set(record.name, [record.value])
  await api.post(`/tenant/${id}/domains/${domain}/check`, {})
  const username = `anna@${domain}`
  await make.user(username, made, 'Account administrator', { email: username })
  // The mail that invites them.
  await mails.next()
  await platform.fill(
    `update users set password_hash = (select password_hash from users where username = 'admin@localhost') where username = '${username}'`,
  )
  return { id, domain, username, url: platform.url.replace(/127\.0\.0\.1|localhost/, domain) }
}

const north = await account('Nord', domains[0])
const south = await account('Süd', domains[1])

/** Everything a visitor can see of the name: title, texts, description and manifest. */
async function told(on: typeof page): Promise<string> {
  return on.evaluate(async () => {
    const manifest = await (await fetch('/manifest.webmanifest')).text()
    const metas = [...document.querySelectorAll('meta[name=description]')].map((meta) => meta.outerHTML)
    const labels = [...document.querySelectorAll('[aria-label]')].map((one) => one.getAttribute('aria-label'))
    return [document.title, document.body.textContent, manifest, ...metas, ...labels].join('\n')
  })
}

describe('the settings of an account', () => {
  it('say what is missing, and give its domain a brand', async () => {
    await open(`/system-settings?account=${north.id}`)
    await says('Noch nicht eingerichtet')
    await says('Impressum: in Deutschland Pflicht')
    await expectAccessible(page, 'system settings')
    await page.getByRole('tab', { name: 'Seite' }).click()
    await field('Seitentitel').fill('Stadtwerke Nord')
    await field('Text des Impressums').fill('# Stadtwerke Nord\n\nMarkt 1')
    await field('Link zum Datenschutz').fill('http://nord.example/datenschutz')
    await button('Speichern').click()
    await says('Eine Adresse mit https:// angeben')
    await field('Link zum Datenschutz').fill('https://nord.example/datenschutz')
    await expectAccessible(page, 'the page of a brand')
    await page.getByRole('tab', { name: 'English' }).click()
    await field('Seitentitel').fill('North Utilities')
    await page.getByRole('tab', { name: 'Erscheinungsbild' }).click()
    await field('Akzentfarbe, hell').fill('#e8a800')
    await says(/für Text zu schwach .* den nächsten lesbaren Ton #/)
    await field('Akzentfarbe, hell').fill('#ffffee')
    await says(/vom Hintergrund kaum zu unterscheiden\. Wählen Sie/)
    await field('Akzentfarbe, hell').fill('#8a1538')
    await says('gut lesbar')
    await page.getByRole('slider', { name: 'Farbton' }).waitFor()
    await button('Speichern').click()
    await says('Gespeichert. Neu geöffnete Seiten sehen so aus.')
    await expectAccessible(page, 'the theme of a brand')
  })

  it('take a logo that is square and does not move', async () => {
    const input = page.locator('input[type=file]').first()
    const choose = (name: string, buffer: Buffer) =>
      input.setInputFiles({ name, mimeType: 'image/png', buffer })
    await choose('breit.png', png(64, 32))
    await says('Das Bild ist nicht quadratisch. Schneiden Sie es zu.')
    await choose('logo.png', png(64, 64))
    await button('Logo entfernen').waitFor()
    await page
      .locator('input[type=file]')
      .nth(2)
      .setInputFiles({
        name: 'park.png',
        mimeType: 'image/png',
        buffer: png(64, 32),
      })
    await button('Hintergrund der Startseite entfernen').waitFor()
    await page.setViewportSize({ width: 375, height: 760 })
    await expectFits(page, 'the theme of a brand on a phone')
    await open(`/system-settings?account=${north.id}&tab=terms`)
    const chosen = page.getByRole('tab', { name: 'Nutzungsbedingungen', selected: true })
    await expect
      .poll(() => chosen.evaluate((tab) => tab.getBoundingClientRect().right <= innerWidth))
      .toBe(true)
    await page.setViewportSize({ width: 1440, height: 900 })
  })
})

describe('beside the form', () => {
  const shown = page.locator('aside iframe').contentFrame()
  const choose = (of: string, label: string) =>
    page.getByRole('radiogroup', { name: of, exact: true }).getByText(label, { exact: true }).click()
  const accent = () =>
    shown.locator('html').evaluate((html) => getComputedStyle(html).getPropertyValue('--accent').trim())
  const schemes = (where: Pick<typeof page, 'locator'>) =>
    where.locator('html').getAttribute('data-mantine-color-scheme')

  it('are real screens with what is typed, before it is stored, in both modes', async () => {
    const connector = await make.connector('Funknetz', undefined, { accountId: north.id })
    await make.device('Zähler im Keller', 'z1', { connectorId: connector.id })
    await open('/home')
    await open(`/system-settings?account=${north.id}&tab=theme`)
    const title = await page.title()
    await shown.getByRole('link', { name: 'Stadtwerke Nord' }).waitFor()
    await shown.getByRole('heading', { name: 'Favoriten', exact: true }).waitFor()
    expect(await accent()).toBe('#8a1538')
    await expectAccessible(page, 'preview of a brand')
    await field('Akzentfarbe, hell').fill('#0b5')
    await field('Akzentfarbe, hell').fill('#0b5c2e')
    await expect.poll(() => accent()).toBe('#0b5c2e')
    await choose('Vorschau von', 'Geräte')
    await shown.getByRole('link', { name: 'Zähler im Keller' }).waitFor()
    await choose('Vorschau von', 'Hilfe')
    await shown.getByRole('heading', { name: 'Häufige Fragen' }).waitFor()
    await choose('Vorschau von', 'Anmelden')
    await shown.getByText('Stadtwerke Nord').waitFor()
    await shown.getByLabel('Benutzername').waitFor()
    await expect.poll(() => accent()).toBe('#0b5c2e')
    await choose('Vorschau', 'Dunkel')
    await expect.poll(() => schemes(shown)).toBe('dark')
    expect(await accent()).not.toBe('#0b5c2e')
    // The page itself is as it was, and so is what is stored.
    expect([await page.title(), await schemes(page)]).toEqual([title, 'light'])
    const { items } = await api.get<{ items: { settings: { lightHighlight: string } }[] }>(
      `/tenant/${north.id}/brands`,
    )
    expect(items.map(({ settings }) => settings.lightHighlight)).toEqual(['#8a1538'])
  })

  it('take no key, no focus and no address that could be framed', async () => {
    await choose('Vorschau von', 'Start')
    const focused = () => page.evaluate(() => document.activeElement?.tagName)
    await field('Akzentfarbe, hell').focus()
    const frames = await page.evaluate(() =>
      [...document.querySelectorAll('iframe')].map((frame) => {
        frame.contentDocument?.querySelector<HTMLElement>('a, input')?.focus()
        return [frame.getAttribute('src'), frame.srcdoc, frame.inert, frame.tabIndex]
      }),
    )
    expect(frames).toEqual([[null, '', true, -1]])
    expect(await focused()).toBe('INPUT')
    for (let at = 0; at < 12; at++) {
      await page.keyboard.press('Tab')
      expect(await focused()).not.toBe('IFRAME')
    }
    await shown.getByRole('button', { name: 'Hilfe zu dieser Seite' }).waitFor({ state: 'attached' })
    await page.keyboard.press('F1')
    await page.getByRole('dialog').first().waitFor()
    expect(await page.getByRole('dialog').count()).toBe(1)
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await choose('Vorschau', 'Hell')
    await button('Verwerfen').click()
    await expect.poll(() => accent()).toBe('#8a1538')
  })

  it('can be checked with the picker of a colour open', async () => {
    await field('Akzentfarbe, hell').click()
    await page.getByRole('slider', { name: 'Farbton' }).first().waitFor()
    await expectAccessible(page, 'the picker of a colour beside a preview')
    await page.keyboard.press('Escape')
  })
})

describe('a domain with a brand', () => {
  it('shows it before signing in, and nothing of another', async () => {
    const pages = { de: { title: 'Wasser Süd', imprintText: 'Süd' }, en: { title: 'South Water' } }
    await api.put(`/tenant/${south.id}/brand`, {
      domain: south.domain,
      version: 0,
      settings: { pages, defaultMode: 'dark', defaultLanguage: 'en', darkHighlight: '#ffa94d' },
    })
    for (const [own, title, other] of [
      [north, 'Stadtwerke Nord', /Süd|South|leitstand/i],
      [south, 'South Water', /Nord|North|leitstand/i],
    ] as const) {
      const { page: there, context, problems } = await openTab(browser)
      await there.goto(`${own.url}/#/login`)
      await there.getByText(title).waitFor()
      await expect.poll(() => there.title()).toContain(title)
      expect(await told(there)).not.toMatch(other)
      await expectAccessible(there, `sign-in of ${title}`)
      expect(problems).toEqual([])
      await context.close()
    }
  })

  it('has its imprint for everybody, on a phone too', async () => {
    const visitor = await openTab(browser, { ...phone, locale: 'de-DE' })
    await visitor.page.goto(`${north.url}/#/login`)
    await visitor.page.getByRole('link', { name: 'Impressum' }).click()
    await visitor.page.getByRole('heading', { name: 'Stadtwerke Nord' }).waitFor()
    await visitor.page.getByText('Markt 1').waitFor()
    await expectAccessible(visitor.page, 'the imprint')
    await expectFits(visitor.page, 'the imprint on a phone')
    const link = visitor.page.getByRole('link', { name: 'Datenschutz' })
    expect(await link.getAttribute('href')).toBe('https://nord.example/datenschutz')
    await visitor.context.close()
  })

  it('is the console of those who work there, in its colour, language and mode', async () => {
    for (const { url, username, title, own } of [
      { ...north, title: 'Stadtwerke Nord', own: '#8a1538' },
      { ...south, title: 'South Water', own: '#ffa94d' },
    ]) {
      const token = await platform.login(username)
      const theirs = await openTab(browser, { session: { url, token } })
      await theirs.page.goto(`${url}/#/home`)
      await theirs.page.getByRole('link', { name: title }).waitFor()
      const accent = () =>
        theirs.page.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue('--accent'))
      expect(await accent()).toBe(own)
      expect(await told(theirs.page)).not.toMatch(/leitstand/i)
      // One of both has an image behind its home page.
      const background = theirs.page
        .locator('#main')
        .evaluate((main) => getComputedStyle(main).backgroundImage)
      expect(await background).toMatch(title === 'Stadtwerke Nord' ? /^url\(/ : /^none$/)
      await expectAccessible(theirs.page, `home of ${title}`)
      await theirs.context.close()
    }
  })

  it('has its name on what is shared', async () => {
    const twin = await api.post<{ id: number }>('/digitaltwin', { title: 'Schule', accountId: south.id })
    const { token } = await api.post<{ token: string }>(`/digitaltwin/${twin.id}/sharing/create-key`, {})
    const visitor = await openTab(browser)
    await visitor.page.goto(`${south.url}/#/public/${token}/tiles/${twin.id}`)
    await handsOn(visitor.page).heading('Schule').waitFor()
    await expect.poll(() => visitor.page.title()).toContain('South Water')
    expect(await told(visitor.page)).not.toMatch(/leitstand|Nord|North/i)
    await visitor.context.close()
  })

  it('has its name and address in mails', async () => {
    const visitor = await openTab(browser)
    await visitor.page.goto(`${north.url}/#/reset-password`)
    await visitor.page.getByRole('textbox').first().fill(north.username)
    await visitor.page.getByRole('button').last().click()
    const mail = await mails.next()
    expect(mail.subject).toBe('Stadtwerke Nord: neues Passwort setzen')
    expect(mail.from?.name).toBe('Stadtwerke Nord')
    expect(mail.text).toContain(`${north.url}/#/change-password?token=`)
    expect(mail.text).not.toMatch(/leitstand|Süd/i)
    await visitor.context.close()
  })
})

it('is in the drawer of everybody, what the operator links to', async () => {
  await open('/drawer-links')
  await says('Noch keine Links')
  await expectAccessible(page, 'no drawer links')
  await button('Link anlegen').click()
  await field('Titel, deutsch').fill('Funknetz')
  await field('Titel, englisch').fill('Radio network')
  await field('Adresse').fill('javascript:alert(1)')
  await button('Speichern').click()
  await says('Eine Adresse mit https:// angeben')
  await field('Adresse').fill('https://network.example/')
  await button('Speichern').click()
  await says('Links gespeichert')
  await expectAccessible(page, 'drawer links')
  const link = page.getByRole('link', { name: 'Funknetz' })
  await link.waitFor()
  expect(await link.getAttribute('rel')).toContain('noopener')
  expect(await link.getAttribute('href')).toBe('https://network.example/')
})

it('is the default where no account has a brand', async () => {
  await openAnew('/home')
  expect(await page.title()).toContain('IoT Platform')
  await page.getByRole('link', { name: 'Leitstand', exact: true }).waitFor()
  expect(await told(page)).not.toMatch(/Stadtwerke|South/)
})

it('left nothing in the console of the browser but refusals that were meant', () => {
  expect(tab.problems.filter((problem) => !/status of 422/.test(problem))).toEqual([])
})
