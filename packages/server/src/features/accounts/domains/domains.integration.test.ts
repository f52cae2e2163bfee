import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startDns, type TestDns } from '../../../../test/dns.ts'
import {
  type Api,
  createAccount,
  createApi,
  createUser,
  errorOf,
  FakeClock,
  roleNamed,
  startApp,
  type TestApp,
} from '../../../../test/kit.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs

let app: TestApp
let dns: TestDns
let files: Server
/** responses of the web server of all domains, by path */
const contents = new Map<string, { status: number; text: string; location?: string }>()
const clock = new FakeClock()

beforeAll(async () => {
  dns = await startDns([])
  files = createServer((request, response) => {
    const found = contents.get(request.url ?? '') ?? { status: 404, text: `nothing at ${request.url}` }
    response.writeHead(found.status, found.location === undefined ? {} : { location: found.location })
    response.end(found.text)
  })
  await new Promise<void>((resolve) => files.listen(0, '127.0.0.1', resolve))
  const { port } = files.address() as AddressInfo
  const publicUrl = `http://iot.platform.example:${port}`
  const sessions = { sessionIdleMinutes: 90 * 24 * 60, sessionMaxHours: 90 * 24 }
  const config = { publicUrl, dnsServers: [dns.address], allowedNetworks: ['127.0.0.1/32'], ...sessions }
  app = await startApp({ config, clock })
})
afterAll(async () => {
  await dns[Symbol.asyncDispose]()
  await new Promise((resolve) => files.close(resolve))
})

let serial = 0
const newDomain = () => `city${++serial}.example`

async function administered() {
  const account = await createAccount(app)
  const user = await createUser(app, account, [{ roleId: await roleNamed(app, 'Account administrator') }])
  await user.api.oidcClient.create({
    accountId: account.id,
    title: account.name,
    clientId: 'x',
    clientSecret: 'hush',
    discoveryUrl: 'https://id.example.org/.well-known/openid-configuration',
  })
  return { ...account, api: user.api, email: `${user.username}@example.org` }
}
type Administered = Awaited<ReturnType<typeof administered>>

const claim = (of: Administered, domain: string) =>
  of.api.tenant.claimDomain({ id: of.id, domain, acceptUnknown: true })
const check = (of: Administered, domain: string) => of.api.tenant.checkDomain({ id: of.id, domain })
const stateOf = async (of: Administered, domain: string) =>
  (await of.api.tenant.listDomains({ id: of.id })).items.find((one) => one.domain === domain)
/** The titles of the buttons on the sign-in page. */
const buttons = async (domain: string) =>
  (await createApi(app.url).sso.oidcButtons({ domain })).items.map(({ title }) => title)
const recheck = () => app.app.accounts.checkDomains(AbortSignal.timeout(60_000))

async function proven(of: Administered, domain: string) {
  const { record } = await claim(of, domain)
  dns.texts.set(record.name, [record.value])
  expect(await check(of, domain)).toMatchObject({ state: 'proven', method: 'dns' })
  return record
}

/** Updates an account by sending all its fields, as the console's form does. */
async function change({ id, api }: { id: number; api: Api }, part: object) {
  const { editable: _editable, ...account } = await api.tenant.get({ id })
  return api.tenant.update({ ...account, ...part })
}

