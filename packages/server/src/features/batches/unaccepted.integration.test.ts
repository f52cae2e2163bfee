import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  type Api,
  createAccount,
  createUser,
  errorOf,
  roleNamed,
  startApp,
  type TestApp,
} from '../../../test/kit.ts'
import { createConnector } from '../../../test/pipeline.ts'

/** Drivers of other accounts in bulk edits and imports: nothing starts before they are accepted. */

let app: TestApp
let author: Tenant
let below: Tenant

interface Tenant {
  id: number
  scopeId: number
  api: Api
  connectorId: number
}

beforeAll(async () => {
  app = await startApp()
  author = await tenant('Author')
  below = await tenant('Below', author)
})

beforeEach(() => app.drain())

async function tenant(name: string, parent?: Tenant): Promise<Tenant> {
  const account = await createAccount(app, { name, ...(parent ? { parent } : {}) })
  const { api } = await createUser(app, account, [{ roleId: await roleNamed(app, 'Device manager') }])
  const connector = await createConnector(app, account.id, account.scopeId)
  return { ...account, api, connectorId: connector.id }
}

let serial = 0

const newDriver = async ({ api, id }: Tenant = author) =>
  api.devicedrivers.create({
    accountId: id,
    title: `Driver ${++serial}`,
    script: 'function decodeUplink() { return { data: { level: 1 } } }',
  })
type Driver = Awaited<ReturnType<typeof newDriver>>

const newDevice = async ({ api, connectorId }: Tenant) => {
  const externalId = `unaccepted-${++serial}`
  return (await api.virtualdevice.create({ title: externalId, externalId, connectorId })).id
}

const accepted = async ({ id }: Driver) => {
  const { items } = await below.api.devicedrivers.acceptances({ id, accountId: below.id })
  return items.map(({ number, acceptedBy }) => [number, acceptedBy !== ''])
}
const refused = (...drivers: Driver[]) => ({
  code: 'DEVICEDRIVER_NOT_ACCEPTED',
  status: 409,
  data: {
    drivers: drivers.map(({ id, title }) => ({ id, title, accountName: 'Author', number: 1 })),
  },
})
const outcomeOf = async (id: number) => {
  await app.drain()
  const { items } = await below.api.job.rows({ id, limit: 100 })
  return items.map(({ state, faults }) => faults[0]?.code ?? state)
}

describe('a bulk edit', () => {
  const start = (ids: number[], driver: { driverId: number; acceptDriver?: number }, api = below.api) =>
    api.bulk.edit({
      title: 'Another driver',
      selection: { ids },
      mode: { kind: 'edit', changes: { driver } },
    })

  test('is not started with a driver of another account that nobody has accepted', async () => {
    const driver = await newDriver()
    const ids = [await newDevice(below), await newDevice(below)]
    const { total } = await below.api.job.list({})
    expect(await errorOf(start(ids, { driverId: driver.id }))).toMatchObject(refused(driver))
    expect((await below.api.job.list({})).total).toBe(total)
    const { id } = await start(ids, { driverId: driver.id, acceptDriver: 1 })
    expect(await outcomeOf(id)).toEqual(['done', 'done'])
    expect(await accepted(driver)).toEqual([[1, true]])
    // Accepted once, it needs no second acceptance.
    const again = await start([await newDevice(below)], { driverId: driver.id })
    expect(await outcomeOf(again.id)).toEqual(['done'])
  })

  test('of the account of the driver, or to a delivered driver, needs no acceptance', async () => {
    const own = await newDriver(below)
    const { items } = await app.api.devicedrivers.list({ delivered: true, limit: 1 })
    for (const driverId of [own.id, items[0]?.id ?? 0]) {
      const { id } = await start([await newDevice(below)], { driverId })
      expect(await outcomeOf(id)).toEqual(['done'])
    }
  })

  test('accepts no version that was never published', async () => {
    const driver = await newDriver()
    const { id } = await start([await newDevice(below)], { driverId: driver.id, acceptDriver: 2 })
    expect(await outcomeOf(id)).toEqual(['DEVICEDRIVER_NOT_FOUND'])
    expect(await accepted(driver)).toEqual([])
  })

  test('of a few devices at once changes none without acceptance', async () => {
    const driver = await newDriver()
    const ids = [await newDevice(below), await newDevice(below)]
    const update = (acceptDriver?: number) =>
      below.api.bulk.update({
        ids,
        changes: { description: 'changed', driver: { driverId: driver.id, acceptDriver } },
      })
    expect(await errorOf(update())).toMatchObject(refused(driver))
    expect((await below.api.virtualdevice.get({ id: ids[0] ?? 0 })).description).toBe('')
    expect(await accepted(driver)).toEqual([])
    expect(await update(1)).toEqual({ changed: 2, unchanged: 0 })
    expect(await accepted(driver)).toEqual([[1, true]])
  })
})

