import { beforeAll, describe, expect, it } from 'vitest'
import {
  createAccount,
  createRole,
  createUser,
  errorOf,
  FakeClock,
  roleNamed,
  startApp,
  type TestApp,
} from '../../../../test/kit.ts'
import { createConnector } from '../../../../test/pipeline.ts'

interface Account {
  id: number
  scopeId: number
  api: TestApp['api']
}

const clock = new FakeClock('2026-06-15T12:00:00.000Z')
let app: TestApp
let author: Account
let below: Account
let stranger: Account

beforeAll(async () => {
  app = await startApp({ clock })
  author = await account('Author')
  below = await account('Below', author)
  stranger = await account('Stranger')
})

async function account(name: string, parent?: Account): Promise<Account> {
  const made = await createAccount(app, { name, ...(parent ? { parent } : {}) })
  const { api } = await createUser(app, made, [{ roleId: await roleNamed(app, 'Device manager') }])
  return { ...made, api }
}

const script = (version: number) => `function decodeUplink() { return { data: { version: ${version} } } }`
const downlinks = (name: string) => [{ name, port: 1, payload: '00' }]
const health = (type: 'warning' | 'error') => ({
  entries: [
    {
      identifier: 'always',
      category: 'device' as const,
      type,
      description: '',
      condition: { variable: 'version', operator: 'gt' as const, value: 0 },
    },
  ],
})

type Changes = Partial<Parameters<TestApp['api']['devicedrivers']['create']>[0]>

/** A driver with a published version 1. */
const firstVersion = (changes: Changes = {}, api = author.api) =>
  api.devicedrivers.create({
    accountId: author.id,
    title: 'Shared',
    script: script(1),
    downlinks: downlinks('one'),
    health: health('warning'),
    ...changes,
  })

type Driver = Awaited<ReturnType<typeof firstVersion>>

/** Publishes the next version. */
const nextVersion = (driver: Driver, changes: Changes = {}) =>
  author.api.devicedrivers.update({
    ...driver,
    script: script(driver.latestVersion + 1),
    downlinks: downlinks('two'),
    health: health('error'),
    ...changes,
  })

let serial = 0

async function deviceOf(
  owner: Account,
  driverId: number,
  driverVersion: number | null = null,
  acceptance: { acceptDriver?: number } = { acceptDriver: driverVersion ?? 1 },
) {
  const connector = await createConnector(app, owner.id, owner.scopeId)
  const externalId = `accepting-${++serial}`
  const { id } = await app.api.virtualdevice.create({
    title: externalId,
    connectorId: connector.id,
    externalId,
    driverId,
    driverVersion,
    ...acceptance,
  })
  return {
    id,
    connector,
    externalId,
    /** which version of its driver reads a packet */
    async reads(): Promise<unknown> {
      clock.advance(1000)
      const packets = [{ identifier: externalId, payload: '00' }]
      await app.ctx.configChanges.settle()
      await app.app.ingest.submit({ connector, packets, raw: '[]', receivedAt: clock.now() })
      const { variables, error, driver_version } = await app.ctx.db
        .selectFrom('packets')
        .select(['variables', 'error', 'driver_version'])
        .where('device_id', '=', id)
        .orderBy('received_at', 'desc')
        .limit(1)
        .executeTakeFirstOrThrow()
      if (error !== null) return error
      return [variables, driver_version]
    },
  }
}

const version = (number: number) => [{ version: number }, number]
const accepted = async (of: Account, id: number) => {
  const { items } = await of.api.devicedrivers.acceptances({ id })
  return items.map(({ accountId, number }) => [accountId, number])
}