describe('an administrator of a small account', () => {
  test('cannot put their button and terms before everybody by claiming the host of the installation', async () => {
    const evil = await administered()
    const host = new URL(app.ctx.config.publicUrl).hostname
    for (const name of [host, host.toUpperCase(), `${host}.`, 'localhost', 'x.localhost', '127.0.0.1'])
      await errorOf(change(evil, { domains: [name], terms: 'All is ours.', acceptUnknownDomains: true }))
    for (const name of [
      host,
      `${host.toUpperCase()}:443`,
      `${host}.`,
      'localhost',
      'x.localhost',
      '127.0.0.1',
    ]) {
      expect(await buttons(name), name).toEqual([])
      expect((await createApi(app.url).terms.ofDomain({ domain: name })).text, name).toBeNull()
    }
  })

  test('shows nothing under a domain of somebody else by claiming it first', async () => {
    const [evil, owner] = [await administered(), await administered()]
    const domain = newDomain()
    await change(evil, { domains: [domain], acceptUnknownDomains: true })
    expect(await buttons(domain)).toEqual([])
    await change(owner, { domains: [domain], acceptUnknownDomains: true })
    expect(await buttons(domain)).toEqual([])
  })

  test.each([
    ...['localhost', 'LOCALHOST.', 'a.localhost', '127.0.0.1', '10.1.2.3', '2130706433', '0x7f.1'],
    ...['iot.platform.example', 'IOT.Platform.example.', 'ｉｏｔ.platform.example'],
  ])('is refused %s', async (domain) => {
    const evil = await administered()
    expect(await errorOf(claim(evil, domain))).toMatchObject({ code: 'TENANT_DOMAIN_RESERVED', status: 409 })
  })

  test.each(['', '.', ':', '[::1]:8080', '\ud800.example', 'x'.repeat(255), '%00'])(
    'gets nothing for a host that is no domain: %j',
    async (domain) => {
      expect(await buttons(domain)).toEqual([])
      expect((await createApi(app.url).terms.ofDomain({ domain })).text).toBeNull()
    },
  )

  test('is sent back to the public address from a domain that is claimed and not proven', async () => {
    const evil = await administered()
    const domain = newDomain()
    await claim(evil, domain)
    const [client] = (await evil.api.oidcClient.list({})).items
    const url = `/api/auth/sso/${client?.key}/start?moved=1`
    const answer = await app.ctx.http.inject({ url, headers: { host: domain } })
    expect(String(answer.headers.location)).not.toContain(domain)
    expect(client?.redirectUris.join()).not.toContain(domain)
  })
})

describe('a domain counts', () => {
  test('once the DNS holds the record of its claim, and the log says so', async () => {
    const owner = await administered()
    const domain = newDomain()
    const waiting = await claim(owner, domain)
    expect(waiting).toMatchObject({ domain, state: 'waiting', method: null, provenAt: null, checked: null })
    expect(waiting.record.name).toBe(`_domain-challenge.${domain}`)
    expect(waiting.record.value).toMatch(/^domain-challenge=[0-9a-f]{64}$/)
    expect(await check(owner, domain)).toMatchObject({
      state: 'waiting',
      checked: { dns: 'missing', file: 'unanswered' },
    })
    dns.texts.set(waiting.record.name, ['v=spf1 -all'])
    expect(await check(owner, domain)).toMatchObject({ state: 'waiting', checked: { dns: 'different' } })
    dns.texts.set(waiting.record.name, ['v=spf1 -all', waiting.record.value])
    expect(await check(owner, domain)).toMatchObject({ state: 'proven', method: 'dns' })
    for (const host of [domain, domain.toUpperCase(), `${domain}.`, `${domain}:8443`])
      expect(await buttons(host), host).toEqual([owner.name])
    expect(await buttons(`sub.${domain}`)).toEqual([])
    const log = await owner.api.activityLog.list({ subject: 'Tenant', objectId: owner.id })
    expect(log.items.slice(0, 2)).toMatchObject([
      { action: 'proveDomain', changes: { domain, method: 'dns' } },
      { action: 'claimDomain', changes: { domain } },
    ])
  })

  test('once its web server holds the file with exactly the content of its claim', async () => {
    const owner = await administered()
    const domain = newDomain()
    dns.addresses.set(domain, '127.0.0.1')
    const { file } = await claim(owner, domain)
    const { pathname, hostname } = new URL(file.url)
    expect(hostname).toBe(domain)
    const answers = async (status: number, text: string, location?: string) => {
      contents.set(pathname, { status, text, ...(location ? { location } : {}) })
      return (await check(owner, domain)).checked?.file
    }
    expect((await check(owner, domain)).checked?.file).toBe('missing')
    expect(await answers(200, `you asked for ${file.url}`)).toBe('different')
    expect(await answers(200, `${file.content} and more`)).toBe('different')
    expect(await answers(200, `${file.content}\n${'x'.repeat(1_000_000)}`)).toBe('different')
    contents.set('/moved', { status: 200, text: file.content })
    expect(await answers(302, '', '/moved')).toBe('missing')
    expect(await answers(404, file.content)).toBe('missing')
    expect(await answers(500, file.content)).toBe('unanswered')
    expect(await buttons(domain)).toEqual([])
    contents.set(pathname, { status: 200, text: `${file.content}\n` })
    expect(await check(owner, domain)).toMatchObject({ state: 'proven', method: 'file' })
    expect(await buttons(domain)).toEqual([owner.name])
  })

  test('also with a record or a file under the name that was shown before', async () => {
    const former = (text: string) => text.replaceAll('domain-challenge', 'leitstand-challenge')
    const owner = await administered()
    const [recorded, filed] = [newDomain(), newDomain()]
    const { record } = await claim(owner, recorded)
    // The token counts, not the name.
    dns.texts.set(former(record.name), [record.value])
    expect(await check(owner, recorded)).toMatchObject({ state: 'waiting', checked: { dns: 'different' } })
    dns.texts.set(former(record.name), [former(record.value)])
    expect(await check(owner, recorded)).toMatchObject({ state: 'proven', method: 'dns' })
    dns.addresses.set(filed, '127.0.0.1')
    const { file } = await claim(owner, filed)
    contents.set(former(new URL(file.url).pathname), { status: 200, text: former(file.content) })
    expect(await check(owner, filed)).toMatchObject({ state: 'proven', method: 'file' })
  })

  test('not through a web server in a network nobody has allowed', async () => {
    const owner = await administered()
    const domain = newDomain()
    dns.addresses.set(domain, '169.254.169.254')
    await claim(owner, domain)
    expect((await check(owner, domain)).checked).toMatchObject({ file: 'unanswered' })
  })

  test('under an international name as well', async () => {
    const owner = await administered()
    const { domain, record } = await claim(owner, 'BÜCHER.example')
    expect(domain).toBe('xn--bcher-kva.example')
    dns.texts.set(record.name, [record.value])
    expect(await check(owner, 'bücher.example')).toMatchObject({ state: 'proven' })
    expect(await buttons('xn--bcher-kva.example')).toEqual([owner.name])
    expect(await buttons('bücher.example')).toEqual([owner.name])
  })

  test('not with the record of another account, or of an earlier claim', async () => {
    const [evil, owner] = [await administered(), await administered()]
    const domain = newDomain()
    const record = await proven(owner, domain)
    const theirs = await claim(evil, domain)
    expect(theirs.record.value).not.toBe(record.value)
    expect(await check(evil, domain)).toMatchObject({ state: 'waiting', checked: { dns: 'different' } })
    await owner.api.tenant.releaseDomain({ id: owner.id, domain })
    expect(await buttons(domain)).toEqual([])
    await claim(owner, domain)
    expect(await check(owner, domain)).toMatchObject({ state: 'waiting' })
  })

  test('until it is given up', async () => {
    const owner = await administered()
    const domain = newDomain()
    await proven(owner, domain)
    await change(owner, { description: 'no word about domains', domains: undefined })
    expect(await buttons(domain)).toEqual([owner.name])
    await change(owner, { domains: [] })
    expect(await buttons(domain)).toEqual([])
    expect(await errorOf(check(owner, domain))).toMatchObject({ code: 'TENANT_DOMAIN_NOT_FOUND' })
  })
})

