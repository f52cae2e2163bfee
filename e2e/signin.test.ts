import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { adminName, expectAccessible, openTab, signIn, startJourney, startMailServer } from './kit.ts'

/**
 * From the invitation to the first sign-in with a second factor, a forgotten password, sessions, and
 * impersonation.
 */

const mails = await startMailServer()
const { browser, tab, page, platform, api, make } = await startJourney({
  env: { SMTP_URL: mails.url },
  uses: [mails],
  isGuest: true,
})
const account = await make.account('Stadtwerke')
let user: { id: number }
let secret: string
let recoveryCode: string

const email = 'ada@example.org'
const passwords = ['Kaffee um halb neun', 'Tee um Viertel nach vier']

/** Code of an authenticator app by RFC 6238, `steps` of 30 seconds from now. */
function codeOf(base32: string, steps = 0): string {
  const bits = [...base32]
    .map((character) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(character).toString(2).padStart(5, '0'))
    .join('')
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000) + steps))
  const hash = createHmac('sha1', key).update(counter).digest()
  const at = (hash.at(-1) ?? 0) & 15
  return String((hash.readUInt32BE(at) & 0x7fffffff) % 1_000_000).padStart(6, '0')
}

async function linkOf(mail: { text?: string | undefined }): Promise<string> {
  const path = /#\/change-password\?token=[\w-]+/.exec(mail.text ?? '')?.[0]
  if (!path) throw new Error('the mail holds no link')
  return `${platform.url}/${path}`
}

const passwordField = () => page.getByRole('textbox', { name: 'Passwort', exact: true })

async function setPassword(link: string, password: string): Promise<void> {
  await page.goto(link)
  await page.getByRole('textbox', { name: 'Neues Passwort', exact: true }).fill(password)
  await page.getByRole('textbox', { name: 'Neues Passwort wiederholen' }).fill(password)
  await page.getByRole('button', { name: 'Passwort setzen' }).click()
  await page.getByRole('heading', { name: 'Passwort gesetzt' }).waitFor()
  await page.getByRole('link', { name: 'Zur Anmeldung' }).click()
  await page.getByLabel('Benutzername oder E-Mail').waitFor()
}

async function enterNameAndPassword(name: string, password: string): Promise<void> {
  await page.getByLabel('Benutzername oder E-Mail').fill(name)
  await passwordField().fill(password)
  await page.getByRole('button', { name: 'Anmelden' }).click()
}

