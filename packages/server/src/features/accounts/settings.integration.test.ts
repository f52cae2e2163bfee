import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startDns, type TestDns } from '../../../test/dns.ts'
import {
  type Api,
  createAccount,
  createUser,
  errorOf,
  roleNamed,
  startApp,
  type TestApp,
} from '../../../test/kit.ts'

let app: TestApp
let dns: TestDns
beforeAll(async () => {
  dns = await startDns(['iot.city.example', 'water.city.example'])
  app = await startApp({ config: { dnsServers: [dns.address] } })
})
afterAll(() => dns[Symbol.asyncDispose]())

type Place = { id: number; scopeId: number; name: string }

async function administered(parent?: Place) {
  const account = await createAccount(app, parent ? { parent } : {})
  const user = await createUser(app, account, [{ roleId: await roleNamed(app, 'Account administrator') }])
  return { ...account, api: user.api, username: user.username }
}
type Administered = Awaited<ReturnType<typeof administered>>

const refused = { code: 'NO_PERMISSION', status: 403 }
const versionOf = async (id: number) => (await app.api.tenant.get({ id })).version
const limitDevices = async (api: Api, id: number, devices: number | null) =>
  api.tenant.setTemplateLimits({ id, version: await versionOf(id), devices })
const limitRows = async (api: Api, id: number, rows: number | null) =>
  api.tenant.setCsvExportLimit({ id, version: await versionOf(id), rows })

