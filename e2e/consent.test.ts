import { readFile } from 'node:fs/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import { adminName, adminPassword, expectAccessible, openTab, phone, signIn, startJourney } from './kit.ts'

/** Modules of an account, the terms of use, and the log entries of both. */

const journey = await startJourney({ isAlone: true })
const { browser, tab, page, platform, api, open, choice, accountId: rootId } = journey

const menu = (on = page) => on.getByRole('navigation').first()
const entry = (name: string, on = page) => menu(on).getByRole('link', { name, exact: true })
/** Timeout for what a slow machine takes long to render. */
const patience = { timeout: 30_000 }
const dialog = (on = page) => on.getByRole('dialog')

async function setTerms(terms: string | null, renewConsent: boolean): Promise<void> {
  const account = await api.get<Record<string, unknown>>(`/tenant/${rootId}`)
  const fields = ['version', 'name', 'description', 'timeZone', 'domains', 'passwordPolicy', 'feedback']
  const kept = Object.fromEntries(fields.map((field) => [field, account[field]]))
  await api.put(`/tenant/${rootId}`, { ...kept, terms, renewConsent })
}

describe('a module', () => {
  it('that is switched off leaves the menu at once, and comes back', async () => {
    await open('/account-mgmt-modules')
    await entry('Dashboards').waitFor()
    await page.getByRole('switch', { name: 'Dashboards: An', exact: true }).click()
    await page.getByText('Dashboards: deaktiviert.').waitFor()
    await entry('Dashboards').waitFor({ state: 'detached' })
    await expectAccessible(page, 'modules')
    await page.goto(`${platform.url}/#/dashboards`)
    await page.waitForURL(/#\/home/)
    await open('/account-mgmt-modules')
    await page.getByRole('switch', { name: 'Dashboards: Aus', exact: true }).click()
    await entry('Dashboards').waitFor()
  })

  it('is given to new users, and the form of a new user says so', async () => {
    await page.getByRole('combobox', { name: 'Neuen Benutzern geben: Assets' }).click()
    await page.getByRole('option', { name: 'Ja' }).click()
    await page.getByText('Gespeichert').first().waitFor()
    await open(`/account-mgmt/user/${rootId}`)
    const role = choice('Rolle')
    await expect.poll(() => role.inputValue(), patience).toBe('Assets: Betrachter')
  })
})

describe('the terms of use', () => {
  it('are read with the keyboard and accepted once', async () => {
    await setTerms(
      `# Regeln\n\n${'Ein Absatz mit **Nachdruck**.\n\n'.repeat(60)}<script>alert(1)</script>`,
      false,
    )
    await open('/home')
    await page.reload()
    await dialog().getByRole('heading', { name: 'Regeln' }).waitFor()
    await expectAccessible(page, 'terms of use')
    await page.keyboard.press('Escape')
    expect(await dialog().getByText('alert').count()).toBe(0)
    const text = dialog().getByRole('region', { name: 'Nutzungsbedingungen' })
    await expect
      .poll(() => text.evaluate((element) => element === document.activeElement), patience)
      .toBe(true)
    await page.keyboard.press('End')
    await expect.poll(() => text.evaluate(({ scrollTop }) => scrollTop), patience).toBeGreaterThan(0)
    await dialog().getByRole('button', { name: 'Zustimmen' }).click()
    await dialog().waitFor({ state: 'detached' })
    await page.reload()
    await page.getByRole('heading', { level: 1 }).first().waitFor()
    await page.waitForLoadState('networkidle')
    expect(await dialog().count()).toBe(0)
  })

  it('are asked for again when they are renewed; an exchanged text has to be read anew', async () => {
    await setTerms('Erste Fassung', true)
    await page.reload()
    await dialog().getByText('Erste Fassung').waitFor()
    await setTerms('Zweite Fassung', false)
    await dialog().getByRole('button', { name: 'Zustimmen' }).click()
    await dialog().getByText('Fehler beim Annehmen der Vereinbarung').waitFor()
    await dialog().getByText('Zweite Fassung').waitFor()
    await dialog().getByRole('button', { name: 'Zustimmen' }).click()
    await dialog().waitFor({ state: 'detached' })
  })

  it('declined sign out, and are there again after the next sign-in, on a phone too', async () => {
    await setTerms('Dritte Fassung', true)
    const theirs = await openTab(browser, phone)
    await signIn(theirs, platform)
    await dialog(theirs.page).getByText('Dritte Fassung').waitFor()
    await expectAccessible(theirs.page, 'terms of use on a phone')
    await dialog(theirs.page).getByRole('button', { name: 'Decline and sign out' }).click()
    await theirs.page.waitForURL(/#\/login/)
    const credentials = { username: adminName, password: adminPassword }
    const session = await platform.api<{ token: string }>('POST', '/auth/login', credentials)
    const reply = await platform.api<{ needsConsent: boolean }>(
      'GET',
      '/auth/verify',
      undefined,
      session.token,
    )
    expect(reply.needsConsent).toBe(true)
    expect(theirs.problems).toEqual([])
    await theirs.context.close()
  })
})

describe('the activity log', () => {
  beforeAll(() => setTerms(null, false))

  it('says what changed, in words, and keeps it for a spreadsheet', async () => {
    await page.reload()
    await open('/system-logs?subject=Module')
    await page.getByRole('button', { name: 'geändert' }).last().click()
    await dialog().getByRole('row', { name: 'Aktiviert ja nein' }).waitFor()
    await expectAccessible(page, 'an entry of the log')
    await page.keyboard.press('Escape')
    await dialog().waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Herunterladen' }).click()
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: 'CSV' }).click(),
    ])
    const lines = (await readFile(await file.path(), 'utf8')).trimEnd().split('\r\n')
    expect(lines[0]).toMatch(/^\uFEFFZeit \(UTC\);/)
    expect(lines.slice(1).every((line) => line.includes(';Module;'))).toBe(true)
    expect(lines.length).toBeGreaterThan(3)
  })

  it('is reached from a thing, with its history alone', async () => {
    const rules = [{ subject: 'IsAssetMgmt', actions: ['read'], inverted: false }]
    const role = await api.post<{ id: number }>('/acl/role', {
      accountId: null,
      name: 'Store',
      description: '',
      rules,
    })
    await open(`/account-mgmt-roles?role=${role.id}`)
    await page.getByRole('link', { name: 'Änderungen' }).click()
    await page.waitForURL(new RegExp(`system-logs\\?subject=Role&object=${role.id}`))
    await page.getByText('1–1 von 1').waitFor()
  })
})