describe('an import', () => {
  const columns = [
    { column: 0, target: 'externalId' },
    { column: 1, target: 'title' },
    { column: 2, target: 'driver' },
  ] as const
  const upload = async (...drivers: string[]) => {
    const lines = drivers.map((driver) => `import-${++serial};Device;${driver}`)
    const file = new File([['Id;Title;Driver', ...lines].join('\r\n')], 'devices.csv')
    return (await below.api.bulk.upload({ file })).id
  }
  const settings = (choice: object = {}) => ({
    connectorId: below.connectorId,
    columns: [...columns],
    ...choice,
  })

  test('lists each driver once in its dry run, and starts when all are accepted', async () => {
    const [one, two, own] = [await newDriver(), await newDriver(), await newDriver(below)]
    const uploadId = await upload(one.title, String(two.id), one.title, own.title, '')
    const preview = await below.api.bulk.preview({ uploadId, settings: settings() })
    expect(preview).toMatchObject({ rows: 5, valid: 5, faulty: 0 })
    const [first, second] = [one, two].map(({ id, title }) => ({
      id,
      title,
      accountName: 'Author',
      number: 1,
    }))
    expect(preview.drivers).toEqual([first, second])
    const start = (...ids: number[]) =>
      below.api.bulk.import({
        title: 'Their drivers',
        uploadId,
        settings: settings({ acceptDrivers: ids.map((driverId) => ({ driverId, number: 1 })) }),
      })
    expect(await errorOf(start())).toMatchObject(refused(one, two))
    expect(await errorOf(start(one.id))).toMatchObject(refused(two))
    expect(await accepted(one)).toEqual([])
    const { id } = await start(one.id, two.id, own.id)
    expect(await outcomeOf(id)).toEqual(Array.from({ length: 5 }, () => 'done'))
    expect([await accepted(one), await accepted(two)]).toEqual([[[1, true]], [[1, true]]])
    const log = await app.api.activityLog.list({ subject: 'DeviceDriver', objectId: one.id })
    expect(log.items.filter(({ action }) => action === 'accept')).toHaveLength(1)
    const next = await below.api.bulk.preview({ uploadId: await upload(one.title), settings: settings() })
    expect(next.drivers).toEqual([])
  })

  test('asks for the version that was chosen for all rows, in the account of the parent', async () => {
    const driver = await newDriver()
    await author.api.devicedrivers.update({ ...driver, script: `${driver.script} // 2` })
    const uploadId = await upload('')
    const choice = { driverId: driver.id, driverVersion: 1 }
    const { drivers } = await below.api.bulk.preview({ uploadId, settings: settings(choice) })
    expect(drivers).toMatchObject([{ id: driver.id, number: 1 }])
    const twin = await author.api.digitaltwin.create({ title: 'Above', accountId: author.id })
    const above = { ...settings({ ...choice, parentId: twin.id }), connectorId: author.connectorId }
    const file = new File(['Id;Title;Driver\r\nabove-1;Above;'], 'devices.csv')
    const { id } = await app.api.bulk.upload({ file })
    expect((await app.api.bulk.preview({ uploadId: id, settings: above })).drivers).toEqual([])
  })

  test('refuses rows whose driver has to be accepted by the time they are created', async () => {
    const driver = await newDriver()
    const [uploadId, other] = [await upload(driver.title, ''), await newDriver(below)]
    await app.ctx.db
      .updateTable('drivers')
      .set({ published_version: null })
      .where('id', '=', driver.id)
      .execute()
    const { id } = await below.api.bulk.import({
      title: 'Published later',
      uploadId,
      settings: settings({ driverId: other.id }),
    })
    await app.ctx.db
      .updateTable('drivers')
      .set({ published_version: 1 })
      .where('id', '=', driver.id)
      .execute()
    expect(await outcomeOf(id)).toEqual(['DEVICEDRIVER_NOT_ACCEPTED', 'done'])
    expect(await accepted(driver)).toEqual([])
  })
})