describe('from the invitation to the first sign-in', () => {
  it('the account demands a second factor, and an administrator invites somebody', async () => {
    await api.put(`/tenant/${account.id}/2fa`, { version: 1, required: true })
    const roles = await api.get<{ items: { id: number; name: string }[] }>('/acl/role')
    const roleId = roles.items.find(({ name }) => name === 'Viewer')?.id
    const access = [{ scopeId: account.scopeId, roleId, isMain: true }]
    const person = { username: email, email, firstName: 'Ada', lastName: 'Winter' }
    user = await api.post('/user', { ...person, accountId: account.id, access })
  })

  it('the link of the mail sets a password, with the rules that turn green', async () => {
    await page.goto(await linkOf(await mails.next()))
    await page.getByText('mindestens 8 Zeichen').waitFor()
    await expectAccessible(page, 'set a password')
    await page.getByRole('textbox', { name: 'Neues Passwort', exact: true }).fill('kurz')
    const repeated = page.getByRole('textbox', { name: 'Neues Passwort wiederholen' })
    await repeated.fill('anders')
    await repeated.blur()
    await page.getByText('Die beiden Passwörter stimmen nicht überein.').waitFor()
    await setPassword(page.url(), passwords[0] ?? '')
  })

  it('signing in leads to setting up the second factor, and only then further', async () => {
    await mails.next()
    await enterNameAndPassword(email, passwords[0] ?? '')
    await page.getByRole('heading', { name: 'Zweiten Faktor einrichten' }).waitFor()
    const key = page.getByText(/^[A-Z2-7]{32}$/)
    await key.waitFor()
    secret = (await key.textContent()) ?? ''
    await expectAccessible(page, 'second factor')
    await page.goto(`${platform.url}/#/virtual-devices`)
    await page.waitForURL(/#\/login\?redirect=/)
    // After a reload the password is asked for again, and there is a new secret.
    await page.reload()
    await passwordField().fill(passwords[0] ?? '')
    await page.getByRole('button', { name: 'Weiter' }).click()
    await key.waitFor()
    secret = (await key.textContent()) ?? ''
    await page.getByLabel('Authentifizierungscode').fill(codeOf(secret))
    await page.getByRole('button', { name: 'Aktivieren' }).click()
    const codes = page.getByRole('list', { name: 'Wiederherstellungscodes' }).getByRole('listitem')
    await codes.first().waitFor()
    expect(await codes.count()).toBe(10)
    recoveryCode = (await codes.first().textContent()) ?? ''
    await expectAccessible(page, 'recovery codes')
    await page.getByRole('button', { name: 'Ich habe sie gespeichert' }).click()
    await page.waitForURL(/#\/virtual-devices/)
    expect((await mails.next()).subject).toBe('Leitstand: zweiter Faktor aktiviert')
  })

  it('from then on signing in asks for a code; a wrong one is refused, a recovery code works', async () => {
    await page.evaluate(() => localStorage.clear())
    await tab.context.clearCookies()
    await page.goto(`${platform.url}/#/login`)
    await page.reload()
    await enterNameAndPassword(email, passwords[0] ?? '')
    const code = page.getByLabel('Authentifizierungscode')
    await code.fill('000000')
    await page.getByRole('button', { name: 'Anmelden' }).click()
    await page.getByRole('alert').filter({ hasText: 'Der Authentifizierungscode ist ungültig' }).waitFor()
    // Still at the code's step, ready for the next try.
    expect(
      await code.evaluate((input: HTMLInputElement) => [input === document.activeElement, input.value]),
    ).toEqual([true, ''])
    expect(await page.getByText('Geben Sie den Code ein.').count()).toBe(0)
    await expectAccessible(page, 'code')
    await code.fill(recoveryCode)
    await page.getByRole('button', { name: 'Anmelden' }).click()
    await page.waitForURL(/#\/home/)
    expect((await mails.next()).subject).toBe('Leitstand: Wiederherstellungscode verwendet')
  })
})

describe('the profile', () => {
  it('shows the second factor and ends other sessions', async () => {
    await platform.api('POST', '/auth/login', {
      username: email,
      password: passwords[0],
      code: codeOf(secret, 1),
    })
    await page.goto(`${platform.url}/#/user-profile`)
    await page.getByText('Noch 9 Wiederherstellungscodes übrig.').waitFor()
    await page.getByText('Diese Sitzung').waitFor()
    await expectAccessible(page, 'profile')
    const end = page.getByRole('button', { name: 'Sitzung beenden: Node.js' })
    await end.click()
    await end.waitFor({ state: 'detached' })
  })
})

describe('a forgotten password', () => {
  it('is replaced with the link of a mail; the link works once', async () => {
    await page.evaluate(() => localStorage.clear())
    await tab.context.clearCookies()
    await page.goto(`${platform.url}/#/login`)
    await page.reload()
    await page.getByRole('link', { name: 'Passwort vergessen?' }).click()
    await page.getByRole('heading', { name: 'Passwort zurücksetzen' }).waitFor()
    await expectAccessible(page, 'forgotten password')
    await page.getByLabel('E-Mail').fill(email)
    await page.getByRole('button', { name: 'Link senden' }).click()
    await page.getByText('Wenn es einen Benutzer mit').waitFor()
    const link = await linkOf(await mails.next())
    await setPassword(link, passwords[1] ?? '')
    await page.goto(link)
    await page.getByText('Dieser Link gilt nicht mehr oder wurde schon benutzt.').waitFor()
  })
})

describe('acting as somebody else', () => {
  it('says whose eyes these are, and leads back', async () => {
    await signIn(tab, platform)
    await page.goto(`${platform.url}/#/account-mgmt/user/${account.id}/${user.id}`)
    await page.getByRole('button', { name: 'Als dieser Benutzer handeln' }).click()
    await page.waitForURL(/#\/home/)
    const banner = page.getByRole('region', { name: 'Handeln als anderer Benutzer' })
    await banner.waitFor()
    expect(await banner.textContent()).toContain(
      `Sie sehen alles wie Ada Winter. Angemeldet sind Sie als ${adminName}.`,
    )
    await expectAccessible(page, 'acting as somebody else')
    // The page is loaded again; going elsewhere before that has ended would compete with it.
    const loaded = page.waitForEvent('load')
    await page.getByRole('button', { name: 'Zurück zu meinem Benutzer' }).click()
    await loaded
    await banner.waitFor({ state: 'detached' })
    await page.goto(`${platform.url}/#/system-logs`)
    await page.getByText(`${adminName} als ${email}`).first().waitFor()
    expect(tab.problems.filter((text) => !/status of 40[01]/.test(text))).toEqual([])
  })
})

describe('a lost telephone', () => {
  it('is helped by an administrator, who takes the second factor away', async () => {
    await page.goto(`${platform.url}/#/account-mgmt/user/${account.id}/${user.id}`)
    await page.getByRole('button', { name: 'Zweiten Faktor zurücksetzen' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Vergewissern Sie sich vorher').waitFor()
    await expectAccessible(page, 'taking a second factor away')
    await dialog.getByRole('button', { name: 'Zweiten Faktor zurücksetzen' }).click()
    await page.getByText('Zweiter Faktor entfernt').first().waitFor()
    await dialog.waitFor({ state: 'detached' })

    // The password is enough to sign in, but the account then requires a new second factor.
    const theirs = await openTab(browser)
    await theirs.page.goto(`${platform.url}/#/login`)
    await theirs.page.getByLabel('Benutzername oder E-Mail').fill(email)
    await theirs.page.getByRole('textbox', { name: 'Passwort', exact: true }).fill(passwords[1] ?? '')
    await theirs.page.getByRole('button', { name: 'Anmelden' }).click()
    await theirs.page.getByRole('heading', { name: 'Zweiten Faktor einrichten' }).waitFor()
    await theirs.context.close()
  })
})