let serial = 0
async function connectorOf(account: Place): Promise<number> {
  const row = await app.ctx.db
    .insertInto('connectors')
    .values({
      account_id: account.id,
      scope_id: account.scopeId,
      name: `Network ${++serial}`,
      kind: 'mqtt-in',
      settings: '{}',
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return row.id
}
const newDevice = (api: Api, connectorId: number) =>
  api.virtualdevice.create({ title: 'Device', connectorId, externalId: `limited-${++serial}` })

describe('a limit', () => {
  test('is set from above, never by the account itself', async () => {
    const top = await administered()
    const inner = await administered(top)
    const other = await administered()
    expect(await errorOf(limitRows(inner.api, inner.id, 5))).toMatchObject(refused)
    expect(await errorOf(limitDevices(inner.api, inner.id, 5))).toMatchObject(refused)
    expect(await errorOf(limitDevices(other.api, inner.id, 5))).toMatchObject({ code: 'TENANT_NOT_FOUND' })
    expect(await errorOf(limitDevices(top.api, top.id, null))).toMatchObject(refused)
    expect(await inner.api.tenant.get({ id: inner.id })).toMatchObject({ limitsEditable: false })
    expect(await limitRows(top.api, inner.id, 5)).toMatchObject({
      limitsEditable: true,
      version: 2,
      limits: { csvExport: { own: 5, value: 5, from: null } },
    })
    expect(await app.api.tenant.get({ id: app.rootAccountId })).toMatchObject({ limitsEditable: true })
    const log = await top.api.activityLog.list({ subject: 'Tenant', objectId: inner.id })
    expect(log.items[0]).toMatchObject({ action: 'update', changes: { csvExportLimit: [null, 5] } })
    const stale = { id: inner.id, version: 1, devices: 3 }
    expect(await errorOf(top.api.tenant.setTemplateLimits(stale))).toMatchObject({ code: 'VERSION_CONFLICT' })
  })

  test('is inherited and cannot be lifted below; who does not see the account above does not learn its name', async () => {
    const top = await administered()
    const middle = await administered(top)
    const inner = await administered(middle)
    await limitDevices(app.api, top.id, 10)
    await limitDevices(app.api, inner.id, 100)
    const shown = async (api: Api) => (await api.tenant.get({ id: inner.id })).limits.devices
    expect(await shown(top.api)).toEqual({ own: 100, value: 10, from: { name: top.name }, used: 0 })
    expect(await shown(inner.api)).toEqual({ own: 100, value: 10, from: { name: null }, used: 0 })
    await limitDevices(app.api, inner.id, 3)
    expect(await shown(inner.api)).toEqual({ own: 3, value: 3, from: null, used: 0 })
  })

  test('of device templates is kept and inherited beside that of devices; what is not named stays', async () => {
    const top = await administered()
    const inner = await administered(top)
    await limitDevices(app.api, top.id, 8)
    const version = await versionOf(top.id)
    await app.api.tenant.setTemplateLimits({ id: top.id, version, templates: 4 })
    expect((await inner.api.tenant.get({ id: inner.id })).limits).toMatchObject({
      devices: { own: null, value: 8, from: { name: null } },
      templates: { own: null, value: 4, from: { name: null } },
    })
    const own = { id: inner.id, version: await versionOf(inner.id), templates: 2 }
    expect(await errorOf(inner.api.tenant.setTemplateLimits(own))).toMatchObject(refused)
    expect((await top.api.tenant.setTemplateLimits(own)).limits.templates).toEqual({
      own: 2,
      value: 2,
      from: null,
      used: 0,
    })
    const log = await top.api.activityLog.list({ subject: 'Tenant', objectId: inner.id })
    expect(log.items[0]?.changes).toEqual({ templateLimit: [null, 2] })
  })

  test('of rows in CSV files is told at sign-in', async () => {
    const top = await administered()
    const inner = await administered(top)
    expect((await inner.api.auth.verify({})).csvRowsMax).toBeNull()
    await limitRows(app.api, top.id, 250)
    expect((await inner.api.auth.verify({})).csvRowsMax).toBe(250)
  })

  test('of devices counts everything below and names limit and account', async () => {
    const top = await administered()
    const inner = await administered(top)
    await limitDevices(app.api, top.id, 2)
    const connectors = [await connectorOf(top), await connectorOf(inner)] as const
    await newDevice(inner.api, connectors[1])
    await newDevice(top.api, connectors[0])
    expect(await errorOf(newDevice(top.api, connectors[1]))).toMatchObject({
      code: 'TENANT_DEVICE_LIMIT',
      status: 409,
      data: { limit: 2, used: 2, account: top.name },
    })
    expect(await errorOf(newDevice(inner.api, connectors[1]))).toMatchObject({
      code: 'TENANT_DEVICE_LIMIT_ABOVE',
      status: 409,
      data: { limit: 2 },
    })
    await limitDevices(app.api, top.id, 3)
    await newDevice(inner.api, connectors[1])
    expect((await top.api.tenant.get({ id: top.id })).limits.devices).toMatchObject({ value: 3, used: 3 })
  })

  test('holds though many are added at once, in several accounts below it', async () => {
    const top = await administered()
    const places: { of: Administered; connectorId: number }[] = []
    for (let n = 0; n < 3; n++) {
      const of = await administered(top)
      places.push({ of, connectorId: await connectorOf(of) })
    }
    await limitDevices(app.api, top.id, 5)
    const attempts = Array.from({ length: 8 }).flatMap(() =>
      places.map(({ of, connectorId }) => newDevice(of.api, connectorId)),
    )
    const results = await Promise.allSettled(attempts)
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(5)
    expect((await top.api.tenant.get({ id: top.id })).limits.devices.used).toBe(5)
  })
})

describe('saving an account', () => {
  const form = (name: string) => ({ name, timeZone: 'Europe/Berlin', description: 'Everything in one call' })
  const bounds = { devices: 7, templates: 6, fileMegabytes: 5, bulkDevices: 4, csvRows: 3, ruleMails: 2 }
  const stateOf = async (id: number) => {
    const account = await app.api.tenant.get({ id })
    const log = await app.api.activityLog.list({ subject: 'Tenant', objectId: id })
    return { account, entries: log.items.length, domains: await app.api.tenant.listDomains({ id }) }
  }

  test('takes data, domains, limits and retention in one call with one version and one entry', async () => {
    const top = await administered()
    const { id, name } = await administered(top)
    const before = await stateOf(id)
    const saved = await app.api.tenant.update({
      ...form(name),
      id,
      version: before.account.version,
      domains: ['water.city.example'],
      bounds: { ...bounds, retentionMonths: 8, messagesPerSecond: 9 },
    })
    expect(saved).toMatchObject({
      version: before.account.version + 1,
      description: 'Everything in one call',
      domains: ['water.city.example'],
      ownRetentionMonths: 8,
      messagesPerSecond: 9,
      limits: {
        devices: { own: 7 },
        templates: { own: 6 },
        files: { own: 5 },
        bulk: { own: 4 },
        csvExport: { own: 3 },
        ruleMails: { own: 2 },
      },
    })
    const log = await app.api.activityLog.list({ subject: 'Tenant', objectId: id })
    expect(log.items).toHaveLength(before.entries + 1)
    expect(log.items[0]).toMatchObject({
      action: 'update',
      changes: {
        description: ['', 'Everything in one call'],
        domains: [[], ['water.city.example']],
        deviceLimit: [null, 7],
        templateLimit: [null, 6],
        fileLimit: [10_240, 5],
        bulkLimit: [null, 4],
        csvExportLimit: [null, 3],
        ruleMailLimit: [null, 2],
        retentionMonths: [null, 8],
        messagesPerSecond: [null, 9],
      },
    })
    await app.api.tenant.update({ ...form(name), id, version: saved.version, bounds: { devices: null } })
    expect((await stateOf(id)).account).toMatchObject({
      ownRetentionMonths: 8,
      limits: { devices: { own: null }, templates: { own: 6 } },
    })
  })

  test('changes nothing when one part is not allowed, not valid, out of date or taken', async () => {
    const top = await administered()
    const inner = await administered(top)
    const other = await administered(top)
    const before = await stateOf(inner.id)
    const { version } = before.account
    const save = (api: Api, part: object) =>
      errorOf(
        api.tenant.update({
          ...form('Renamed'),
          id: inner.id,
          version,
          domains: ['iot.city.example'],
          acceptUnknownDomains: true,
          ...part,
        }),
      )
    // Its own administrators cannot lift a limit of the account above, nor these what only the platform sets.
    expect(await save(inner.api, { bounds: { csvRows: 5 } })).toMatchObject(refused)
    for (const limit of [{ retentionMonths: 5 }, { messagesPerSecond: 5 }])
      expect(await save(top.api, { bounds: { ...bounds, ...limit } })).toMatchObject({
        ...refused,
        data: { subject: 'super.system', action: 'manage' },
      })
    expect(await save(other.api, { bounds })).toMatchObject({ code: 'TENANT_NOT_FOUND' })
    expect(await save(app.api, { bounds: { ...bounds, bulkDevices: 0 } })).toMatchObject({
      code: 'PARAMETER_VALIDATION_ERROR',
      data: { issues: [{ path: ['bounds', 'bulkDevices'] }] },
    })
    expect(await save(app.api, { bounds, version: version + 1 })).toMatchObject({ code: 'VERSION_CONFLICT' })
    expect(await save(app.api, { bounds, name: other.name })).toMatchObject({ code: 'TENANT_DUPLICATE' })
    expect(await stateOf(inner.id)).toEqual(before)
  })
})

test('what passwords need is set by the administrators of the account', async () => {
  const { id, api } = await administered()
  const policy = { minLength: 10, upperAndLower: true, numbers: false, special: false }
  expect(await api.tenant.setPasswordPolicy({ id, version: 1, policy })).toMatchObject({
    passwordPolicy: policy,
    version: 2,
  })
  expect(await api.tenant.setPasswordPolicy({ id, version: 2, policy: null })).toMatchObject({
    passwordPolicy: null,
  })
  const viewer = await createUser(app, await createAccount(app), [{ roleId: await roleNamed(app, 'Viewer') }])
  expect(await errorOf(viewer.api.tenant.setPasswordPolicy({ id, version: 3, policy }))).toMatchObject(
    refused,
  )
})

describe('a domain', () => {
  const change = async ({ id, api }: Administered, part: object) => {
    const account = await api.tenant.get({ id })
    return api.tenant.update({ ...account, ...part })
  }

  test('is taken when the DNS knows it; one it does not know has to be accepted', async () => {
    const account = await administered()
    const known = await change(account, { domains: ['iot.city.example'] })
    expect(known).toMatchObject({ domains: ['iot.city.example'], uncheckedDomains: [] })
    const domains = ['iot.city.example', 'iot.ctiy.example']
    expect(await errorOf(change(account, { domains }))).toMatchObject({
      code: 'TENANT_DOMAIN_UNKNOWN',
      status: 409,
      data: { domains: ['iot.ctiy.example'] },
    })
    expect(await change(account, { domains, acceptUnknownDomains: true })).toMatchObject({ domains })
    // Domains that are already stored are not looked up again.
    expect(await change(account, { domains, description: 'x' })).toMatchObject({ domains })
  })

  test('of the own network is not asked for', async () => {
    const account = await administered()
    const domains = ['intranet']
    expect(await change(account, { domains })).toMatchObject({ domains, uncheckedDomains: [] })
    expect(dns.asked).not.toContain('intranet')
  })

  test('is taken, with a word about it, when no DNS server answers', async () => {
    const closed = await startDns([])
    await closed[Symbol.asyncDispose]()
    await using cut = await startApp({ config: { dnsServers: [closed.address] } })
    const { editable: _editable, ...account } = await cut.api.tenant.get({ id: cut.rootAccountId })
    const domains = ['iot.city.example']
    expect(await cut.api.tenant.update({ ...account, domains })).toMatchObject({
      domains,
      uncheckedDomains: domains,
    })
  })
})
