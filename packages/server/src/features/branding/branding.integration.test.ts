import { BrandSettings, brandLimits, defaultPageTitle } from '@leitstand/contract/branding'
import { beforeAll, describe, expect, test } from 'vitest'
import { insertProvenDomain } from '../../../test/domains.ts'
import {
  type Api,
  createAccount,
  createApi,
  createUser,
  errorOf,
  roleNamed,
  startApp,
  type TestApp,
} from '../../../test/kit.ts'
import { png } from '../../../test/pictures.ts'
import { startSmtp, type TestSmtp } from '../../../test/smtp.ts'

let app: TestApp
let visitor: Api
beforeAll(async () => {
  app = await startApp()
  visitor = createApi(app.url)
})

let serial = 0
/** An account with its administrator and a domain that it has proven. */
async function branded(parent?: { id: number; scopeId: number; name: string }) {
  const account = await createAccount(app, parent ? { parent } : {})
  const domain = `iot${++serial}.example`
  await insertProvenDomain(app, account.id, domain)
  const { api } = await createUser(app, account, [{ roleId: await roleNamed(app, 'Account administrator') }])
  return { account, domain, api, id: account.id }
}

const settingsOf = async (id: number, domain: string): Promise<BrandSettings> => {
  const { items } = await app.api.brand.list({ id })
  const found = items.find((brand) => brand.domain === domain)
  if (!found) throw new Error(`no brand for ${domain}`)
  return found.settings
}

/** Sets some of the settings, as a form does. */
async function save(
  { api, id, domain }: { api: Api; id: number; domain: string },
  changes: Partial<BrandSettings>,
) {
  const { items } = await api.brand.list({ id })
  const found = items.find((brand) => brand.domain === domain)
  if (!found) throw new Error(`no brand for ${domain}`)
  return api.brand.save({
    id,
    domain,
    version: found.version,
    settings: { ...found.settings, ...changes },
  })
}

const titled = (settings: BrandSettings, title: string): BrandSettings['pages'] => ({
  de: { ...settings.pages.de, title: `${title} DE` },
  en: { ...settings.pages.en, title },
})

const file = (bytes: Uint8Array<ArrayBuffer>, name = 'logo.png', type = 'image/png') =>
  new File([bytes], name, { type })

async function eventually<T>(read: () => Promise<T>, wanted: (found: T) => void): Promise<void> {
  await app.ctx.configChanges.settle()
  wanted(await read())
}

