import type { TwinChanges } from '@leitstand/contract/twinBulk'
import { sql } from 'kysely'
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
import { createState, createTwin } from '../../../test/twins.ts'

let app: TestApp
let north: Tenant
let south: Tenant

interface Tenant {
  id: number
  scopeId: number
  api: Api
}

beforeAll(async () => {
  app = await startApp()
  north = await tenant('North')
  south = await tenant('South')
})

beforeEach(() => app.drain())

async function tenant(name: string): Promise<Tenant> {
  const account = await createAccount(app, { name })
  const { api } = await createUser(app, account, [{ roleId: await roleNamed(app, 'Operator') }])
  return { ...account, api }
}

const newTwin = (changes: object = {}, { api, id: accountId }: Tenant = north) =>
  api.digitaltwin.create({ title: 'Room', accountId, ...changes })
const rowsOf = async (id: number, { api } = north) => (await api.job.rows({ id, limit: 100 })).items

/** Starts a bulk edit and waits until it is over. */
async function edited(ids: number[], changes: TwinChanges, { api } = north) {
  const mode = { kind: 'edit' as const, changes }
  const { id } = await api.twinBulk.edit({ title: 'A bulk edit', selection: { ids }, mode })
  await app.drain()
  return { job: await api.job.get({ id }), rows: await rowsOf(id, { ...north, api }) }
}

describe('a bulk edit of twins', () => {
  test('changes what is named and leaves everything else, with an entry for each twin', async () => {
    const { api } = north
    const one = await newTwin({
      tags: ['old', 'kept'],
      zones: ['a'],
      keyValues: { maker: 'Acme', year: '1999' },
      referenceIds: [{ name: 'meter', value: '4711' }],
      contacts: [{ name: 'Jo' }],
    })
    const two = await newTwin({ tags: ['new'], keyValues: { maker: 'Bolt' } })
    const same = await newTwin({ tags: ['new'], zones: ['b'], icon: 'home', keyValues: { maker: 'Bolt' } })
    const { job, rows } = await edited([one.id, two.id, same.id], {
      tags: { add: ['new'], remove: ['old'] },
      zones: { add: ['b'], remove: [] },
      keyValues: { set: { maker: 'Bolt' }, remove: ['year'] },
      icon: 'home',
    })
    expect(job).toMatchObject({
      type: 'digitaltwin-bulk-edit',
      state: 'done',
      result: { done: 2, unchanged: 1 },
    })
    expect(rows.map(({ objectId, state }) => [objectId, state])).toEqual([
      [one.id, 'done'],
      [two.id, 'done'],
      [same.id, 'unchanged'],
    ])
    expect(await api.digitaltwin.get({ id: one.id })).toMatchObject({
      title: 'Room',
      tags: ['kept', 'new'],
      zones: ['a', 'b'],
      keyValues: { maker: 'Bolt' },
      referenceIds: [{ name: 'meter', value: '4711' }],
      contacts: [{ name: 'Jo' }],
      icon: 'home',
    })
    const log = async (objectId: number) =>
      (await app.api.activityLog.list({ subject: 'DigitalTwin', objectId })).items.map(({ action }) => action)
    expect(await log(one.id)).toEqual(['update', 'create'])
    expect(await log(same.id)).toEqual(['create'])
    const jobs = await app.api.activityLog.list({ subject: 'DigitalTwin', search: 'A bulk edit' })
    expect(jobs.items[0]).toMatchObject({ action: 'digitaltwin-bulk-edit', objectId: null })
  })

  test('moves twins; those that do not fit below the parent keep their place, with the reason', async () => {
    const { api } = north
    const site = await newTwin({ title: 'Site' })
    const house = await newTwin({ title: 'House', parentId: site.id })
    const shed = await newTwin({ title: 'Shed' })
    const { rows } = await edited([site.id, shed.id], { parentId: house.id })
    expect(rows.map(({ state, faults }) => [state, faults[0]?.code])).toEqual([
      ['failed', 'DTWIN_MOVE_TO_DESCENDANT'],
      ['done', undefined],
    ])
    expect(await api.digitaltwin.get({ id: shed.id })).toMatchObject({ parentId: house.id })
    const { rows: again } = await edited([shed.id], { parentId: null })
    expect(again).toMatchObject([{ state: 'done' }])
    expect(await api.digitaltwin.get({ id: shed.id })).toMatchObject({ parentId: null })
  })

  test('disables and enables twins', async () => {
    const { api } = north
    const ids = [(await newTwin()).id, (await newTwin()).id]
    const states = async () =>
      Promise.all(ids.map(async (id) => (await api.digitaltwin.get({ id })).disabled))
    await api.digitaltwin.setDisabled({ id: ids[0] ?? 0, flag: true })
    expect((await edited(ids, { disabled: true })).job.result).toEqual({ done: 1, unchanged: 1 })
    expect(await states()).toEqual([true, true])
    await edited(ids, { disabled: false })
    expect(await states()).toEqual([false, false])
  })

  test('takes what matches a filter when it starts', async () => {
    const { api } = north
    const hit = await newTwin({ tags: ['filtered'] })
    await newTwin({ tags: ['filtered'], type: 'room' })
    const selection = { filter: { tags: ['filtered'], types: ['default' as const] } }
    expect(await api.twinBulk.selection({ selection })).toEqual({
      twins: 1,
      twinsMax: 500,
      accounts: [{ id: north.id, name: 'North' }],
    })
    const mode = { kind: 'edit' as const, changes: { zones: { add: ['z'], remove: [] } } }
    const { id } = await api.twinBulk.edit({ title: 'By a filter', selection, mode })
    await app.drain()
    expect((await rowsOf(id)).map(({ objectId }) => objectId)).toEqual([hit.id])
  })

  test('deletes the lowest first, and none with states that are aggregated elsewhere', async () => {
    const { api } = north
    const house = await newTwin({ title: 'House' })
    const room = await newTwin({ title: 'Room', parentId: house.id })
    const desk = await newTwin({ title: 'Desk', parentId: room.id })
    const used = await newTwin({ title: 'Used' })
    const stateIds = [await createState(app, used.id, 'v')]
    const other = await newTwin({ title: 'Other' })
    const aggregate = { source: 'aggregate' as const, sourceSettings: { stateIds, method: 'avg' as const } }
    await api.state.create({ dtwinId: other.id, key: 'mean', title: 'Mean', ...aggregate })
    const selection = { ids: [house.id, room.id, desk.id, used.id] }
    const remove = (count: number) =>
      api.twinBulk.edit({ title: 'All of them', selection, mode: { kind: 'delete', count } })
    expect(await errorOf(remove(3))).toMatchObject({ code: 'BULK_COUNT', data: { count: 4 } })
    const { id } = await remove(4)
    await app.drain()
    expect((await rowsOf(id)).map(({ title, state, faults }) => [title, state, faults[0]?.code])).toEqual([
      ['Desk', 'done', undefined],
      ['Room', 'done', undefined],
      ['House', 'done', undefined],
      ['Used', 'failed', 'DTWIN_DELETE_HAS_DEPENDENCIES'],
    ])
    expect(await errorOf(api.digitaltwin.get({ id: house.id }))).toMatchObject({ code: 'DTWIN_NOT_FOUND' })
  })
})