describe('a driver of another account', () => {
  it('runs in the version that was accepted, whatever its author publishes', async () => {
    const driver = await firstVersion()
    const own = await deviceOf(author, driver.id)
    const other = await deviceOf(below, driver.id)
    expect([await own.reads(), await other.reads()]).toEqual([version(1), version(1)])
    await nextVersion(driver)
    expect([await own.reads(), await other.reads()]).toEqual([version(2), version(1)])
    // Its author publishing an older one again changes nothing elsewhere, either.
    await author.api.devicedrivers.publish({ id: driver.id, number: 1 })
    await author.api.devicedrivers.publish({ id: driver.id, number: 2 })
    expect(await other.reads()).toEqual(version(1))
    expect(await accepted(below, driver.id)).toEqual([[below.id, 1]])
  })

  it('is taken in a newer version, and back, by those who manage devices or drivers there', async () => {
    const driver = await firstVersion()
    const other = await deviceOf(below, driver.id)
    await nextVersion(driver)
    expect(await below.api.devicedrivers.get({ id: driver.id })).toMatchObject({ outdatedAccounts: 1 })
    const { items } = await below.api.devicedrivers.list({ search: String(driver.id) })
    expect(items).toMatchObject([{ id: driver.id, outdatedAccounts: 1 }])
    const outdated = async () =>
      (await below.api.devicedrivers.list({ outdated: true, limit: 100 })).items.map(({ id }) => id)
    expect(await outdated()).toContain(driver.id)
    const accept = (number: number, api = below.api, accountId = below.id) =>
      api.devicedrivers.accept({ id: driver.id, accountId, number })
    expect(await accept(2)).toMatchObject({ accountId: below.id, number: 2, devices: 1, editable: true })
    expect(await other.reads()).toEqual(version(2))
    expect(await below.api.devicedrivers.get({ id: driver.id })).toMatchObject({ outdatedAccounts: 0 })
    expect(await outdated()).not.toContain(driver.id)
    for (const subject of ['VirtualDevice', 'DeviceDriver'] as const) {
      const roleId = await createRole(app, [{ subject, actions: ['manage'] }])
      const { api } = await createUser(app, below, [{ roleId }])
      await accept(1, api)
      expect(await other.reads()).toEqual(version(1))
      await accept(2, api)
    }
    const log = await app.api.activityLog.list({ subject: 'DeviceDriver', objectId: driver.id })
    expect(log.items.filter(({ action }) => action === 'accept')).toHaveLength(6)
    expect(log.items[0]).toMatchObject({
      accountId: below.id,
      changes: { acceptedVersion: { before: 1, after: 2 } },
    })
  })

  it('is accepted by nobody who has no right to it there, and in no version that was not published', async () => {
    const driver = await firstVersion()
    await deviceOf(below, driver.id)
    await nextVersion(driver, { publish: false })
    const accept = (api: TestApp['api'], accountId: number, number: number) =>
      errorOf(api.devicedrivers.accept({ id: driver.id, accountId, number }))
    const readers = await createRole(app, [
      { subject: 'VirtualDevice', actions: ['read', 'write'] },
      { subject: 'DeviceDriver', actions: ['read'] },
    ])
    const reader = await createUser(app, below, [{ roleId: readers }])
    expect(await accept(reader.api, below.id, 1)).toMatchObject({ code: 'NO_PERMISSION' })
    expect(await accept(stranger.api, below.id, 1)).toMatchObject({ code: 'TENANT_NOT_FOUND' })
    expect(await accept(stranger.api, stranger.id, 1)).toMatchObject({ code: 'DEVICEDRIVER_NOT_FOUND' })
    expect(await accept(below.api, author.id, 1)).toMatchObject({ code: 'TENANT_NOT_FOUND' })
    expect(await accept(author.api, author.id, 1)).toMatchObject({ code: 'VALIDATION_ERROR' })
    for (const number of [2, 9])
      expect(await accept(below.api, below.id, number)).toMatchObject({ code: 'DEVICEDRIVER_NOT_FOUND' })
    expect(await errorOf(stranger.api.devicedrivers.acceptances({ id: driver.id }))).toMatchObject({
      code: 'DEVICEDRIVER_NOT_FOUND',
    })
    expect((await below.api.devicedrivers.acceptances({ id: driver.id })).items).toHaveLength(1)
    expect((await reader.api.devicedrivers.acceptances({ id: driver.id })).items).toMatchObject([
      { editable: false },
    ])
  })

  it('brings its health, downlinks and variables in the version that was accepted', async () => {
    const variables = (key: string) => [{ key, title: key, unit: '' }]
    const driver = await firstVersion({ variables: variables('old') })
    const other = await deviceOf(below, driver.id)
    const names = async () =>
      (await app.api.downlink.offer({ id: other.id })).predefined.map(({ name }) => name)
    const shown = async () => {
      await app.app.drain()
      const { items } = await app.api.virtualdevice.list({ ids: [other.id], include_drivers: true })
      return items.map((item) => [item.health, item.driver?.version])
    }
    const statesOf = async (id: number) => {
      const rows = await app.ctx.db.selectFrom('states').select('key').where('twin_id', '=', id).execute()
      return rows.map(({ key }) => key).sort()
    }
    await other.reads()
    await nextVersion(driver, { variables: variables('new') })
    expect([await names(), await shown()]).toEqual([['one'], [[1, 1]]])
    expect(await statesOf((await deviceOf(below, driver.id)).id)).toEqual(['old'])
    await below.api.devicedrivers.accept({ id: driver.id, accountId: below.id, number: 2 })
    expect([await names(), await shown()]).toEqual([['two'], [[2, 2]]])
    expect(await statesOf((await deviceOf(below, driver.id)).id)).toEqual(['new'])
  })

  it('takes over the health of devices only where its new version runs', async () => {
    const driver = await firstVersion()
    const [own, other] = [await deviceOf(author, driver.id), await deviceOf(below, driver.id)]
    const hasOwn = async ({ id }: { id: number }) => {
      await app.app.drain()
      const row = await app.ctx.db
        .selectFrom('device_health_configs')
        .select('twin_id')
        .where('twin_id', '=', id)
        .executeTakeFirst()
      return row !== undefined
    }
    for (const { id } of [own, other])
      await app.ctx.db
        .insertInto('device_health_configs')
        .values({ twin_id: id, config: JSON.stringify(health('error')), updated_at: clock.now() })
        .execute()
    await nextVersion(driver, { health: { ...health('error'), applyToAllVD: true } })
    expect([await hasOwn(own), await hasOwn(other)]).toEqual([false, true])
    await below.api.devicedrivers.accept({ id: driver.id, accountId: below.id, number: 2 })
    expect(await hasOwn(other)).toBe(false)
  })

  it('runs in the version that a device names; one delivered with the platform needs no acceptance', async () => {
    const driver = await firstVersion()
    await nextVersion(driver)
    const fixed = await deviceOf(below, driver.id, 1)
    expect(await fixed.reads()).toEqual(version(1))
    const { items } = await app.api.devicedrivers.list({ delivered: true, limit: 1 })
    const delivered = items[0]?.id ?? 0
    await deviceOf(below, delivered, null, {})
    expect((await app.api.devicedrivers.acceptances({ id: delivered })).items).toEqual([])
  })

  it('does not run before something is published, and then only once that is accepted', async () => {
    const driver = await firstVersion({ publish: false })
    const other = await deviceOf(below, driver.id)
    expect(await other.reads()).toMatchObject({ code: 'DRIVER_MISSING' })
    await author.api.devicedrivers.publish({ id: driver.id, number: 1 })
    expect(await other.reads()).toMatchObject({ code: 'DRIVER_MISSING' })
    await below.api.devicedrivers.accept({ id: driver.id, accountId: below.id, number: 1 })
    expect(await other.reads()).toEqual(version(1))
  })
})