describe('the brand of a domain', () => {
  test('is shown to everybody under that domain alone, whatever the letters of its name', async () => {
    const one = await branded()
    const other = await branded()
    await save(one, {
      pages: titled(await settingsOf(one.id, one.domain), 'Stadtwerke'),
      lightHighlight: '#8a1538',
    })
    await eventually(
      () => visitor.brand.ofHost({ host: one.domain.toUpperCase() }),
      (brand) =>
        expect(brand).toMatchObject({
          isBranded: true,
          pages: { de: { title: 'Stadtwerke DE' }, en: { title: 'Stadtwerke' } },
          highlight: '#8a1538',
        }),
    )
    const dark = await visitor.brand.ofHost({
      host: one.domain,
      tenantId: String(other.id),
      themeMode: 'dark',
    })
    expect(dark.highlight).toBe(null)
    expect(JSON.stringify(dark)).not.toContain(one.account.name)
    expect(await visitor.brand.ofHost({ host: other.domain })).toMatchObject({
      isBranded: false,
      pages: { de: { title: defaultPageTitle } },
    })
  })

  test.each([
    'unknown.example',
    '127.0.0.1',
    '[::1]',
    "x' or 1=1--",
    '../../etc',
    'a'.repeat(255),
    '%00',
    'xn--invalid--',
    'iot1.example@evil.example',
  ])('is the default for %s', async (host) => {
    expect(await visitor.brand.ofHost({ host })).toMatchObject({ isBranded: false })
  })

  test('belongs to who has proven the domain: a claim is not enough, and a lapsed one no longer', async () => {
    const { api, id, domain } = await branded()
    await app.ctx.db
      .insertInto('account_domains')
      .values({ account_id: id, domain: 'claimed.example', token: 'token', claimed_at: app.ctx.clock.now() })
      .execute()
    const settings = await settingsOf(id, domain)
    const call = { id, version: 0, settings }
    for (const wanted of ['claimed.example', 'iot1.example.evil.example', ''])
      expect(await errorOf(api.brand.save({ ...call, domain: wanted }))).toMatchObject({
        code: 'TENANT_DOMAIN_NOT_FOUND',
      })
    await save({ api, id, domain }, { pages: titled(settings, 'Gone') })
    await eventually(
      () => visitor.brand.ofHost({ host: domain }),
      (brand) => expect(brand.isBranded).toBe(true),
    )
    await app.ctx.db
      .updateTable('account_domains')
      .set({ proven_at: null })
      .where('domain', '=', domain)
      .execute()
    await eventually(
      () => visitor.brand.ofHost({ host: domain }),
      (brand) => expect(brand.isBranded).toBe(false),
    )
    expect((await api.brand.list({ id })).items).toEqual([])
  })

  test('of another account is nobody else’s, above, beside or below', async () => {
    const parent = await branded()
    const child = await branded(parent.account)
    const sibling = await branded()
    const settings = await settingsOf(child.id, child.domain)
    for (const { api } of [sibling])
      expect(
        await errorOf(api.brand.save({ id: child.id, domain: child.domain, version: 0, settings })),
      ).toMatchObject({ code: 'TENANT_NOT_FOUND' })
    // A domain is of one account: with rights in both, one still cannot be set through the other.
    expect(
      await errorOf(parent.api.brand.save({ id: parent.id, domain: child.domain, version: 0, settings })),
    ).toMatchObject({ code: 'TENANT_DOMAIN_NOT_FOUND' })
    expect(
      await errorOf(child.api.brand.save({ id: parent.id, domain: parent.domain, version: 0, settings })),
    ).toMatchObject({ code: 'TENANT_NOT_FOUND' })
  })

  test('is changed by one at a time, and the log says what changed', async () => {
    const one = await branded()
    const settings = await settingsOf(one.id, one.domain)
    await save(one, { showVersion: false })
    expect(
      await errorOf(one.api.brand.save({ id: one.id, domain: one.domain, version: 0, settings })),
    ).toMatchObject({ code: 'VERSION_CONFLICT' })
    const saved = await save(one, { darkHighlight: '#ff8800' })
    expect(saved).toMatchObject({ version: 2, settings: { showVersion: false, darkHighlight: '#ff8800' } })
    await one.api.brand.delete({ id: one.id, domain: one.domain })
    expect(await errorOf(one.api.brand.delete({ id: one.id, domain: one.domain }))).toMatchObject({
      code: 'BRAND_NOT_FOUND',
    })
    const { items } = await one.api.activityLog.list({ subject: 'Brand' })
    expect(items.map(({ action, changes }) => [action, changes])).toEqual([
      ['delete', {}],
      ['update', { darkHighlight: [null, '#ff8800'] }],
      ['create', { showVersion: [true, false] }],
    ])
  })

  test.each([
    ['a colour nobody can read', { lightHighlight: '#ffffee' }],
    ['a colour that is none', { darkHighlight: 'url(https://evil.example)' }],
    ['a script as a link', { sidebarIconLink: 'javascript:alert(1)' }],
    ['a link without TLS', { grafanaUrl: 'http://grafana.example' }],
    ['a link with a password', { grafanaUrl: 'https://a:b@grafana.example' }],
    ['a font from elsewhere', { font: 'https://evil.example/font.woff2' as 'inter' }],
  ])('refuses %s', async (_, changes) => {
    const one = await branded()
    expect(await errorOf(save(one, changes))).toMatchObject({ code: 'PARAMETER_VALIDATION_ERROR' })
  })

  test('refuses a title that hides or turns letters, and texts without end', async () => {
    const one = await branded()
    const { pages } = await settingsOf(one.id, one.domain)
    for (const page of [
      { title: 'a\u202eb' },
      { title: 'a\nb' },
      { imprintText: 'x'.repeat(brandLimits.pageLengthMax + 1) },
    ])
      expect(await errorOf(save(one, { pages: { ...pages, de: { ...pages.de, ...page } } }))).toMatchObject({
        code: 'PARAMETER_VALIDATION_ERROR',
      })
  })

  test('under all other addresses is that of the topmost account', async () => {
    const top = { api: app.api, id: app.rootAccountId, domain: '' }
    await save(top, { pages: titled(await settingsOf(top.id, ''), 'Leitwarte') })
    for (const host of ['localhost', '127.0.0.1:8080', 'nobody.example'])
      await eventually(
        () => visitor.brand.ofHost({ host }),
        (brand) => expect(brand.pages.en.title).toBe('Leitwarte'),
      )
    const { domain } = await branded()
    expect((await visitor.brand.ofHost({ host: domain })).isBranded).toBe(false)
    await app.api.brand.delete({ id: top.id, domain: '' })
    await eventually(
      () => visitor.brand.ofHost({ host: 'localhost' }),
      (brand) => expect(brand.isBranded).toBe(false),
    )
  })
})