describe('a bulk edit of twins is refused', () => {
  const tags = { tags: { add: ['x'], remove: [] } }
  const start = (api: Api, ids: number[], changes: TwinChanges = tags) =>
    errorOf(api.twinBulk.edit({ title: 'Refused', selection: { ids }, mode: { kind: 'edit', changes } }))

  test('for twins of others as for those that do not exist: DTWIN_NOT_FOUND', async () => {
    const foreign = await newTwin({}, south)
    const own = await newTwin()
    expect(await start(north.api, [own.id, foreign.id])).toMatchObject({ code: 'DTWIN_NOT_FOUND' })
    expect(await start(north.api, [2 ** 31 - 1])).toMatchObject({ code: 'DTWIN_NOT_FOUND' })
    expect(await north.api.twinBulk.selection({ selection: { ids: [own.id, foreign.id] } })).toMatchObject({
      twins: 1,
    })
  })

  test('where the caller may only read', async () => {
    const { id } = await newTwin()
    const account = { id: north.id, scopeId: north.scopeId }
    const reader = await createUser(app, account, [{ roleId: await roleNamed(app, 'Viewer') }])
    expect(await start(reader.api, [id])).toMatchObject({ code: 'NO_PERMISSION' })
  })

  test('for several accounts where a change belongs to one: BULK_SEVERAL_ACCOUNTS', async () => {
    const ids = [(await newTwin()).id, (await newTwin({}, south)).id]
    for (const changes of [tags, { zones: tags.tags }, { parentId: null }])
      expect(await start(app.api, ids, changes)).toMatchObject({ code: 'BULK_SEVERAL_ACCOUNTS' })
    const { job } = await edited(ids, { icon: 'home' }, { ...north, api: app.api })
    expect(job.result).toEqual({ done: 2 })
  })

  test('for more twins than the account allows: BACKGROUND_JOB_TOO_LARGE', async () => {
    const small = await tenant('Small')
    const twins = await Promise.all([1, 2, 3].map(() => createTwin(app, small)))
    await sql`update accounts set bulk_limit = 2 where id = ${small.id}`.execute(app.ctx.db)
    const ids = twins.map(({ id }) => id)
    expect(await start(small.api, ids)).toMatchObject({
      code: 'BACKGROUND_JOB_TOO_LARGE',
      data: { twinsMax: 2 },
    })
  })

  test('without a change, or with one that contradicts itself', async () => {
    const { id } = await newTwin()
    for (const changes of [{}, { tags: { add: ['x'], remove: ['x'] } }])
      expect(await start(north.api, [id], changes)).toMatchObject({ code: 'PARAMETER_VALIDATION_ERROR' })
  })
})