describe('the first device that uses it', () => {
  const entriesOf = async (id: number) => {
    const log = await app.api.activityLog.list({ subject: 'DeviceDriver', objectId: id })
    return log.items.filter(({ action }) => action === 'accept')
  }
  const create = async (
    owner: Account,
    input: { driverId: number | null; driverVersion?: number; acceptDriver?: number },
  ) => {
    const connector = await createConnector(app, owner.id, owner.scopeId)
    const externalId = `first-${++serial}`
    const about = { title: externalId, externalId, connectorId: connector.id }
    return owner.api.virtualdevice.create({ ...about, ...input })
  }

  it('accepts the version that its user has seen, in the name of the user', async () => {
    const driver = await firstVersion()
    await nextVersion(driver)
    expect((await below.api.devicedrivers.acceptances({ id: driver.id, accountId: below.id })).total).toBe(0)
    await create(below, { driverId: driver.id, acceptDriver: 1 })
    expect((await below.api.devicedrivers.acceptances({ id: driver.id, accountId: below.id })).items).toEqual(
      [expect.objectContaining({ number: 1, acceptedBy: expect.stringMatching(/./) })],
    )
    expect(await entriesOf(driver.id)).toMatchObject([
      { accountId: below.id, changes: { acceptedVersion: { before: null, after: 1 } } },
    ])
    // The next one changes nothing: newer versions have their own operation.
    await create(below, { driverId: driver.id, acceptDriver: 2 })
    expect(await accepted(below, driver.id)).toEqual([[below.id, 1]])
    expect(await entriesOf(driver.id)).toHaveLength(1)
  })

  it('may be one that existed before and gets the driver', async () => {
    const driver = await firstVersion()
    const { id } = await create(below, { driverId: (await firstVersion()).id, acceptDriver: 1 })
    const device = await below.api.virtualdevice.get({ id })
    const change = { ...device, driverId: driver.id, acceptDriver: 1 }
    await below.api.virtualdevice.update(change)
    expect(await entriesOf(driver.id)).toHaveLength(1)
    const { items } = await app.api.activityLog.list({ subject: 'VirtualDevice', objectId: id })
    expect(items[0]?.changes).not.toHaveProperty('acceptDriver')
  })

  it('is neither created nor changed without acceptance, whether or not it names a version', async () => {
    const driver = await firstVersion()
    const device = await create(below, { driverId: null })
    const refused = {
      code: 'DEVICEDRIVER_NOT_ACCEPTED',
      status: 409,
      data: { drivers: [{ id: driver.id, title: 'Shared', accountName: 'Author', number: 1 }] },
    }
    const { total } = await below.api.virtualdevice.list({})
    for (const driverVersion of [undefined, 1]) {
      const input = { driverId: driver.id, ...(driverVersion ? { driverVersion } : {}) }
      expect(await errorOf(create(below, input))).toMatchObject(refused)
      expect(await errorOf(below.api.virtualdevice.update({ ...device, ...input }))).toMatchObject(refused)
    }
    expect((await below.api.virtualdevice.list({})).total).toBe(total)
    expect(await below.api.virtualdevice.get({ id: device.id })).toMatchObject({ driverId: null, version: 1 })
    expect(await accepted(below, driver.id)).toEqual([])
    await create(below, { driverId: driver.id, acceptDriver: 1 })
    const changed = await below.api.virtualdevice.update({ ...device, driverId: driver.id })
    expect(changed).toMatchObject({ driverId: driver.id })
  })

  it('names neither a draft nor, once the driver is offered no more, a version newer than the accepted one', async () => {
    const draft = await firstVersion({ publish: false })
    const waiting = await create(below, { driverId: draft.id })
    const shared = await firstVersion({ visibility: 'everyone' }, app.api)
    const device = await create(stranger, { driverId: shared.id, acceptDriver: 1 })
    const name = (of: Account, { id, version }: typeof device, driverId: number, driverVersion: number) =>
      of.api.virtualdevice
        .get({ id })
        .then((each) => of.api.virtualdevice.update({ ...each, version, driverId, driverVersion }))
    const missing = { code: 'DEVICEDRIVER_NOT_FOUND' }
    expect(await errorOf(name(below, waiting, draft.id, 1))).toMatchObject(missing)
    await nextVersion(shared, { publish: false })
    expect(await errorOf(name(stranger, device, shared.id, 2))).toMatchObject(missing)
    const closed = await author.api.devicedrivers.get({ id: shared.id })
    await author.api.devicedrivers.update({ ...closed, visibility: 'account' })
    await author.api.devicedrivers.publish({ id: shared.id, number: 2 })
    expect(await errorOf(name(stranger, device, shared.id, 2))).toMatchObject(missing)
    expect(await name(stranger, device, shared.id, 1)).toMatchObject({ driverVersion: 1 })
    // Published while a device has the driver: naming the version accepts nothing.
    await author.api.devicedrivers.publish({ id: draft.id, number: 1 })
    expect(await errorOf(name(below, waiting, draft.id, 1))).toMatchObject({
      code: 'DEVICEDRIVER_NOT_ACCEPTED',
    })
  })

  it('is not created with a version that was never published, nor without a right to the driver', async () => {
    const driver = await firstVersion()
    await nextVersion(driver, { publish: false })
    for (const acceptDriver of [2, 9])
      expect(await errorOf(create(below, { driverId: driver.id, acceptDriver }))).toMatchObject({
        code: 'DEVICEDRIVER_NOT_FOUND',
      })
    expect(await errorOf(create(stranger, { driverId: driver.id, acceptDriver: 1 }))).toMatchObject({
      code: 'DEVICEDRIVER_NOT_FOUND',
    })
    expect(await accepted(below, driver.id)).toEqual([])
    expect(await entriesOf(driver.id)).toEqual([])
  })

  it('accepts nothing of an own driver', async () => {
    const driver = await firstVersion()
    await create(author, { driverId: driver.id, acceptDriver: 1 })
    expect((await app.api.devicedrivers.acceptances({ id: driver.id })).items).toEqual([])
  })
})