describe('a domain that several accounts claim', () => {
  test('says nothing of the others to any of them', async () => {
    const [one, two] = [await administered(), await administered()]
    const domain = newDomain()
    await claim(one, domain)
    expect(JSON.stringify(await claim(two, domain))).not.toContain(one.name)
    expect((await two.api.tenant.listDomains({ id: two.id })).items).toHaveLength(1)
    expect(await errorOf(claim(two, domain))).toMatchObject({ code: 'TENANT_DOMAIN_DUPLICATE' })
  })

  test('stays with the one who still proves it', async () => {
    const [owner, other] = [await administered(), await administered()]
    const domain = newDomain()
    const record = await proven(owner, domain)
    const theirs = await claim(other, domain)
    dns.texts.set(record.name, [record.value, theirs.record.value])
    expect(await errorOf(check(other, domain))).toMatchObject({ code: 'TENANT_DOMAIN_EXISTS', status: 409 })
    expect(await stateOf(other, domain)).toMatchObject({ state: 'waiting', checked: { dns: 'found' } })
    expect(await buttons(domain)).toEqual([owner.name])
  })

  test('goes over to the one who proves it when the proof of the other is gone', async () => {
    const [owner, other] = [await administered(), await administered()]
    const domain = newDomain()
    await proven(owner, domain)
    const theirs = await claim(other, domain)
    dns.texts.set(theirs.record.name, [theirs.record.value])
    expect(await check(other, domain)).toMatchObject({ state: 'proven' })
    expect(await stateOf(owner, domain)).toMatchObject({ state: 'lapsed', provenAt: null })
    expect(await buttons(domain)).toEqual([other.name])
    const log = await owner.api.activityLog.list({ subject: 'Tenant', objectId: owner.id })
    expect(log.items[0]).toMatchObject({ action: 'lapseDomain', changes: { domain } })
    expect(JSON.stringify(log.items[0])).not.toContain(other.name)
  })

  test('goes to one of them though both prove it at the same time', async () => {
    const both = [await administered(), await administered()] as const
    const domain = newDomain()
    const records = await Promise.all(both.map(async (each) => (await claim(each, domain)).record))
    dns.texts.set(
      `_domain-challenge.${domain}`,
      records.map(({ value }) => value),
    )
    const results = await Promise.allSettled(both.map((each) => check(each, domain)))
    const states = await Promise.all(both.map(async (each) => (await stateOf(each, domain))?.state))
    expect(states.toSorted()).toEqual(['proven', 'waiting'])
    expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  })
})