describe('imprint and data protection', () => {
  test('are read without signing in, in the language that is asked for', async () => {
    const one = await branded()
    const { pages } = await settingsOf(one.id, one.domain)
    await save(one, {
      pages: {
        de: {
          ...pages.de,
          imprintText: '# Impressum\n\nStadtwerke',
          privacyUrl: 'https://a.example/datenschutz',
        },
        en: { ...pages.en, privacyText: 'We store little.' },
      },
    })
    await app.ctx.configChanges.settle()
    expect(await visitor.brand.page({ host: one.domain, language: 'de' })).toEqual({
      imprint: '# Impressum\n\nStadtwerke',
      privacy: null,
    })
    expect(await visitor.brand.page({ host: one.domain, language: 'en' })).toEqual({
      imprint: null,
      privacy: 'We store little.',
    })
    expect((await visitor.brand.ofHost({ host: one.domain })).pages.de).toMatchObject({
      imprint: { url: null, hasText: true },
      privacy: { url: 'https://a.example/datenschutz', hasText: false },
    })
    expect(await visitor.brand.page({ host: 'nobody.example' })).toEqual({ imprint: null, privacy: null })
  })
})

describe('the images of a brand', () => {
  test('are served under an address that changes with them, and can do nothing', async () => {
    const one = await branded()
    const { images } = await one.api.brand.setImage({
      id: one.id,
      domain: one.domain,
      role: 'logo',
      file: file(new Uint8Array(png(32, 32))),
    })
    await app.ctx.configChanges.settle()
    expect((await visitor.brand.ofHost({ host: one.domain })).images.logo).toBe(images.logo)
    const reply = await fetch(`${app.url}${images.logo}`)
    expect(Buffer.from(await reply.arrayBuffer()).equals(png(32, 32))).toBe(true)
    expect(Object.fromEntries(reply.headers)).toMatchObject({
      'content-type': 'image/png',
      'cache-control': 'public, max-age=31536000, immutable',
      'content-security-policy': "default-src 'none'; sandbox",
      'x-content-type-options': 'nosniff',
    })
    await one.api.brand.removeImage({ id: one.id, domain: one.domain, role: 'logo' })
    expect((await fetch(`${app.url}${images.logo}`)).status).toBe(404)
    for (const name of ['..%2f..%2fetc', 'x.png', `${'0'.repeat(64)}.svg`, `${'0'.repeat(64)}.png`])
      expect((await fetch(`${app.url}/api/theming/image/${name}`)).status).toBe(404)
  })

  test('are PNG pictures by their content, and no larger than allowed', async () => {
    const one = await branded()
    const set = (bytes: Uint8Array<ArrayBuffer>, name?: string, type?: string) =>
      one.api.brand.setImage({ id: one.id, domain: one.domain, role: 'logo', file: file(bytes, name, type) })
    const svg = new TextEncoder().encode('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>')
    expect(await errorOf(set(svg, 'a.svg', 'image/svg+xml'))).toMatchObject({
      code: 'BRAND_IMAGE_REFUSED',
      data: { reason: 'noPng' },
    })
    expect(await errorOf(set(new Uint8Array(png(32, 16))))).toMatchObject({
      data: { reason: 'notSquare', role: 'logo' },
    })
    expect(await errorOf(set(new Uint8Array(brandLimits.imageBytesMax + 1)))).toMatchObject({
      code: 'BODY_TOO_LARGE',
    })
    expect(
      await errorOf(one.api.brand.removeImage({ id: one.id, domain: one.domain, role: 'logo' })),
    ).toMatchObject({
      code: 'BRAND_NOT_FOUND',
    })
  })
})

