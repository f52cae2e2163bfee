import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type Api,
  createAccount,
  createUser,
  errorOf,
  FakeClock,
  roleNamed,
  startApp,
  type TestApp,
} from '../../../../test/kit.ts'
import { createConnector, createDevice } from '../../../../test/pipeline.ts'

const clock = new FakeClock()
let app: TestApp
let account: { id: number; scopeId: number }
let api: Api
let building: number
beforeAll(async () => {
  app = await startApp({ clock })
  account = await createAccount(app)
  api = (await createUser(app, account, [{ roleId: await roleNamed(app, 'Account administrator') }])).api
  building = (await api.digitaltwin.create({ title: 'Building', accountId: account.id })).id
})
afterAll(() => app[Symbol.asyncDispose]())

const create = (figure: string, change: object = {}, by = api) =>
  by.state.create({
    dtwinId: building,
    key: figure,
    title: figure,
    source: 'system',
    sourceSettings: { figure: figure as 'devices' },
    ...change,
  })
const values = async () => {
  // A value of the same millisecond would be the one that a look in the background has stored.
  clock.advance(1000)
  await app.app.devices.lookAtFigures()
  const { items } = await api.digitaltwin.states({ id: building })
  return Object.fromEntries(items.map(({ key, value }) => [key, value]))
}

describe('figures of the platform', () => {
  test('follow the devices below a twin', async () => {
    for (const figure of ['devices', 'devicesWithErrors', 'packetsPerDay']) await create(figure)
    await create('lastSeen', { valueType: 'text' })
    expect(await values()).toEqual({ devices: 0, devicesWithErrors: 0, packetsPerDay: 0, lastSeen: null })
    const room = await api.digitaltwin.create({ title: 'Room', accountId: account.id, parentId: building })
    const connector = await createConnector(app, account.id, account.scopeId)
    const device = await createDevice(app, connector, 'A1')
    await createDevice(app, connector, 'elsewhere')
    await sql`update twins set parent_id = ${room.id} where id = ${device}`.execute(app.ctx.db)
    const seen = new Date(clock.now().getTime() - 1000)
    await sql`update device_live set health = 2, last_seen = ${seen} where twin_id = ${device}`.execute(
      app.ctx.db,
    )
    await app.app.series.prepareMonths('packets', [seen])
    for (const hours of [0, 1, 25])
      await sql`
        insert into packets (received_at, time, account_id, connector_id, device_id, payload, encoding, meta, duration_us)
        values (${new Date(seen.getTime() - hours * 3_600_000)}, ${seen}, ${account.id}, ${connector.id}, ${device}, '{}',
          'json', '{}', 0)`.execute(app.ctx.db)
    expect(await values()).toEqual({
      devices: 1,
      devicesWithErrors: 1,
      packetsPerDay: 2,
      lastSeen: seen.toISOString(),
    })
  })

  test('can be seen before a state shows them', async () => {
    const now = async (figure: 'devices' | 'packetsPerDay' | 'lastSeen' | 'freeDisk', by = api) =>
      (await by.systemFigure.value({ id: building, figure })).value
    const { lastSeen } = await values()
    expect([await now('devices'), await now('packetsPerDay'), await now('lastSeen')]).toEqual([
      1,
      2,
      lastSeen,
    ])
    expect(await errorOf(now('freeDisk'))).toMatchObject({ code: 'NO_PERMISSION' })
    expect(await now('freeDisk', app.api)).toBeGreaterThan(0)
    const other = await createAccount(app)
    const stranger = await createUser(app, other, [{ roleId: await roleNamed(app, 'Account administrator') }])
    expect(await errorOf(now('devices', stranger.api))).toMatchObject({ code: 'DTWIN_NOT_FOUND' })
  })

  test('are stored once while they stay the same', async () => {
    const { items } = await api.digitaltwin.states({ id: building })
    const count = async () =>
      (
        await sql`select from state_values where state_id = any(${items.map(({ id }) => id)}::int[])`.execute(
          app.ctx.db,
        )
      ).rows.length
    const before = await count()
    clock.advance(60_000)
    await values()
    expect(await count()).toBe(before)
  })

  test('of the disk are only for administrators of the installation', async () => {
    expect(await errorOf(create('freeDisk'))).toMatchObject({ code: 'NO_PERMISSION' })
    await create('freeDisk', {}, app.api)
    expect((await values()).freeDisk).toBeGreaterThan(0)
  })

  test.each([
    ['no figure', { sourceSettings: {} }, 'sourceSettings.figure'],
    ['a number for a time', { sourceSettings: { figure: 'lastSeen' } }, 'valueType'],
    ['a text for a number', { sourceSettings: { figure: 'devices' }, valueType: 'text' }, 'valueType'],
  ])('are refused with %s', async (_, change, field) => {
    const error = await errorOf(create('devices', { key: 'refused', ...change }))
    expect(error).toMatchObject({ code: 'VALIDATION_ERROR', data: { field } })
  })
})
