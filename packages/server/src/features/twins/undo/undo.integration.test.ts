import { undoMinutes } from '@leitstand/contract/twinUndo'
import { sql } from 'kysely'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  type Api,
  createAccount,
  createRole,
  createUser,
  errorOf,
  FakeClock,
  roleNamed,
  startApp,
  type TestApp,
} from '../../../../test/kit.ts'
import { deleteOldUndos } from './store.ts'

const clock = new FakeClock('2026-03-04T08:00:00.000Z')
let app: TestApp
let north: Tenant

interface Tenant {
  id: number
  scopeId: number
  api: Api
  connectorId: number
}

beforeAll(async () => {
  app = await startApp({ clock })
  north = await tenant('North')
})

beforeEach(() => app.drain())

async function tenant(name: string): Promise<Tenant> {
  const account = await createAccount(app, { name })
  const { api } = await createUser(app, account, [
    { roleId: await roleNamed(app, 'Operator') },
    { roleId: await roleNamed(app, 'Device manager') },
  ])
  const { id: connectorId } = await app.ctx.db
    .insertInto('connectors')
    .values({ account_id: account.id, scope_id: account.scopeId, name, kind: 'mqtt-in', settings: '{}' })
    .returning('id')
    .executeTakeFirstOrThrow()
  return { ...account, api, connectorId }
}

const newTwin = (changes: object = {}) =>
  north.api.digitaltwin.create({ title: 'Room', accountId: north.id, ...changes })
const read = (id: number) => north.api.digitaltwin.get({ id })
let serial = 0
const newDevice = async (parentId: number) => {
  const externalId = `undo-${++serial}`
  const { connectorId } = north
  return (await north.api.virtualdevice.create({ title: externalId, externalId, connectorId, parentId })).id
}
const isDisabled = async (id: number) => (await north.api.virtualdevice.get({ id })).disabled
const undo = (id: string | undefined, { api } = north) => api.twinUndo.run({ id: id ?? '' })
const move = async (id: number, parentId: number | null) =>
  (await north.api.digitaltwin.update({ ...(await read(id)), parentId })).undo

describe('a move', () => {
  test('is undone, with an entry in the log, and only once', async () => {
    const [site, yard] = [await newTwin(), await newTwin()]
    const shed = await newTwin({ parentId: site.id })
    const kept = await move(shed.id, yard.id)
    expect(kept).toEqual({ id: expect.any(String), until: '2026-03-04T08:10:00.000Z' })
    expect(await undo(kept?.id)).toEqual({ job: null, left: [] })
    expect((await read(shed.id)).parentId).toBe(site.id)
    const [entry] = (await app.api.activityLog.list({ subject: 'DigitalTwin', objectId: shed.id })).items
    expect(entry).toMatchObject({
      action: 'undo',
      changes: { parentId: { before: yard.id, after: site.id } },
    })
    expect(await errorOf(undo(kept?.id))).toMatchObject({ code: 'DTWIN_UNDO_ENDED' })
  })

  test('is not kept when nothing moves', async () => {
    const shed = await newTwin()
    const saved = await north.api.digitaltwin.update({ ...shed, title: 'Barn' })
    expect(saved).toMatchObject({ title: 'Barn', undo: null })
  })

  test('stays when the twin was moved again, or has no way back', async () => {
    const [site, yard, park] = [await newTwin(), await newTwin(), await newTwin()]
    const shed = await newTwin({ parentId: site.id })
    const kept = await move(shed.id, yard.id)
    await move(shed.id, park.id)
    expect(await undo(kept?.id)).toEqual({ job: null, left: ['parent'] })
    expect((await read(shed.id)).parentId).toBe(park.id)

    const away = await move(shed.id, yard.id)
    await north.api.digitaltwin.delete({ id: park.id })
    expect(await undo(away?.id)).toEqual({ job: null, left: ['parent'] })
    expect((await read(shed.id)).parentId).toBe(yard.id)
  })

  test('can be undone for ten minutes, and is forgotten after them', async () => {
    const [site, shed] = [await newTwin(), await newTwin()]
    const kept = await move(shed.id, site.id)
    clock.advance(undoMinutes * 60_000)
    expect(await errorOf(undo(kept?.id))).toMatchObject({ code: 'DTWIN_UNDO_ENDED' })
    const rows = () =>
      sql`select from twin_undo_items where undo_id = ${kept?.id}`
        .execute(app.ctx.db)
        .then(({ rows }) => rows.length)
    expect(await rows()).toBe(1)
    clock.advance(1)
    await deleteOldUndos(app.ctx.db, clock.now())
    expect(await rows()).toBe(0)
  })

  test('is undone only by those who may move the twin there', async () => {
    const [site, shed] = [await newTwin(), await newTwin()]
    const kept = await move(shed.id, site.id)
    const reader = await createUser(app, north, [{ roleId: await roleNamed(app, 'Viewer') }])
    expect(await errorOf(undo(kept?.id, { ...north, api: reader.api }))).toMatchObject({
      code: 'NO_PERMISSION',
    })
    const other = await tenant('Other')
    expect(await errorOf(undo(kept?.id, other))).toMatchObject({ code: 'DTWIN_NOT_FOUND' })
    expect((await read(shed.id)).parentId).toBe(site.id)

    // Someone who may change the twin where it is, but not where it was.
    const scope = await app.api.digitaltwin.createScope({ id: site.id })
    const roleId = await createRole(app, [{ subject: 'DigitalTwin', actions: ['read', 'write'] }])
    const local = await createUser(app, north, [{ roleId, scopeId: scope.scopeId }])
    expect(await undo(kept?.id, { ...north, api: local.api })).toEqual({ job: null, left: ['parent'] })
    expect((await read(shed.id)).parentId).toBe(site.id)
  })
})