describe('once a day', () => {
  test('proofs are looked for; without one a domain counts for some days, after a word to its administrators', async () => {
    const owner = await administered()
    const domain = newDomain()
    const record = await proven(owner, domain)
    dns.texts.delete(record.name)
    clock.advance(dayMs)
    await recheck()
    const failing = await stateOf(owner, domain)
    expect(failing).toMatchObject({ state: 'failing', lapsesAt: expect.any(String) })
    expect(Date.parse(failing?.lapsesAt ?? '')).toBe(clock.now().getTime() + 14 * dayMs)
    expect(await buttons(domain)).toEqual([owner.name])
    const mailed = () =>
      app.ctx.db
        .selectFrom('mails')
        .select(['recipients', 'subject'])
        .where('account_id', '=', owner.id)
        .orderBy('id')
        .execute()
    expect(await mailed()).toMatchObject([
      { recipients: [owner.email], subject: expect.stringContaining(domain) },
    ])
    clock.advance(13 * dayMs)
    await recheck()
    expect(await buttons(domain)).toEqual([owner.name])
    expect(await mailed()).toHaveLength(1)
    clock.advance(dayMs)
    await recheck()
    expect(await stateOf(owner, domain)).toMatchObject({ state: 'lapsed', lapsesAt: null })
    expect(await buttons(domain)).toEqual([])
    expect(await mailed()).toHaveLength(2)
    dns.texts.set(record.name, [record.value])
    expect(await check(owner, domain)).toMatchObject({ state: 'proven' })
  })

  test('a proof that is back, or a DNS that fails for a day, changes nothing for good', async () => {
    const owner = await administered()
    const domain = newDomain()
    await proven(owner, domain)
    dns.failing = true
    clock.advance(dayMs)
    await recheck()
    expect(await stateOf(owner, domain)).toMatchObject({ state: 'failing', checked: { dns: 'unanswered' } })
    dns.failing = false
    clock.advance(dayMs)
    await recheck()
    expect(await stateOf(owner, domain)).toMatchObject({ state: 'proven', lapsesAt: null })
  })
})

test('an account asks no more often than the DNS of others should be asked', async () => {
  const owner = await administered()
  const domain = newDomain()
  await claim(owner, domain)
  const answers = await Promise.allSettled(Array.from({ length: 40 }, () => check(owner, domain)))
  const refusals = answers.filter((each) => each.status === 'rejected')
  expect(refusals.length).toBeGreaterThanOrEqual(20)
  expect(refusals[0]?.reason).toMatchObject({ code: 'TOO_MANY_REQUESTS' })
  clock.advance(7_000)
  expect(await check(owner, domain)).toMatchObject({ state: 'waiting' })
})

test('an account claims fifty domains at most', async () => {
  const owner = await administered()
  const domains = Array.from({ length: 50 }, () => newDomain())
  await change(owner, { domains, acceptUnknownDomains: true })
  expect(await errorOf(claim(owner, newDomain()))).toMatchObject({ code: 'TENANT_DOMAIN_TOO_MANY' })
})

test('a start takes the host of the installation, and names of the machine, from accounts', async () => {
  await using before = await startApp({ config: { dnsServers: [dns.address] } })
  const account = await createAccount(before)
  const names = ['iot.city.example', 'old.localhost', 'free.city.example']
  await before.ctx.db
    .insertInto('account_domains')
    .values(names.map((domain) => ({ domain, account_id: account.id, token: domain, proven_at: new Date() })))
    .execute()
  const { address } = before
  await before[Symbol.asyncDispose]()
  const publicUrl = 'https://iot.city.example'
  await using after = await startApp({ address, config: { publicUrl, dnsServers: [dns.address] } })
  expect((await after.api.tenant.get({ id: account.id })).domains).toEqual(['free.city.example'])
  const log = await after.api.activityLog.list({ subject: 'Tenant', objectId: account.id })
  expect(log.items.filter(({ action }) => action === 'releaseDomain')).toHaveLength(2)
})