describe('links in the drawer', () => {
  const link = {
    title: { de: 'Netz', en: 'Network' },
    icon: 'network' as const,
    url: 'https://network.example/start',
  }

  test('are set by system administrators, one at a time, and read by everybody signed in', async () => {
    const { api, id, domain } = await branded()
    const before = await app.api.drawerLink.list({})
    const set = await app.api.drawerLink.set({ links: [link], version: before.version })
    expect(set).toEqual({ links: [link], version: before.version + 1 })
    expect(await errorOf(app.api.drawerLink.set({ links: [], version: before.version }))).toMatchObject({
      code: 'VERSION_CONFLICT',
    })
    await save({ api, id, domain }, { grafanaUrl: 'https://grafana.example/d' })
    await app.ctx.configChanges.settle()
    expect(await api.drawerLink.list({ domain })).toMatchObject({
      links: [link],
      grafanaUrl: 'https://grafana.example/d',
    })
    expect(await api.drawerLink.list({})).toMatchObject({ grafanaUrl: null })
    expect((await visitor.brand.ofHost({ host: domain })).hasDrawerLinks).toBe(true)
    await app.api.drawerLink.set({ links: [], version: set.version })
  })

  test.each(['javascript:alert(1)', 'http://network.example', 'https://', '//network.example', ''])(
    'do not lead to %s',
    async (url) => {
      const { version } = await app.api.drawerLink.list({})
      expect(await errorOf(app.api.drawerLink.set({ links: [{ ...link, url }], version }))).toMatchObject({
        code: 'PARAMETER_VALIDATION_ERROR',
      })
    },
  )
})

describe('mails to the users of a brand', () => {
  let smtp: TestSmtp
  let mailing: TestApp
  beforeAll(async () => {
    smtp = await startSmtp()
    mailing = await startApp({ config: { smtpUrl: smtp.url } })
  })

  /** An account with a brand, and somebody below it with a role in a scope. */
  const household = async (role: string, scopeId?: number) => {
    const account = await createAccount(mailing)
    const below = await createAccount(mailing, { parent: account })
    const domain = `mail${++serial}.example`
    await insertProvenDomain(mailing, account.id, domain)
    const settings = BrandSettings.parse({ pages: { de: { title: 'Stadtwerke' } } })
    await mailing.api.brand.save({ id: account.id, domain, version: 0, settings })
    const roleId = await roleNamed(mailing, role)
    const user = await createUser(mailing, below, [scopeId === undefined ? { roleId } : { roleId, scopeId }])
    return { ...user, domain }
  }
  const resetMail = async (username: string) => {
    await createApi(mailing.url).password.forgot({ email: `${username}@example.org` })
    await mailing.drain()
    return smtp.received.at(-1)
  }

  test('have its name, its host and no other', async () => {
    const { domain, username } = await household('Viewer')
    const mail = await resetMail(username)
    expect(mail).toMatchObject({ subject: 'Stadtwerke: neues Passwort setzen', from: { name: 'Stadtwerke' } })
    expect(mail?.text).toContain(`http://${domain}:8080/#/change-password?token=`)
    expect(mail?.messageId).toContain(`@${domain}`)
    const { address } = mail?.from ?? {}
    expect(JSON.stringify({ ...mail, from: undefined }).replaceAll(String(address), '')).not.toMatch(
      /leitstand/i,
    )
  })

  test('who has more rights than the owner of the domain get no secret through it', async () => {
    const { domain, username } = await household('System administrator', mailing.rootScopeId)
    const mail = await resetMail(username)
    expect(mail?.subject).toBe('Stadtwerke: neues Passwort setzen')
    expect(mail?.text).toContain(`${mailing.ctx.config.publicUrl}/#/change-password?token=`)
    expect(mail?.text).not.toContain(domain)
  })

  test('elsewhere are those of the installation', async () => {
    const account = await createAccount(mailing)
    const { username } = await createUser(mailing, account, [{ roleId: await roleNamed(mailing, 'Viewer') }])
    expect(await resetMail(username)).toMatchObject({
      subject: 'Leitstand: neues Passwort setzen',
      from: { name: 'Leitstand' },
    })
  })
})

test('what is not set up yet is told to administrators', async () => {
  const one = await branded()
  const { missing } = await one.api.brand.setup({ id: one.id })
  expect(missing).toEqual(['imprint', 'privacy', 'mailServer', 'terms', 'feedback'])
  const { pages } = await settingsOf(one.id, one.domain)
  const page = { imprintText: 'Stadtwerke', privacyUrl: 'https://a.example/privacy' }
  await save(one, { pages: { de: { ...pages.de, ...page }, en: { ...pages.en, ...page } } })
  expect((await one.api.brand.setup({ id: one.id })).missing).toEqual(['mailServer', 'terms', 'feedback'])
})