describe('disabling', () => {
  test('is undone with the devices that were disabled with the twin', async () => {
    const house = await newTwin()
    const [on, off] = [await newDevice(house.id), await newDevice(house.id)]
    await north.api.virtualdevice.setDisabled({ id: off, flag: true })
    const { undo: kept } = await north.api.digitaltwin.setDisabled({ id: house.id, flag: true })
    expect(await undo(kept?.id)).toEqual({ job: null, left: [] })
    expect((await read(house.id)).disabled).toBe(false)
    expect([await isDisabled(on), await isDisabled(off)]).toEqual([false, true])
  })

  test('leaves devices alone that were switched since', async () => {
    const house = await newTwin()
    const [one, two] = [await newDevice(house.id), await newDevice(house.id)]
    const { undo: kept } = await north.api.digitaltwin.setDisabled({ id: house.id, flag: true })
    for (const flag of [false, true]) await north.api.virtualdevice.setDisabled({ id: one, flag })
    expect(await undo(kept?.id)).toEqual({ job: null, left: ['devices'] })
    expect([await isDisabled(one), await isDisabled(two)]).toEqual([true, false])
  })

  test('stays undone if somebody has enabled the twin', async () => {
    const house = await newTwin()
    const { undo: kept } = await north.api.digitaltwin.setDisabled({ id: house.id, flag: true })
    await north.api.digitaltwin.setDisabled({ id: house.id, flag: false })
    expect(await undo(kept?.id)).toEqual({ job: null, left: ['disabled'] })
    expect((await read(house.id)).disabled).toBe(false)
    const { undo: none } = await north.api.digitaltwin.setDisabled({ id: house.id, flag: false })
    expect(none).toBeNull()
  })

  test('enabling is undone for the devices it has enabled and that are still there', async () => {
    const house = await newTwin()
    const [one, two, late] = [await newDevice(house.id), await newDevice(house.id), 0]
    await north.api.digitaltwin.setDisabled({ id: house.id, flag: true })
    const { undo: kept } = await north.api.digitaltwin.setDisabled({ id: house.id, flag: false })
    const added = late || (await newDevice(house.id))
    await north.api.virtualdevice.setDisabled({ id: two, flag: true })
    expect(await undo(kept?.id)).toEqual({ job: null, left: ['devices'] })
    expect((await read(house.id)).disabled).toBe(true)
    expect([await isDisabled(one), await isDisabled(two), await isDisabled(added)]).toEqual([
      true,
      true,
      false,
    ])
    // The device that was switched off on its own stays off, the other follows the twin.
    await north.api.digitaltwin.setDisabled({ id: house.id, flag: false })
    expect([await isDisabled(one), await isDisabled(two)]).toEqual([false, true])
  })
})