describe('feedback', () => {
  it('is written on the help page, and with its picture read where the mails are', async () => {
    await open('/help')
    await page.getByRole('button', { name: 'Senden', exact: true }).click()
    await page.getByText('Dieses Feld ist erforderlich').waitFor()
    await expectAccessible(page, 'help with feedback')
    await page.getByLabel('Betreff').fill('Karte leer')
    await page.getByLabel('Beschreibung').fill('Sie bleibt leer, wenn ich sie zweimal öffne.')
    const picture = await page.screenshot()
    await page
      .locator('input[type=file]')
      .setInputFiles({ name: 'karte.png', mimeType: 'image/png', buffer: picture })
    await page.getByRole('button', { name: 'Senden', exact: true }).click()
    await page.getByText('Danke, Ihre Rückmeldung ist unterwegs.').waitFor()
    await open('/system-logs?tab=mails')
    await page.getByRole('button', { name: 'Leitstand, Fehler: Karte leer' }).click()
    await dialog().getByText('Sie bleibt leer, wenn ich sie zweimal öffne.').waitFor()
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      dialog().getByRole('button', { name: '„karte.png“ herunterladen' }).click(),
    ])
    expect((await readFile(await file.path())).equals(picture)).toBe(true)
  })
})

it('left only refusals that were meant in the console of the browser', () => {
  expect(tab.problems.filter((problem) => !/status of 409/.test(problem))).toEqual([])
})
