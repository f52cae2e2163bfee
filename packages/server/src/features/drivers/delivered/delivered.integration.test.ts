import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import {
  type Api,
  createAccount,
  createUser,
  errorOf,
  roleNamed,
  startApp,
  type TestApp,
} from '../../../../test/kit.ts'
import { installLibrary } from '../install.ts'
import { libraryDrivers } from '../library/index.ts'

let app: TestApp
/** Manages devices and drivers of an account below the topmost one. */
let below: Api
beforeAll(async () => {
  app = await startApp()
  const account = await createAccount(app, { name: 'Below' })
  below = (await createUser(app, account, [{ roleId: await roleNamed(app, 'Device manager') }])).api
})

const stateOf = async (key: string) => {
  const { items } = await app.api.devicedrivers.library({ limit: 1000 })
  return items.find((entry) => entry.key === key)?.state
}

/** Makes the installed version an older one, as after an upgrade of the platform. */
async function age(key: string, change: string): Promise<number> {
  const { driverId } = await app.api.devicedrivers.libraryDriver({ key })
  if (driverId === null) throw new Error(`${key} is not installed`)
  await app.ctx.db
    .insertInto('driver_versions')
    .columns([
      'driver_id',
      ...(['number', 'parser', 'script', 'calculated', 'variables', 'golden', 'health'] as const),
      ...(['note', 'created_by', 'delivered', 'created_at', 'published_at'] as const),
    ])
    .expression(
      sql`select driver_id, number + 1, parser, ${change}, calculated, '[{"key":"old","unit":"","title":""}]', golden, health,
        note, created_by, delivered, created_at, published_at from driver_versions where driver_id = ${driverId}`,
    )
    .execute()
  await app.ctx.db.updateTable('drivers').set({ published_version: 2 }).where('id', '=', driverId).execute()
  return driverId
}

describe('the first start', () => {
  test('installs all delivered drivers, published, for everyone', async () => {
    const { items } = await below.devicedrivers.list({ limit: 1000 })
    const delivered = items.filter((driver) => driver.delivered)
    expect(delivered).toHaveLength(libraryDrivers().length)
    expect(delivered.every(({ publishedVersion }) => publishedVersion === 1)).toBe(true)
    const library = await below.devicedrivers.library({ limit: 1000 })
    expect(library.counts).toEqual({ available: 0, updatable: 0, current: libraryDrivers().length })
    const log = await app.api.activityLog.list({ subject: 'DeviceDriver', action: 'install' })
    expect(log.items).toHaveLength(1)
  })

  test('is the only one that installs by itself', async () => {
    expect(await installLibrary(app.ctx)).toBe(0)
  })
})

test('drivers are listed with those that came along, or without', async () => {
  const delivered = await below.devicedrivers.list({ delivered: true, limit: 1 })
  expect(delivered.total).toBe(libraryDrivers().length)
  expect((await below.devicedrivers.list({ delivered: false })).items).toEqual([])
})

test('the library is searched and filtered', async () => {
  const page = await below.devicedrivers.library({ search: 'dragino lht65', limit: 5 })
  expect(page).toMatchObject({ total: 1, items: [{ key: 'dragino-lht65', state: 'current' }] })
  expect(page.manufacturers.length).toBeGreaterThanOrEqual(15)
  const leaks = await below.devicedrivers.library({ categories: ['leak'], limit: 100 })
  expect(new Set(leaks.items.map(({ category }) => category))).toEqual(new Set(['leak']))
})

describe('a delivered driver that is not installed', () => {
  test('is installed by one call, as it comes, and once however often it is asked for', async () => {
    const { driverId } = await app.api.devicedrivers.libraryDriver({ key: 'nwave-nps310' })
    await app.api.devicedrivers.delete({ id: driverId ?? 0 })
    expect(await stateOf('nwave-nps310')).toBe('available')
    expect(await installLibrary(app.ctx)).toBe(0)
    const [one, two] = await Promise.all([
      app.api.devicedrivers.install({ key: 'nwave-nps310' }),
      app.api.devicedrivers.install({ key: 'nwave-nps310' }),
    ])
    expect(one).toEqual(two)
    expect(await stateOf('nwave-nps310')).toBe('current')
    expect(await below.devicedrivers.get({ id: one.driverId })).toMatchObject({
      delivered: true,
      visibility: 'everyone',
      publishedVersion: 1,
      editable: false,
    })
    const log = await app.api.activityLog.list({ subject: 'DeviceDriver', objectId: one.driverId })
    expect(log.items.map(({ action }) => action)).toEqual(['install'])
  })

  test('is installed by nobody who does not manage the drivers of the topmost account', async () => {
    expect(await errorOf(below.devicedrivers.install({ key: 'elsys-ers' }))).toMatchObject({
      code: 'NO_PERMISSION',
    })
    expect(await below.devicedrivers.libraryDriver({ key: 'elsys-ers' })).toMatchObject({
      installable: false,
    })
    expect(await below.devicedrivers.library({})).toMatchObject({ installable: false })
    expect(await app.api.devicedrivers.library({})).toMatchObject({ installable: true })
    expect(await errorOf(app.api.devicedrivers.install({ key: 'nobody-nothing' }))).toMatchObject({
      code: 'DEVICEDRIVER_NOT_FOUND',
    })
  })
})