describe('a driver that is offered no more', () => {
  it('keeps running where it was accepted, can be seen up to that version, and is refused elsewhere', async () => {
    const driver = await firstVersion({ visibility: 'everyone' }, app.api)
    const other = await deviceOf(stranger, driver.id)
    const closed = await author.api.devicedrivers.update({ ...driver, visibility: 'account' })
    await nextVersion(closed)
    expect(await other.reads()).toEqual(version(1))
    expect(await stranger.api.devicedrivers.get({ id: driver.id })).toMatchObject({
      number: 1,
      versions: [{ number: 1 }],
      outdatedAccounts: 0,
    })
    for (const call of [
      () => stranger.api.devicedrivers.get({ id: driver.id, number: 2 }),
      () => stranger.api.devicedrivers.accept({ id: driver.id, accountId: stranger.id, number: 2 }),
      () => stranger.api.dispatcher.parse({ driverId: driver.id, number: 2, packets: [{ payload: '00' }] }),
    ])
      expect(await errorOf(call())).toMatchObject({ code: 'DEVICEDRIVER_NOT_FOUND' })
    const another = await account('Another')
    expect(await errorOf(deviceOf(another, driver.id))).toMatchObject({ code: 'DEVICEDRIVER_NOT_FOUND' })
    expect((await app.api.devicedrivers.acceptances({ id: driver.id })).items).toHaveLength(1)
  })

  it('cannot be deleted while it is used', async () => {
    const driver = await firstVersion()
    await deviceOf(below, driver.id)
    expect(await errorOf(author.api.devicedrivers.delete({ id: driver.id }))).toMatchObject({
      code: 'DEVICEDRIVER_IN_USE',
    })
  })
})