describe('a bulk edit', () => {
  const edit = async (ids: number[], changes: object) => {
    const mode = { kind: 'edit' as const, changes }
    const { id } = await north.api.twinBulk.edit({ title: 'A bulk edit', selection: { ids }, mode })
    await app.drain()
    return id
  }
  const undoOf = async (jobId: number) => (await north.api.twinUndo.ofJob({ jobId })).undo

  test('is undone by a job that says what it has left alone', async () => {
    const [site, yard] = [await newTwin(), await newTwin()]
    const [one, two, three] = [
      await newTwin({ parentId: site.id, tags: ['old'], keyValues: { k: '1' } }),
      await newTwin({ tags: ['old'] }),
      await newTwin({ tags: ['new'], icon: 'home', parentId: yard.id, keyValues: { k: '2' } }),
    ]
    const jobId = await edit([one.id, two.id, three.id], {
      tags: { add: ['new'], remove: ['old'] },
      keyValues: { set: { k: '2' }, remove: [] },
      icon: 'home',
      parentId: yard.id,
    })
    const changed = await read(two.id)
    await north.api.digitaltwin.update({ ...changed, icon: 'tree', tags: [...changed.tags, 'mine'] })
    const kept = await undoOf(jobId)
    const { job } = await undo(kept?.id)
    expect(job).toMatchObject({ type: 'digitaltwin-bulk-undo', title: 'A bulk edit', total: 2 })
    expect(await undoOf(jobId)).toBeNull()
    expect(await errorOf(undo(kept?.id))).toMatchObject({ code: 'DTWIN_UNDO_ENDED' })
    await app.drain()
    const { items } = await north.api.job.rows({ id: job?.id ?? 0 })
    expect(
      items.map(({ objectId, state, faults }) => [objectId, state, faults.map(({ code }) => code)]),
    ).toEqual([
      [one.id, 'done', []],
      [two.id, 'done', ['LEFT_ICON']],
    ])
    expect(await read(one.id)).toMatchObject({
      parentId: site.id,
      tags: ['old'],
      icon: null,
      keyValues: { k: '1' },
    })
    expect(await read(two.id)).toMatchObject({
      parentId: null,
      tags: ['mine', 'old'],
      icon: 'tree',
      keyValues: {},
    })
    expect((await read(three.id)).tags).toEqual(['new'])
    const { rows } = await sql`select from twin_undos where id = ${kept?.id}`.execute(app.ctx.db)
    expect(rows).toEqual([])
  })

  test('of twins that are changed or gone since leaves them as they are', async () => {
    const [one, two] = [await newTwin(), await newTwin()]
    const jobId = await edit([one.id, two.id], { disabled: true })
    await north.api.digitaltwin.setDisabled({ id: one.id, flag: false })
    const kept = await undoOf(jobId)
    const { job } = await undo(kept?.id)
    await north.api.digitaltwin.delete({ id: two.id })
    await app.drain()
    const { items } = await north.api.job.rows({ id: job?.id ?? 0 })
    expect(items.map(({ state, faults }) => [state, faults[0]?.code])).toEqual([
      ['unchanged', 'LEFT_DISABLED'],
      ['failed', 'DTWIN_NOT_FOUND'],
    ])
  })

  test('is undone for its failed twins when the job is retried', async () => {
    const [one, two] = [await newTwin(), await newTwin()]
    const jobId = await edit([one.id, two.id], { icon: 'home' })
    const { scopeId } = await app.api.digitaltwin.createScope({ id: two.id })
    const helper = await createUser(app, north, [{ roleId: await roleNamed(app, 'Operator') }])
    const kept = await undoOf(jobId)
    const { job } = await undo(kept?.id, { ...north, api: helper.api })
    const denied = await createRole(app, [{ subject: 'DigitalTwin', actions: ['write'], inverted: true }])
    const access = { user_id: helper.id, role_id: denied, scope_id: scopeId }
    await app.ctx.db.insertInto('user_access').values(access).execute()
    app.app.people.forgetRights()
    await app.drain()
    const statesOf = async () =>
      (await helper.api.job.rows({ id: job?.id ?? 0 })).items.map(({ state }) => state)
    expect(await statesOf()).toEqual(['done', 'failed'])
    expect([(await read(one.id)).icon, (await read(two.id)).icon]).toEqual([null, 'home'])

    await app.ctx.db.deleteFrom('user_access').where('role_id', '=', denied).execute()
    app.app.people.forgetRights()
    await helper.api.job.retry({ id: job?.id ?? 0 })
    await app.drain()
    expect(await statesOf()).toEqual(['done', 'done'])
    expect((await read(two.id)).icon).toBeNull()
    const { rows } = await sql`select from twin_undos where id = ${kept?.id}`.execute(app.ctx.db)
    expect(rows).toEqual([])
  })

  test('cannot be undone while it runs, when it has changed nothing, after deleting, or later', async () => {
    const { api } = north
    const twin = await newTwin({ icon: 'home' })
    const mode = { kind: 'edit' as const, changes: { icon: 'tree' } }
    const { id: jobId } = await api.twinBulk.edit({ title: 'Waiting', selection: { ids: [twin.id] }, mode })
    expect(await undoOf(jobId)).toBeNull()
    await app.drain()
    const kept = await undoOf(jobId)
    expect(kept).not.toBeNull()
    expect(await undoOf(await edit([twin.id], { icon: 'tree' }))).toBeNull()
    clock.advance(undoMinutes * 60_000)
    expect(await undoOf(jobId)).toBeNull()
    expect(await errorOf(undo(kept?.id))).toMatchObject({ code: 'DTWIN_UNDO_ENDED' })
    const remove = { kind: 'delete' as const, count: 1 }
    const deleted = await api.twinBulk.edit({
      title: 'Deleting',
      selection: { ids: [twin.id] },
      mode: remove,
    })
    await app.drain()
    expect(await undoOf(deleted.id)).toBeNull()
  })

  test('of others is not found', async () => {
    const other = await tenant('Foreign')
    const jobId = await edit([(await newTwin()).id], { icon: 'home' })
    expect(await other.api.twinUndo.ofJob({ jobId })).toEqual({ undo: null })
    const kept = await undoOf(jobId)
    expect(await errorOf(undo(kept?.id, other))).toMatchObject({ code: 'DTWIN_NOT_FOUND' })
  })
})
