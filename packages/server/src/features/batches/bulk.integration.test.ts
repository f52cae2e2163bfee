import { sql } from 'kysely'
import { beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  type Api,
  createAccount,
  createUser,
  errorOf,
  FakeClock,
  roleNamed,
  startApp,
  type TestApp,
} from '../../../test/kit.ts'
import { jsonb } from '../../platform/db/index.ts'

const clock = new FakeClock('2026-06-15T12:00:00.000Z')
let app: TestApp
let north: Tenant
let south: Tenant
let driverId: number

interface Tenant {
  id: number
  scopeId: number
  userId: number
  api: Api
  connectorId: number
}

beforeAll(async () => {
  app = await startApp({ clock })
  north = await tenant('North')
  south = await tenant('South')
  const driver = await north.api.devicedrivers.create({
    accountId: north.id,
    title: 'Meter driver',
    script: 'function decodeUplink({ bytes }) { return { data: { level: bytes[0] } } }',
    variables: [{ key: 'level', title: 'Level', unit: '%' }],
  })
  driverId = driver.id
})

beforeEach(() => app.drain())

async function tenant(name: string, settings: object = {}): Promise<Tenant> {
  const account = await createAccount(app, { name })
  const user = await createUser(app, account, [{ roleId: await roleNamed(app, 'Device manager') }])
  const { id } = await app.ctx.db
    .insertInto('connectors')
    .values({
      account_id: account.id,
      scope_id: account.scopeId,
      name: `${name} net`,
      kind: 'mqtt-in',
      settings: jsonb(settings),
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return { ...account, api: user.api, userId: user.id, connectorId: id }
}

let serial = 0
const newDevice = async (owner: Tenant, changes: object = {}) => {
  const externalId = `bulk-${++serial}`
  const device = { title: externalId, externalId, connectorId: owner.connectorId, ...changes }
  return (await owner.api.virtualdevice.create(device)).id
}
/** Devices in the order of their ids, in which jobs process them. */
const devices = async (owner: Tenant, count: number, changes: object = {}) => {
  const ids = await Promise.all(Array.from({ length: count }, () => newDevice(owner, changes)))
  return ids.sort((a, b) => a - b)
}

const rowsOf = async (api: Api, id: number) => (await api.job.rows({ id, limit: 1000 })).items

/** Starts a bulk edit and waits until it is over. */
async function edited(owner: Tenant, ids: number[], changes: object) {
  const mode = { kind: 'edit', changes } as const
  const { id } = await owner.api.bulk.edit({ title: 'A bulk edit', selection: { ids }, mode })
  await app.drain()
  return { job: await owner.api.job.get({ id }), rows: await rowsOf(owner.api, id) }
}

describe('a bulk edit', () => {
  test('changes what is named and leaves everything else, with an entry for each device', async () => {
    const room = await north.api.digitaltwin.create({ title: 'Cellar', accountId: north.id })
    const ids = await devices(north, 3, {
      tags: ['old', 'kept'],
      zones: ['a'],
      description: 'stays',
      keyValues: { x: '1', y: '2' },
    })
    const { job, rows } = await edited(north, ids, {
      tags: { add: ['new'], remove: ['old'] },
      groups: { add: ['Pilot'], remove: [] },
      keyValues: { set: { x: '9' }, remove: ['y'] },
      operationalStatus: 3,
      parentId: room.id,
      driver: { driverId },
      floorNumber: 2,
      disabled: true,
    })
    expect(job).toMatchObject({ state: 'done', total: 3, done: 3, result: { done: 3 } })
    expect(rows.map(({ state, objectId }) => [state, objectId])).toEqual(ids.map((id) => ['done', id]))
    expect(await north.api.virtualdevice.get({ id: ids[1] as number })).toMatchObject({
      tags: ['kept', 'new'],
      zones: ['a'],
      groups: ['Pilot'],
      keyValues: { x: '9' },
      operationalStatus: 3,
      parentId: room.id,
      driverId,
      floorNumber: 2,
      disabled: true,
      description: 'stays',
    })
    const { items } = await north.api.digitaltwin.states({ id: ids[0] as number })
    expect(items.map(({ key }) => key)).toEqual(['level'])
    const entries = await app.ctx.db
      .selectFrom('activities')
      .select(['action', 'user_id'])
      .where('object_id', '=', ids[0] as number)
      .where('action', 'in', ['update', 'disable'])
      .orderBy('id')
      .execute()
    expect(entries).toEqual([
      { action: 'update', user_id: north.userId },
      { action: 'disable', user_id: north.userId },
    ])
  })

  test('says which devices are as they should be already', async () => {
    const ids = await devices(north, 2, { operationalStatus: 4 })
    ids.push(await newDevice(north))
    const { job } = await edited(north, ids, { operationalStatus: 4 })
    expect(job.result).toEqual({ unchanged: 2, done: 1 })
  })

  test('tells why a device could not be changed, and tries only that one again', async () => {
    const full = Array.from({ length: 50 }, (_, at) => `tag ${at}`)
    const [fine, crowded] = [await newDevice(north), await newDevice(north, { tags: full })]
    const { job, rows } = await edited(north, [fine, crowded], { tags: { add: ['one more'] } })
    expect(job).toMatchObject({
      state: 'done',
      done: 2,
      result: { done: 1, failed: 1, 'failed:VALIDATION_ERROR': 1 },
    })
    expect(rows.find(({ objectId }) => objectId === crowded)).toMatchObject({
      state: 'failed',
      faults: [{ code: 'VALIDATION_ERROR', column: null }],
    })
    const device = await north.api.virtualdevice.get({ id: crowded })
    await north.api.virtualdevice.update({ ...device, tags: ['few'] })
    expect(await north.api.job.retry({ id: job.id })).toMatchObject({ state: 'created', done: 1 })
    await app.drain()
    expect(await north.api.job.get({ id: job.id })).toMatchObject({
      state: 'done',
      done: 2,
      result: { done: 2 },
    })
    expect((await north.api.virtualdevice.get({ id: crowded })).tags).toEqual(['few', 'one more'])
    expect(await errorOf(north.api.job.retry({ id: job.id }))).toMatchObject({ code: 'BACKGROUND_JOB_STATE' })
  })

  test('takes what matches a filter when it starts', async () => {
    const ids = await devices(north, 3, { tags: ['by filter'] })
    await devices(south, 1, { tags: ['by filter'] })
    const selection = { filter: { tags: ['by filter'] } }
    expect(await north.api.bulk.selection({ selection })).toEqual({
      devices: 3,
      devicesMax: 500,
      remote: 0,
      accounts: [{ id: north.id, name: 'North' }],
    })
    const mode = { kind: 'edit', changes: { description: 'chosen' } } as const
    const { id } = await north.api.bulk.edit({ title: 'By filter', selection, mode })
    await app.drain()
    expect((await rowsOf(north.api, id)).map(({ objectId }) => objectId)).toEqual(ids)
  })

  test('ends after the page at work when it is cancelled; what is done stays, and it can go on', async () => {
    const ids = await devices(north, 60)
    const mode = { kind: 'edit', changes: { description: 'edited' } } as const
    const { id } = await north.api.bulk.edit({ title: 'Cancelled', selection: { ids }, mode })
    // The 30th device is locked: the job waits for it on its second page.
    const held = ids[29] as number
    let canceled: Promise<unknown> | undefined
    await app.ctx.db.transaction().execute(async (tx) => {
      await sql`select from twins where id = ${held} for update`.execute(tx)
      const draining = app.drain()
      for (let done = 0; done < 25; done = (await north.api.job.get({ id })).done);
      await north.api.job.cancel({ id })
      canceled = draining
    })
    await canceled
    const job = await north.api.job.get({ id })
    expect(job).toMatchObject({ state: 'canceled', total: 60, done: 50, result: { done: 50 } })
    const rows = await rowsOf(north.api, id)
    expect(rows.filter(({ state }) => state === 'waiting')).toHaveLength(10)
    expect((await north.api.virtualdevice.get({ id: held })).description).toBe('edited')
    expect((await north.api.virtualdevice.get({ id: ids[59] as number })).description).toBe('')
    await north.api.job.retry({ id })
    await app.drain()
    expect(await north.api.job.get({ id })).toMatchObject({ state: 'done', done: 60, result: { done: 60 } })
  })

  test('does what its owner may still do when it runs', async () => {
    const [here] = await devices(north, 1)
    const [there] = await devices(south, 1)
    const roleId = await roleNamed(app, 'Device manager')
    const manager = await createUser(app, north, [{ roleId }, { roleId, scopeId: south.scopeId }])
    const mode = { kind: 'edit', changes: { description: 'too late' } } as const
    const selection = { ids: [here as number, there as number] }
    const { id } = await manager.api.bulk.edit({ title: 'Taken away', selection, mode })
    const access = app.ctx.db.deleteFrom('user_access').where('user_id', '=', manager.id)
    await access.where('scope_id', '=', north.scopeId).execute()
    app.app.people.forgetRights()
    await app.drain()
    const { items } = await app.api.job.rows({ id })
    expect(items).toMatchObject([
      { state: 'failed', faults: [{ code: 'VDEVICE_NOT_FOUND' }] },
      { state: 'done', objectId: there },
    ])
  })

  test('deletes devices whose number was typed, but none with states aggregated elsewhere', async () => {
    const ids = await devices(north, 3, { driverId })
    const twin = await north.api.digitaltwin.create({ title: 'Sum', accountId: north.id })
    const { items } = await north.api.digitaltwin.states({ id: ids[1] as number })
    await north.api.state.create({
      dtwinId: twin.id,
      key: 'sum',
      title: 'Sum',
      source: 'aggregate',
      sourceSettings: { stateIds: [items[0]?.id ?? 0], method: 'sum' },
    })
    const remove = (count: number) =>
      north.api.bulk.edit({ title: 'Remove', selection: { ids }, mode: { kind: 'delete', count } })
    expect(await errorOf(remove(2))).toMatchObject({ code: 'BULK_COUNT', data: { count: 3 } })
    const { id } = await remove(3)
    await app.drain()
    expect((await rowsOf(north.api, id)).map(({ state, faults }) => [state, faults[0]?.code])).toEqual([
      ['done', undefined],
      ['failed', 'VDEVICE_DELETE_STATES_AGGREGATED'],
      ['done', undefined],
    ])
    const left = await north.api.virtualdevice.list({ ids, ids_only: true })
    expect(left.ids).toEqual([ids[1]])
  })

  test('demands a title of 5 to 100 characters, one account, no overlap, and no more than the limit', async () => {
    const own = await newDevice(north)
    const other = await newDevice(south)
    const start = (ids: number[], changes: object, title = 'A bulk edit', api = app.api) =>
      errorOf(api.bulk.edit({ title, selection: { ids }, mode: { kind: 'edit', changes } }))
    expect(await start([own], { disabled: true }, 'four')).toMatchObject({
      code: 'PARAMETER_VALIDATION_ERROR',
    })
    expect(await start([own], { disabled: true }, 'x'.repeat(101))).toMatchObject({
      code: 'PARAMETER_VALIDATION_ERROR',
    })
    expect(await start([own], {})).toMatchObject({ code: 'PARAMETER_VALIDATION_ERROR' })
    for (const field of ['tags', 'zones', 'groups'])
      expect(await start([own], { [field]: { add: ['a'], remove: ['a'] } })).toMatchObject({
        code: 'PARAMETER_VALIDATION_ERROR',
      })
    for (const changes of [
      { tags: { add: ['a'] } },
      { groups: { add: ['a'] } },
      { driver: { driverId } },
      { parentId: 1 },
    ])
      expect(await start([own, other], changes)).toMatchObject({ code: 'BULK_SEVERAL_ACCOUNTS' })
    expect(await start([own, other], { disabled: true }, 'Not mine', north.api)).toMatchObject({
      code: 'VDEVICE_NOT_FOUND',
    })
    const { version } = await app.api.tenant.get({ id: north.id })
    await app.api.tenant.setBulkLimit({ id: north.id, version, devices: 1 })
    expect(await start([own, await newDevice(north)], { disabled: true })).toMatchObject({
      code: 'BACKGROUND_JOB_TOO_LARGE',
      data: { devicesMax: 1 },
    })
    await app.api.tenant.setBulkLimit({ id: north.id, version: version + 1, devices: 50_000 })
    expect(await north.api.bulk.selection({ selection: { ids: [own] } })).toMatchObject({
      devicesMax: 50_000,
    })
    expect(
      await errorOf(north.api.tenant.setBulkLimit({ id: north.id, version: 1, devices: 1 })),
    ).toMatchObject({
      code: 'NO_PERMISSION',
    })
  })

  test('is deleted only while it is queued', async () => {
    const mode = { kind: 'edit', changes: { description: 'never' } } as const
    const ids = await devices(north, 1)
    // A job may begin before it is deleted: then another one is tried.
    const id = await vi.waitFor(async () => {
      const queued = await north.api.bulk.edit({ title: 'Never begun', selection: { ids }, mode })
      await north.api.job.delete({ id: queued.id })
      return queued.id
    }, 60_000)
    expect(await errorOf(north.api.job.get({ id }))).toMatchObject({ code: 'BACKGROUND_JOB_NOT_FOUND' })
    const { job } = await edited(north, await devices(north, 1), { description: 'done' })
    expect(await errorOf(north.api.job.delete({ id: job.id }))).toMatchObject({
      code: 'BACKGROUND_JOB_STATE',
    })
  })
})

test('a direct change of several devices is made for all or none of them', async () => {
  const ids = await devices(north, 2)
  expect(await north.api.bulk.update({ ids, changes: { operationalStatus: 2 } })).toEqual({
    changed: 2,
    unchanged: 0,
  })
  const full = Array.from({ length: 50 }, (_, at) => `tag ${at}`)
  const crowded = await newDevice(north, { tags: full })
  const changes = { description: 'all or none', tags: { add: ['one more'], remove: [] } }
  const failed = await errorOf(north.api.bulk.update({ ids: [...ids, crowded], changes }))
  expect(failed).toMatchObject({ code: 'VALIDATION_ERROR' })
  expect((await north.api.virtualdevice.get({ id: ids[0] as number })).description).toBe('')
})

describe('an import', () => {
  const columns = [
    { column: 0, target: 'externalId' },
    { column: 1, target: 'title' },
    { column: 2, target: 'latitude' },
    { column: 3, target: 'longitude' },
    { column: 4, target: 'driver' },
    { column: 5, target: 'parent' },
    { column: 6, target: 'tags' },
    { column: 7, target: 'keyValue', name: 'serial' },
  ] as const
  const header = 'DevEUI;Name;Breite;Länge;Treiber;Ort;Tags;Seriennummer'
  const fileOf = (lines: string[], name = 'devices.csv') => new File([[header, ...lines].join('\r\n')], name)
  const settingsOf = (owner: Tenant) => ({ connectorId: owner.connectorId, columns: [...columns] })

  test('finds every fault of a row, creates the others, and gives back the faulty ones to be mended', async () => {
    await north.api.digitaltwin.create({ title: 'Halle 7', accountId: north.id })
    await newDevice(north, { externalId: 'taken' })
    const file = fileOf([
      'a8-17-58-ff-fe-00-10-01;Zähler 1;53,55;9,99;meter driver;halle 7;"a,b";S1',
      'A81758FFFE001001;Zähler doppelt;;;;;;',
      'taken;Vergeben;;;;;;',
      ';Ohne Kennung;91;10;;;;',
      'ok-2;Nur Breite;53.5;;;;;',
      'ok-3;Worte;nördlich;östlich;Kein Treiber;Nirgends;;',
      'ok-4;Gut;;;;;;',
    ])
    const upload = await north.api.bulk.upload({ file })
    expect(upload).toMatchObject({ fileName: 'devices.csv', rows: 7 })
    expect(upload.columns.map(({ title, target }) => [title, target])).toEqual([
      ...[
        ['DevEUI', 'externalId'],
        ['Name', 'title'],
        ['Breite', 'latitude'],
        ['Länge', 'longitude'],
      ],
      ...[
        ['Treiber', 'driver'],
        ['Ort', null],
        ['Tags', 'tags'],
        ['Seriennummer', null],
      ],
    ])
    const settings = settingsOf(north)
    const preview = await north.api.bulk.preview({ uploadId: upload.id, settings })
    expect(preview).toMatchObject({ rows: 7, valid: 2, faulty: 5 })
    const fault = (column: string | null, code: string) => ({ column, code })
    expect(preview.faults.map(({ row, faults }) => [row, faults])).toEqual([
      [3, [fault('DevEUI', 'DOUBLE_IN_FILE')]],
      [4, [fault('DevEUI', 'DEVICE_ALREADY_EXISTS')]],
      [5, [fault('DevEUI', 'REQUIRED'), fault('Breite', 'OUT_OF_RANGE')]],
      [6, [fault('Länge', 'POSITION_INCOMPLETE')]],
      [
        7,
        [
          ...[fault('Breite', 'NO_NUMBER'), fault('Länge', 'NO_NUMBER')],
          ...[fault('Treiber', 'DEVICEDRIVER_NOT_FOUND'), fault('Ort', 'DTWIN_NOT_FOUND')],
        ],
      ],
    ])
    const start = { title: 'First import', uploadId: upload.id, settings }
    expect(await errorOf(north.api.bulk.import(start))).toMatchObject({
      code: 'BULK_ROWS_FAULTY',
      data: { faulty: 5, rows: 7 },
    })
    const { id } = await north.api.bulk.import({ ...start, skipFaulty: true })
    await app.drain()
    expect(await north.api.job.get({ id })).toMatchObject({
      state: 'done',
      total: 7,
      done: 7,
      result: { done: 2, failed: 5, 'failed:REQUIRED': 1, 'failed:DEVICE_ALREADY_EXISTS': 1 },
    })
    const [first] = await rowsOf(north.api, id)
    expect(first).toMatchObject({ row: 2, state: 'done', title: 'Zähler 1' })
    const device = await north.api.virtualdevice.get({ id: first?.objectId ?? 0 })
    expect(device).toMatchObject({
      externalId: 'A81758FFFE001001',
      title: 'Zähler 1',
      latitude: 53.55,
      longitude: 9.99,
      driverId,
      parentTitle: 'Halle 7',
      tags: ['a', 'b'],
      keyValues: { serial: 'S1' },
    })
    expect(await errorOf(north.api.bulk.preview({ uploadId: upload.id, settings }))).toMatchObject({
      code: 'BULK_UPLOAD_NOT_FOUND',
    })

    const { body } = await north.api.job.failedCsv({ id, language: 'de' })
    const text = await (body as Blob).text()
    const lines = text.trim().split('\r\n')
    expect(lines).toHaveLength(6)
    expect(lines[0]).toBe(
      `\uFEFF${header};Fehler`.replace('\uFEFF', lines[0]?.startsWith('\uFEFF') ? '\uFEFF' : ''),
    )
    expect(lines[3]).toBe(';Ohne Kennung;91;10;;;;;DevEUI: REQUIRED | Breite: OUT_OF_RANGE')
    const mended = text.replace(';Ohne Kennung;91;', 'ok-5;Mit Kennung;51;')
    const again = await north.api.bulk.upload({ file: new File([mended], 'mended.csv') })
    expect(await north.api.bulk.preview({ uploadId: again.id, settings })).toMatchObject({
      rows: 5,
      valid: 1,
    })
  })

  test('says the same of what the caller may not see as of what does not exist', async () => {
    const foreign = await south.api.devicedrivers.create({
      accountId: south.id,
      title: 'Foreign driver',
      script: 'function decodeUplink() { return { data: {} } }',
    })
    const hall = await south.api.digitaltwin.create({ title: 'Foreign hall', accountId: south.id })
    const ownHall = await north.api.digitaltwin.create({ title: 'Own hall', accountId: north.id })
    const outcome = async (cells: string, choice: object = {}) => {
      // The oldest of several files are deleted.
      clock.advance(1000)
      const upload = await north.api.bulk.upload({ file: fileOf([`dry-${++serial};Dry;;;${cells};;`]) })
      const settings = { ...settingsOf(north), ...choice }
      const preview = await north.api.bulk.preview({ uploadId: upload.id, settings })
      return { valid: preview.valid, faults: preview.faults.map(({ faults }) => faults) }
    }
    const nowhere = 999_999
    const found = [
      [await outcome(`${foreign.id};`), await outcome(`${nowhere};`)],
      [await outcome('Foreign driver;'), await outcome('No driver;')],
      [await outcome(`;${hall.id}`), await outcome(`;${nowhere}`)],
      [await outcome(';', { driverId: foreign.id }), await outcome(';', { driverId: nowhere })],
      [
        await outcome(';', { driverId: foreign.id, driverVersion: 1 }),
        await outcome(';', { driverId: driverId, driverVersion: 99 }),
      ],
      [await outcome(';', { parentId: hall.id }), await outcome(';', { parentId: nowhere })],
    ] as const
    for (const [unseen, missing] of found) {
      expect(unseen.valid).toBe(0)
      expect(unseen).toEqual(missing)
    }
    expect(await outcome(';', { driverId, driverVersion: 1, parentId: ownHall.id })).toMatchObject({
      valid: 1,
    })
  })

  test('notes for each row what is refused when it is created', async () => {
    const small = await tenant('Small')
    const { version } = await app.api.tenant.get({ id: small.id })
    await app.api.tenant.setTemplateLimits({ id: small.id, version, devices: 2 })
    const upload = await small.api.bulk.upload({
      file: fileOf(['l1;One;;;;;;', 'l2;Two;;;;;;', 'l3;Three;;;;;;']),
    })
    const { id } = await small.api.bulk.import({
      title: 'Beyond the limit',
      uploadId: upload.id,
      settings: settingsOf(small),
    })
    await app.drain()
    expect((await rowsOf(small.api, id)).map(({ state, faults }) => [state, faults[0]?.code])).toEqual([
      ['done', undefined],
      ['done', undefined],
      ['failed', 'TENANT_DEVICE_LIMIT'],
    ])
  })

  test('makes as many devices as the account may have, though some are made side by side', async () => {
    const limited = await tenant('Limited')
    const { version } = await app.api.tenant.get({ id: limited.id })
    await app.api.tenant.setTemplateLimits({ id: limited.id, version, devices: 130 })
    const lines = Array.from({ length: 220 }, (_, at) => `beside-${at};Device ${at};;;;;;`)
    const upload = await limited.api.bulk.upload({ file: fileOf(lines) })
    const settings = settingsOf(limited)
    const { id } = await limited.api.bulk.import({ title: 'Side by side', uploadId: upload.id, settings })
    await app.drain()
    expect(await limited.api.job.get({ id })).toMatchObject({
      state: 'done',
      done: 220,
      result: { done: 130, 'failed:TENANT_DEVICE_LIMIT': 90 },
    })
    expect((await limited.api.virtualdevice.list({ limit: 1 })).total).toBe(130)
  })

  test('of a network server needs an EUI-64 in every row: DEVICE_EUI_INVALID', async () => {
    const net = await tenant('ChirpStack', { preset: 'chirpstack-v4' })
    const file = fileOf(['a8:17:58:ff:fe:00:20:01;Good;;;;;;', 'a81758fffe0020;Too short;;;;;;'])
    const upload = await net.api.bulk.upload({ file })
    const preview = await net.api.bulk.preview({ uploadId: upload.id, settings: settingsOf(net) })
    expect(preview).toMatchObject({ valid: 1, faulty: 1 })
    expect(preview.faults).toMatchObject([
      { row: 3, faults: [{ code: 'DEVICE_EUI_INVALID', column: 'DevEUI' }] },
    ])
  })

  test('creates hundreds of devices, each with its states and entry', async () => {
    const big = await tenant('Big')
    const lines = Array.from({ length: 450 }, (_, at) => `many-${at};Device ${at};;;;;;`)
    const upload = await big.api.bulk.upload({ file: fileOf(lines) })
    const driver = await big.api.devicedrivers.create({
      accountId: big.id,
      title: 'Own',
      script: 'function decodeUplink() { return { data: { a: 1 } } }',
      variables: [
        { key: 'a', title: '', unit: '' },
        { key: 'b', title: '', unit: '' },
      ],
    })
    await big.api.devicedrivers.publish({ id: driver.id, number: 1 })
    const { id } = await big.api.bulk.import({
      title: 'Many devices',
      uploadId: upload.id,
      settings: { ...settingsOf(big), driverId: driver.id, tags: ['imported'] },
    })
    await app.drain()
    expect(await big.api.job.get({ id })).toMatchObject({ state: 'done', result: { done: 450 } })
    const rows = await rowsOf(big.api, id)
    const ids = rows.map(({ objectId }) => objectId)
    expect(new Set(ids).size).toBe(450)
    const { items } = await big.api.virtualdevice.list({ tags: ['imported'], limit: 1000 })
    expect(items).toHaveLength(450)
    for (const { row, objectId, title } of rows)
      expect(items.find((device) => device.id === objectId)).toMatchObject({
        title,
        externalId: `many-${row - 2}`,
      })
    const counted = await app.ctx.db
      .selectFrom('states')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('twin_id', 'in', ids as number[])
      .executeTakeFirstOrThrow()
    expect(Number(counted.count)).toBe(900)
    const entries = await app.ctx.db
      .selectFrom('activities')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('account_id', '=', big.id)
      .where('action', '=', 'create')
      .where('subject', '=', 'VirtualDevice')
      .executeTakeFirstOrThrow()
    expect(Number(entries.count)).toBe(450)
  })

  test('refuses files that are none, too large, or of somebody else, and connectors out of reach', async () => {
    const upload = (content: string, name = 'x.csv') =>
      north.api.bulk.upload({ file: new File([content], name) })
    expect(await errorOf(upload(header))).toMatchObject({ code: 'BULK_FILE_EMPTY' })
    expect(await errorOf(upload('a;b\n"open;1'))).toMatchObject({ code: 'BULK_FILE_UNREADABLE' })
    expect(await errorOf(upload('PK\u0003\u0004 no archive', 'x.xlsx'))).toMatchObject({
      code: 'BULK_FILE_UNREADABLE',
    })
    expect(await errorOf(upload('x'.repeat(11 * 1_048_576)))).toMatchObject({ code: 'BODY_TOO_LARGE' })
    const rows = Array.from({ length: 50_001 }, (_, at) => `n${at};n`).join('\n')
    expect(await errorOf(upload(`id;name\n${rows}`))).toMatchObject({ code: 'BACKGROUND_JOB_TOO_LARGE' })
    const mine = await north.api.bulk.upload({ file: fileOf(['s1;S;;;;;;']) })
    expect(
      await errorOf(south.api.bulk.preview({ uploadId: mine.id, settings: settingsOf(south) })),
    ).toMatchObject({
      code: 'BULK_UPLOAD_NOT_FOUND',
    })
    expect(
      await errorOf(north.api.bulk.preview({ uploadId: mine.id, settings: settingsOf(south) })),
    ).toMatchObject({
      code: 'CONNECTOR_NOT_FOUND',
    })
    const tooMany = await south.api.bulk.upload({
      file: fileOf(Array.from({ length: 501 }, (_, at) => `t${at};T;;;;;;`)),
    })
    expect(
      await errorOf(
        south.api.bulk.import({ title: 'Too many', uploadId: tooMany.id, settings: settingsOf(south) }),
      ),
    ).toMatchObject({ code: 'BACKGROUND_JOB_TOO_LARGE', data: { devicesMax: 500 } })
  })
})
