import { copyLimits } from '@leitstand/contract/copies'
import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import {
  type Api,
  createAccount,
  createRole,
  createUser,
  errorOf,
  roleNamed,
  startApp,
  type TestApp,
} from '../../../test/kit.ts'
import { dot } from '../../../test/pictures.ts'
import { createState, createTwin, writeValues } from '../../../test/twins.ts'
import { jsonb } from '../../platform/db/index.ts'
import { checkUses } from '../objects/index.ts'
import { lockLinks } from '../twins/index.ts'

let app: TestApp
let north: Tenant
let south: Tenant

interface Tenant {
  id: number
  scopeId: number
  api: Api
  connectorId: number
}

beforeAll(async () => {
  app = await startApp()
  north = await tenant('North')
  south = await tenant('South')
})

async function tenant(name: string): Promise<Tenant> {
  const account = await createAccount(app, { name })
  const { api } = await createUser(app, account, [
    { roleId: await roleNamed(app, 'Operator') },
    { roleId: await roleNamed(app, 'Device manager') },
  ])
  const { id: connectorId } = await app.ctx.db
    .insertInto('connectors')
    .values({
      account_id: account.id,
      scope_id: account.scopeId,
      name: `${name} net`,
      kind: 'mqtt-in',
      settings: jsonb({}),
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return { ...account, api, connectorId }
}

/**
 * A building with a room. The room has a measured and a computed state, the building the mean of the room and of a
 * state outside; a rule of the room reads the room, another one the outside. A device below the room feeds one state.
 */
async function building() {
  const { api, id: accountId, connectorId } = north
  const outside = await api.digitaltwin.create({ title: 'Weather', accountId })
  const outdoor = await api.state.create({
    dtwinId: outside.id,
    key: 'outdoor',
    title: 'Outdoor',
    source: 'none',
  })
  const house = await api.digitaltwin.create({
    title: 'House',
    accountId,
    type: 'building',
    tags: ['public'],
    contacts: [{ name: 'Jo' }],
    referenceIds: [{ name: 'meter', value: '4711' }],
  })
  const room = await api.digitaltwin.create({ title: 'Room', parentId: house.id, type: 'room' })
  const device = await api.virtualdevice.create({
    title: 'Sensor',
    externalId: `sensor-${house.id}`,
    connectorId,
    parentId: room.id,
  })
  const raw = await createState(app, device.id, 'raw')
  const state = (dtwinId: number, key: string, source: object = {}) =>
    api.state.create({ dtwinId, key, title: key, source: 'none', ...source } as Parameters<
      typeof api.state.create
    >[0])
  const warm = await state(room.id, 'warm')
  const bound = await state(room.id, 'bound', {
    source: 'connector',
    sourceSettings: { connectorId, identifier: `meter-${house.id}` },
  })
  const fed = await state(room.id, 'fed', { source: 'aggregate', sourceSettings: { stateIds: [raw] } })
  const mean = await state(house.id, 'mean', {
    source: 'aggregate',
    sourceSettings: { stateIds: [warm.id, outdoor.id], method: 'avg' },
  })
  const rule = (title: string, stateId: number, actions: object[]) =>
    api.ddr.create({
      dtwinId: room.id,
      title,
      metrics: [{ alias: 'a', stateId, operation: 'latest' }],
      conditions: { op: 'gt', left: { metric: 'a' }, right: { value: 30 } },
      actions: actions as Parameters<typeof api.ddr.create>[0]['actions'],
    })
  const flag = await state(room.id, 'flag')
  const inner = await rule('Inside', warm.id, [
    { kind: 'set-state', stateId: flag.id, value: { value: 1 } },
    { kind: 'alarm', severity: 'warning', message: 'hot' },
  ])
  const outer = await rule('Outside', outdoor.id, [{ kind: 'alarm', severity: 'warning', message: 'hot' }])
  return { house, room, device, outdoor, raw, warm, bound, fed, mean, flag, inner, outer }
}

const statesOf = async (api: Api, id: number) =>
  new Map((await api.digitaltwin.states({ id })).items.map((state) => [state.key, state]))
const childOf = async (api: Api, id: number) => (await api.digitaltwin.children({ id })).items[0]?.id ?? 0
const rulesOf = async (api: Api, dtwinId: number) =>
  new Map((await api.ddr.list({ dtwinId })).items.map((rule) => [rule.title, rule]))

/** Nothing of the copy is inconsistent with what is recorded about it. */
const differences = () => checkUses(app.ctx.db)

describe('a copy', () => {
  test('refers to copied states, to the same states elsewhere, and to no device or address', async () => {
    const { house, room, outdoor, warm, flag } = await building()
    await writeValues(app, [{ stateId: outdoor.id, value: 8, time: new Date() }])
    const contents = await north.api.twinCopy.contents({ id: house.id })
    expect(contents).toEqual({
      twins: 2,
      twinsMax: copyLimits.twinsMax,
      devices: 1,
      states: 5,
      boundStates: 2,
      hiddenStates: 0,
      rules: 2,
      hiddenRules: 0,
      files: 0,
      fileBytes: 0,
      referenceIds: 1,
    })
    const { twinId, job } = await north.api.twinCopy.duplicate({
      id: house.id,
      title: 'Second house',
      accountId: north.id,
    })
    expect(job).toBeNull()
    const copy = await north.api.digitaltwin.get({ id: twinId ?? 0 })
    expect(copy).toMatchObject({
      title: 'Second house',
      type: 'building',
      tags: ['public'],
      contacts: [{ name: 'Jo' }],
      referenceIds: [],
      childCount: 1,
    })
    const roomCopy = await childOf(north.api, copy.id)
    const states = await statesOf(north.api, roomCopy)
    expect([...states.keys()]).toEqual(['warm', 'bound', 'fed', 'flag'])
    expect(states.get('bound')).toMatchObject({ source: 'none', sourceSettings: {} })
    expect(states.get('fed')).toMatchObject({ source: 'none', value: null })
    const warmCopy = states.get('warm')?.id ?? 0
    expect(warmCopy).not.toBe(warm.id)
    await app.drain()
    const mean = (await statesOf(north.api, copy.id)).get('mean')
    expect(mean).toMatchObject({
      source: 'aggregate',
      sourceSettings: { stateIds: [warmCopy, outdoor.id], method: 'avg' },
      value: 8,
    })
    const rules = await rulesOf(north.api, roomCopy)
    expect(rules.get('Inside')).toMatchObject({
      metrics: [{ stateId: warmCopy }],
      actions: [{ kind: 'set-state', stateId: states.get('flag')?.id }, { kind: 'alarm' }],
    })
    expect(rules.get('Outside')).toMatchObject({ metrics: [{ stateId: outdoor.id }] })
    expect((await rulesOf(north.api, room.id)).get('Inside')).toMatchObject({
      metrics: [{ stateId: warm.id }],
      actions: [{ stateId: flag.id }, { kind: 'alarm' }],
    })
    expect(await differences()).toEqual([])
    const log = await app.api.activityLog.list({ subject: 'DigitalTwin', objectId: roomCopy, limit: 10 })
    expect(log.items).toMatchObject([
      { action: 'create', changes: { copyOf: 'Room', copyOfId: room.id, rules: 2, files: 0 } },
    ])
  })

  test('keeps addresses and devices as sources if that is wanted', async () => {
    const { room, raw } = await building()
    const { twinId } = await north.api.twinCopy.duplicate({
      id: room.id,
      title: 'Copy',
      parentId: room.parentId,
      bindings: true,
      rules: false,
    })
    const states = await statesOf(north.api, twinId ?? 0)
    expect(states.get('bound')).toMatchObject({
      source: 'connector',
      sourceSettings: { connectorId: north.connectorId },
    })
    expect(states.get('fed')).toMatchObject({ source: 'aggregate', sourceSettings: { stateIds: [raw] } })
    expect((await rulesOf(north.api, twinId ?? 0)).size).toBe(0)
    expect(await differences()).toEqual([])
  })

  test('has only what is wanted: no twins below, states, rules or files; reference ids if asked for', async () => {
    const { house } = await building()
    await north.api.upload.post({
      file: new File([dot], 'dot.png'),
      object: 'digitalTwin',
      objectId: house.id,
      role: 'picture',
    })
    const bare = await north.api.twinCopy.duplicate({
      id: house.id,
      title: 'Bare',
      accountId: north.id,
      descendants: false,
      states: false,
      rules: false,
      files: false,
      referenceIds: true,
    })
    expect(await north.api.digitaltwin.get({ id: bare.twinId ?? 0 })).toMatchObject({
      childCount: 0,
      stateCount: 0,
      referenceIds: [{ name: 'meter', value: '4711' }],
    })
    const list = async (objectId: number) =>
      (await north.api.upload.list({ object: 'digitalTwin', objectId })).items
    expect(await list(bare.twinId ?? 0)).toEqual([])
    const full = await north.api.twinCopy.duplicate({ id: house.id, title: 'Full', accountId: north.id })
    const [file] = await list(full.twinId ?? 0)
    expect(file).toMatchObject({ name: 'dot.png', role: 'picture', size: dot.length })
    const bytes = await north.api.upload.file({ id: file?.id ?? 0 })
    expect('body' in bytes ? Buffer.from(await bytes.body.arrayBuffer()) : null).toEqual(dot)
  })

  test('has the floor plan of the original in the same place', async () => {
    const floor = await north.api.digitaltwin.create({ title: 'Floor', accountId: north.id, type: 'floor' })
    const { id: fileId } = await north.api.upload.post({
      file: new File([dot], 'plan.png'),
      object: 'digitalTwin',
      objectId: floor.id,
      role: 'plan',
    })
    const placed = await north.api.floor.place({
      id: floor.id,
      fileId,
      northEast: { latitude: 49.001, longitude: 12.001 },
      southWest: { latitude: 49, longitude: 12 },
      opacity: 0.6,
    })
    const copy = await north.api.twinCopy.duplicate({ id: floor.id, title: 'Copy', accountId: north.id })
    const { items } = await north.api.floor.list({ id: copy.twinId ?? 0 })
    expect(items).toMatchObject([{ overlay: { corners: placed.corners, opacity: 0.6 } }])
    expect(items[0]?.overlay?.fileId).not.toBe(fileId)
  })

  test('can lie in another account or below itself', async () => {
    const { house, room } = await building()
    const inside = await north.api.twinCopy.duplicate({ id: house.id, title: 'In it', parentId: room.id })
    expect(await north.api.digitaltwin.get({ id: inside.twinId ?? 0 })).toMatchObject({
      parentTitle: 'Room',
      childCount: 1,
    })
    const { twinId } = await app.api.twinCopy.duplicate({
      id: house.id,
      title: 'Abroad',
      accountId: south.id,
    })
    const abroad = await south.api.digitaltwin.get({ id: twinId ?? 0 })
    expect(abroad).toMatchObject({ accountId: south.id, scopeId: south.scopeId, childCount: 1 })
  })

  test('needs the right to write where it goes, and to read what it copies', async () => {
    const { house } = await building()
    const theirs = await createTwin(app, south)
    const to = (api: Api, target: object) =>
      errorOf(api.twinCopy.duplicate({ id: house.id, title: 'x', ...target }))
    expect(await to(north.api, { parentId: theirs.id })).toMatchObject({ code: 'DTWIN_NOT_FOUND' })
    expect(await to(north.api, { accountId: south.id })).toMatchObject({ code: 'TENANT_NOT_FOUND' })
    expect(await to(south.api, { accountId: south.id })).toMatchObject({ code: 'DTWIN_NOT_FOUND' })
    expect(await errorOf(south.api.twinCopy.contents({ id: house.id }))).toMatchObject({
      code: 'DTWIN_NOT_FOUND',
    })
    const elsewhere = await createAccount(app, { name: 'Elsewhere' })
    const reads = await createRole(app, [{ subject: 'DigitalTwin', actions: ['read'] }])
    const guest = await createUser(app, elsewhere, [
      { roleId: await roleNamed(app, 'Operator') },
      { roleId: reads, scopeId: north.scopeId },
    ])
    expect(await to(guest.api, { accountId: north.id })).toMatchObject({ code: 'TENANT_NOT_FOUND' })
    expect(await to(guest.api, { parentId: house.id })).toMatchObject({ code: 'NO_PERMISSION' })
    expect(await to(guest.api, {})).toMatchObject({ code: 'VALIDATION_ERROR', data: { field: 'parentId' } })
    expect(await to(guest.api, { accountId: elsewhere.id, states: false })).toMatchObject({
      code: 'PARAMETER_VALIDATION_ERROR',
    })
  })

  test('finds the states below the copy where a query found those below the original', async () => {
    const { api, id: accountId } = north
    const site = await api.digitaltwin.create({ title: 'Site', accountId })
    const hall = await api.digitaltwin.create({ title: 'Hall', parentId: site.id })
    const load = await api.state.create({ dtwinId: hall.id, key: 'load', title: 'Load', source: 'none' })
    await api.state.setValue({ id: load.id, value: 4 })
    const computed = { title: 'Computed', source: 'aggregate' as const }
    await api.state.create({
      ...computed,
      dtwinId: site.id,
      key: 'mean',
      sourceSettings: { query: { key: 'load', twinId: site.id }, method: 'avg' },
    })
    await api.state.create({
      dtwinId: hall.id,
      key: 'peak',
      title: 'Peak',
      source: 'timeseries-aggregate',
      sourceSettings: { stateIds: [load.id], operation: 'max', period: { range: '1h' } },
    })
    await app.ctx.db
      .insertInto('states')
      .values({
        twin_id: site.id,
        key: 'disk',
        title: 'Disk',
        source: 'system',
        source_settings: jsonb({ figure: 'freeDisk' }),
        value_type: 'number',
      })
      .execute()

    const { twinId } = await api.twinCopy.duplicate({ id: site.id, title: 'Other site', accountId })
    const states = await statesOf(api, twinId ?? 0)
    expect(states.get('mean')).toMatchObject({
      source: 'aggregate',
      sourceSettings: { query: { key: 'load', twinId }, method: 'avg' },
    })
    // Free disk is for administrators of the installation.
    expect(states.get('disk')).toMatchObject({ source: 'none' })
    const [below] = (await api.digitaltwin.children({ id: twinId ?? 0 })).items
    const copied = await statesOf(api, below?.id ?? 0)
    const copiedLoad = copied.get('load')?.id ?? 0
    expect(copied.get('peak')).toMatchObject({ sourceSettings: { stateIds: [copiedLoad] } })
    await api.state.setValue({ id: copiedLoad, value: 10 })
    await app.app.series.settle()
    expect((await statesOf(api, twinId ?? 0)).get('mean')).toMatchObject({ value: 10 })
    expect((await statesOf(api, site.id)).get('mean')).toMatchObject({ value: 4 })
  })

  test('leaves out what the caller may not see: states without their source, rules entirely', async () => {
    const shed = await north.api.digitaltwin.create({ title: 'Shed', accountId: north.id })
    const hidden = await createTwin(app, south)
    const secret = await createState(app, hidden.id, 'secret')
    const own = await createState(app, shed.id, 'own')
    await app.api.state.create({
      dtwinId: shed.id,
      key: 'leak',
      title: 'Leak',
      source: 'aggregate',
      sourceSettings: { stateIds: [secret, own], method: 'avg' },
    })
    type Input = Parameters<typeof app.api.ddr.create>[0]
    const rule = (title: string, stateId: number, actions: object[], triggers?: Input['triggers']) =>
      app.api.ddr.create({
        dtwinId: shed.id,
        title,
        triggers,
        metrics: [{ alias: 'a', stateId, operation: 'latest' }],
        conditions: { op: 'gt', left: { metric: 'a' }, right: { value: 30 } },
        actions: actions as Input['actions'],
      })
    const around = { kind: 'twin', twinId: hidden.id } as const
    await rule(
      'Follows',
      own,
      [{ kind: 'alarm', severity: 'warning', message: 'x' }],
      [{ kind: 'geofence', mode: 'enter', area: around }],
    )
    await rule('Reads', secret, [{ kind: 'alarm', severity: 'warning', message: 'x' }])
    await rule('Sets', own, [{ kind: 'set-state', stateId: secret, value: { value: 1 } }])
    await rule('Own', own, [{ kind: 'alarm', severity: 'warning', message: 'x' }])
    expect(await north.api.twinCopy.contents({ id: shed.id })).toMatchObject({
      hiddenStates: 1,
      boundStates: 0,
      rules: 4,
      hiddenRules: 3,
    })
    const { twinId } = await north.api.twinCopy.duplicate({ id: shed.id, title: 'Copy', accountId: north.id })
    expect((await statesOf(north.api, twinId ?? 0)).get('leak')).toMatchObject({ source: 'none' })
    expect([...(await rulesOf(north.api, twinId ?? 0)).keys()]).toEqual(['Own'])
  })

  test('fits into the limit for files of the account, or is refused before anything is copied', async () => {
    const small = await tenant('Small')
    const hut = await small.api.digitaltwin.create({ title: 'Hut', accountId: small.id })
    const file = new File([Buffer.alloc(600_000, 'a')], 'plan.txt')
    await small.api.upload.post({ file, object: 'digitalTwin', objectId: hut.id, role: 'attachment' })
    await app.ctx.db.updateTable('accounts').set({ file_megabytes: 1 }).where('id', '=', small.id).execute()
    const copy = (files: boolean) =>
      small.api.twinCopy.duplicate({ id: hut.id, title: 'Copy', accountId: small.id, files })
    expect(await errorOf(copy(true))).toMatchObject({ code: 'TENANT_FILE_LIMIT' })
    expect((await small.api.digitaltwin.list({ accountIds: [small.id] })).total).toBe(1)
    expect((await copy(false)).twinId).toEqual(expect.any(Number))
  })
})

describe('a large copy', () => {
  /** More rooms than are copied at once, each computed from the one before. */
  async function tower(count = copyLimits.directTwinsMax + 5) {
    const top = await north.api.digitaltwin.create({ title: 'Tower', accountId: north.id })
    const states: number[] = []
    for (let at = 0; at < count; at++) {
      const room = await createTwin(app, north, { parentId: top.id, title: `Room ${at}` })
      const source = states.at(-1)
      const state = await north.api.state.create({
        dtwinId: room.id,
        key: 'level',
        title: 'Level',
        ...(source === undefined
          ? { source: 'none' }
          : { source: 'aggregate', sourceSettings: { stateIds: [source] } }),
      })
      states.push(state.id)
    }
    return { top, states }
  }
  const rowsOf = async (id: number) => (await north.api.job.rows({ id, limit: 1000 })).items

  test('is a job with a result for each twin, and its states follow each other like the originals', async () => {
    const { top, states } = await tower()
    const { twinId, job } = await north.api.twinCopy.duplicate({
      id: top.id,
      title: 'Twin tower',
      accountId: north.id,
    })
    expect(twinId).toBeNull()
    expect(job).toMatchObject({
      type: 'digitaltwin-duplicate',
      title: 'Twin tower',
      total: states.length + 1,
    })
    await app.drain()
    const id = job?.id ?? 0
    expect(await north.api.job.get({ id })).toMatchObject({
      state: 'done',
      done: states.length + 1,
      result: { done: states.length + 1 },
    })
    const [root, ...rooms] = await rowsOf(id)
    expect(root).toMatchObject({ row: 1, state: 'done', title: 'Twin tower' })
    const copy = await north.api.digitaltwin.get({ id: root?.objectId ?? 0 })
    expect(copy).toMatchObject({ title: 'Twin tower', childCount: states.length })
    const copies = await Promise.all(
      rooms.map(async ({ objectId }) => (await statesOf(north.api, objectId ?? 0)).get('level')),
    )
    expect(copies.slice(1).map((state) => state?.sourceSettings)).toMatchObject(
      copies.slice(0, -1).map((state) => ({ stateIds: [state?.id] })),
    )
    await writeValues(app, [{ stateId: copies[0]?.id ?? 0, value: 5, time: new Date() }])
    await app.app.series.settle()
    expect((await north.api.state.get({ id: copies[9]?.id ?? 0 })).value).toBe(5)
    expect(await differences()).toEqual([])
  })

  test('notes what could not be copied, with all below it: DTWIN_COPY_FAILED; a retry completes it', async () => {
    const { top } = await tower()
    const { items } = await north.api.digitaltwin.children({ id: top.id })
    const [hall] = items
    const desk = await createTwin(app, north, { parentId: hall?.id ?? 0, title: 'Desk' })
    const { job } = await north.api.twinCopy.duplicate({ id: top.id, title: 'Part', accountId: north.id })
    const id = job?.id ?? 0
    // Out of the caller's sight while the job runs.
    const move = (scopeId: number) =>
      app.ctx.db
        .updateTable('twins')
        .set({ scope_id: scopeId })
        .where('id', '=', hall?.id ?? 0)
        .execute()
    await move(south.scopeId)
    await app.drain()
    const failed = (await rowsOf(id)).filter(({ state }) => state === 'failed')
    expect(failed.map(({ title, faults }) => [title, faults[0]?.code])).toEqual([
      [hall?.title, 'DTWIN_NOT_FOUND'],
      ['Desk', 'DTWIN_COPY_FAILED'],
    ])
    expect(failed[1]?.objectId).toBe(desk.id)
    await move(north.scopeId)
    await north.api.job.retry({ id })
    await app.drain()
    expect(await north.api.job.get({ id })).toMatchObject({ state: 'done' })
    expect((await rowsOf(id)).every(({ state }) => state === 'done')).toBe(true)
    expect(await differences()).toEqual([])
  })

  test('of too many twins is refused', async () => {
    const crowd = await north.api.digitaltwin.create({ title: 'Crowd', accountId: north.id })
    await sql`
      insert into twins (category, account_id, scope_id, parent_id, title)
      select 'digitalTwin', ${north.id}::int, ${north.scopeId}::int, ${crowd.id}::int, 'Many ' || n
      from generate_series(1, ${copyLimits.twinsMax}::int) as n`.execute(app.ctx.db)
    const copy = north.api.twinCopy.duplicate({ id: crowd.id, title: 'x', accountId: north.id })
    expect(await errorOf(copy)).toMatchObject({
      code: 'BACKGROUND_JOB_TOO_LARGE',
      data: { twinsMax: copyLimits.twinsMax },
    })
  })

  test('that waits too long continues in the background: DTWIN_COPY_TIMED_OUT', async () => {
    const { house } = await building()
    const error = await app.ctx.db.transaction().execute(async (tx) => {
      await lockLinks(tx)
      return errorOf(north.api.twinCopy.duplicate({ id: house.id, title: 'Later', accountId: north.id }))
    })
    expect(error).toMatchObject({ code: 'DTWIN_COPY_TIMED_OUT', data: { jobId: expect.any(Number) } })
    await app.drain()
    const { items } = await north.api.digitaltwin.list({ search: '"Later"' })
    expect(items).toMatchObject([{ title: 'Later', childCount: 1 }])
  })
})