describe('for everyone', () => {
  it('is offered by those who administer the installation, and by nobody else', async () => {
    expect(await errorOf(firstVersion({ visibility: 'everyone' }))).toMatchObject({
      code: 'NO_PERMISSION',
      data: { subject: 'super.system', action: 'manage' },
    })
    const driver = await firstVersion()
    const everyone = { ...driver, visibility: 'everyone' as const }
    expect(await errorOf(author.api.devicedrivers.update(everyone))).toMatchObject({ code: 'NO_PERMISSION' })
    const opened = await app.api.devicedrivers.update(everyone)
    // What they have opened its author may go on writing: others are asked before they get it.
    const next = await author.api.devicedrivers.update({ ...opened, script: script(2) })
    expect(next).toMatchObject({ visibility: 'everyone', publishedVersion: 2 })
  })

  it('is not the way to change what came with the platform', async () => {
    const roleId = await roleNamed(app, 'Device manager')
    const { api } = await createUser(app, { id: app.rootAccountId, scopeId: app.rootScopeId }, [{ roleId }])
    const { items } = await api.devicedrivers.list({ delivered: true, limit: 1 })
    const driver = await api.devicedrivers.get({ id: items[0]?.id ?? 0 })
    const edited = { ...driver, script: script(2), golden: [], acceptGolden: true }
    expect(await errorOf(api.devicedrivers.update(edited))).toMatchObject({
      code: 'NO_PERMISSION',
      data: { subject: 'super.system', action: 'manage' },
    })
    const stored = await app.api.devicedrivers.update({ ...edited, publish: false })
    expect(await errorOf(api.devicedrivers.publish({ id: driver.id, number: 2 }))).toMatchObject({
      code: 'NO_PERMISSION',
    })
    await api.devicedrivers.publish({ id: driver.id, number: 1 })
    expect(stored.latestVersion).toBe(2)
  })
})