describe('a newer delivered version', () => {
  test('waits until somebody takes it, and says what it changes', async () => {
    const driverId = await age('dragino-lht65', 'function decodeUplink() { return { data: { old: 1 } } }')
    expect(await stateOf('dragino-lht65')).toBe('updatable')
    expect(await installLibrary(app.ctx)).toBe(0)
    const { installed } = await app.api.devicedrivers.libraryDriver({ key: 'dragino-lht65' })
    expect(installed).toMatchObject({
      number: 2,
      changes: { script: true, variables: { removed: ['old'] } },
      mismatches: [],
    })
    expect(installed?.changes?.variables.added).toContain('temperature')
    expect(await errorOf(app.api.devicedrivers.upgrade({ key: 'dragino-lht65', version: 99 }))).toMatchObject(
      { code: 'VERSION_CONFLICT' },
    )
    const version = installed?.version ?? 0
    expect(await app.api.devicedrivers.upgrade({ key: 'dragino-lht65', version })).toEqual({
      driverId,
      number: 3,
    })
    expect(await stateOf('dragino-lht65')).toBe('current')
    expect(await app.api.devicedrivers.get({ id: driverId })).toMatchObject({
      publishedVersion: 3,
      versions: [
        { number: 3, delivered: true },
        { number: 2, delivered: true },
        { number: 1, delivered: true },
      ],
    })
  })

  test('is told from one of a person by more than the name of who made it', async () => {
    const { driverId } = await app.api.devicedrivers.libraryDriver({ key: 'dragino-ldds75' })
    const driver = await app.api.devicedrivers.get({ id: driverId ?? 0 })
    const own = await app.api.devicedrivers.update({ ...driver, variables: driver.variables.slice(1) })
    await app.ctx.db
      .updateTable('driver_versions')
      .set({ created_by: 'Leitstand' })
      .where('driver_id', '=', driver.id)
      .execute()
    expect(own.versions).toMatchObject([
      { number: 2, delivered: false },
      { number: 1, delivered: true },
    ])
    expect(await stateOf('dragino-ldds75')).toBe('current')
  })

  test('that was changed here says so until the delivered version is in use again', async () => {
    const { driverId } = await app.api.devicedrivers.libraryDriver({ key: 'dragino-ldds75' })
    const id = driverId ?? 0
    const modified = async () => [
      (await app.api.devicedrivers.get({ id })).modified,
      (await app.api.devicedrivers.libraryDriver({ key: 'dragino-ldds75' })).modified,
    ]
    expect(await modified()).toEqual([true, true])
    await app.api.devicedrivers.publish({ id, number: 1 })
    expect(await modified()).toEqual([false, false])
  })

  test('is marked in the list of drivers', async () => {
    const driverId = await age('dragino-cpl01', 'function decodeUplink() { return { data: { old: 1 } } }')
    const { items } = await app.api.devicedrivers.list({ search: 'CPL01' })
    expect(items).toMatchObject([{ id: driverId, delivered: true, updatable: true, pictureId: null }])
    const { items: others } = await app.api.devicedrivers.list({ search: 'LLMS01' })
    expect(others).toMatchObject([{ delivered: true, updatable: false }])
  })

  test('can be taken without using it yet', async () => {
    const driverId = await age('dragino-lse01', 'function decodeUplink() { return { data: {} } }')
    const { installed } = await app.api.devicedrivers.libraryDriver({ key: 'dragino-lse01' })
    await app.api.devicedrivers.upgrade({
      key: 'dragino-lse01',
      version: installed?.version ?? 0,
      publish: false,
    })
    expect(await app.api.devicedrivers.get({ id: driverId })).toMatchObject({
      publishedVersion: 2,
      latestVersion: 3,
    })
    expect(await stateOf('dragino-lse01')).toBe('current')
  })

  test('is refused where own golden packets decode differently, unless that is wanted', async () => {
    const key = 'terabee-level-monitor-xl'
    const driverId = await age(key, 'function decodeUplink() { return { data: { old: 1 } } }')
    await app.ctx.db
      .updateTable('driver_versions')
      .set({
        golden: sql`golden || '[{"title":"mine","fPort":1,"payload":"03e8000e1000","encoding":"base16","expected":{"old":1}}]'`,
      })
      .where('driver_id', '=', driverId)
      .where('number', '=', 2)
      .execute()
    const { installed } = await app.api.devicedrivers.libraryDriver({ key })
    expect(installed?.mismatches).toMatchObject([{ title: 'mine' }])
    const version = installed?.version ?? 0
    expect(await errorOf(app.api.devicedrivers.upgrade({ key, version }))).toMatchObject({
      code: 'DEVICEDRIVER_GOLDEN_MISMATCH',
      data: { mismatches: [{ title: 'mine' }] },
    })
    await app.api.devicedrivers.upgrade({ key, version, acceptGolden: true })
    const after = await app.api.devicedrivers.get({ id: driverId })
    expect(after.golden.at(-1)).toMatchObject({ title: 'mine', expected: { distance: 1000 } })
    expect(await stateOf(key)).toBe('current')
  })
})
