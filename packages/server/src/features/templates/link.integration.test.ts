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
import { acceptDriver, createConnector, createDriver } from '../../../test/pipeline.ts'

let app: TestApp
let api: Api
let account: { id: number; scopeId: number }
let connectorId: number
let driverId: number

beforeAll(async () => {
  app = await startApp()
  account = await createAccount(app, { name: 'North' })
  api = (await createUser(app, account, [{ roleId: await roleNamed(app, 'Device manager') }])).api
  connectorId = (await createConnector(app, account.id, account.scopeId)).id
  driverId = await createDriver(app, 'module.exports = (payload) => payload', [
    { key: 'temperature', title: 'From the driver', unit: 'K' },
    { key: 'battery', title: 'Battery', unit: 'V' },
  ])
  await app.ctx.db.updateTable('drivers').set({ visibility: 'everyone' }).where('id', '=', driverId).execute()
  await acceptDriver(app, account.id, driverId)
})

beforeEach(() => app.drain())

type Content = Parameters<Api['deviceTemplate']['create']>[0]['content']

const temperature = { key: 'temperature', title: 'Temperature', unit: '°C', source: 'connector' } as const
const comfort = {
  key: 'comfort',
  title: 'Comfort',
  source: 'aggregate' as const,
  sourceSettings: { stateKeys: ['temperature'] },
  transformer: 'return value / 2',
}
const warm = {
  title: 'Too warm',
  metrics: [{ alias: 't', stateKey: 'temperature' }],
  conditions: { op: 'gt', left: { metric: 't' }, right: { value: 30 } },
  actions: [{ kind: 'alarm', severity: 'warning', message: '{{t}} °C' }],
} satisfies NonNullable<Content['rules']>[number]
const silent = {
  entries: [{ identifier: 'silent', category: 'connectivity', type: 'error', olderThanDuration: 60 }],
} satisfies NonNullable<Content['health']>

let serial = 0

async function draft(content: Partial<Content> = {}) {
  const title = `Template ${++serial}`
  const states = [temperature, comfort]
  return api.deviceTemplate.create({
    accountId: account.id,
    title,
    content: { driverId, connectorId, states, rules: [warm], health: silent, ...content },
  })
}

async function published(content: Partial<Content> = {}) {
  const { id, version } = await draft(content)
  return (await api.deviceTemplate.publishAndSync({ id, version })).template
}

async function device(changes: object = {}) {
  const externalId = `device-${++serial}`
  return api.virtualdevice.create({ title: externalId, externalId, connectorId, ...changes })
}

/** Saves the draft of a template and synchronises its devices. */
async function changed(id: number, changes: Partial<Content>) {
  const { draft: content, title, version } = await api.deviceTemplate.get({ id })
  const saved = await api.deviceTemplate.update({ id, version, title, content: { ...content, ...changes } })
  const { job } = await api.deviceTemplate.publishAndSync({ id, version: saved.version })
  await app.drain()
  return job && api.job.get({ id: job.id })
}

const statesOf = async (id: number) =>
  (await api.digitaltwin.states({ id })).items.map(({ key, title, unit, fixed }) => ({
    key,
    title,
    unit,
    fixed,
  }))
const rulesOf = async (id: number) =>
  (await api.ddr.list({ dtwinId: id })).items.map(({ title, fixed }) => ({ title, fixed }))
const statusOf = async (id: number) => (await api.deviceTemplate.get({ id })).syncState

/** Sends a packet of a device through the pipeline. */
async function send(externalId: string, data: object) {
  const { key } = await app.api.bridge.makeKey({ id: connectorId, overlapHours: 0 })
  const response = await fetch(`${app.url}/api/hooks/${key}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ identifier: externalId, data }),
  })
  expect(response.status).toBe(200)
  await app.drain()
}

describe('a device made from a template', () => {
  test('has what that says, and nothing else by itself', async () => {
    const { id, title } = await published({
      groups: ['Rooms'],
      properties: [{ key: 'room' }, { key: 'floor', defaultValue: '0' }],
    })
    const missing = { code: 'DEVICE_TEMPLATE_PROPERTY_MISSING', data: { keys: ['room'] } }
    expect(await errorOf(device({ templateId: id }))).toMatchObject(missing)
    expect(await errorOf(device({ templateId: id, keyValues: { room: ' ' } }))).toMatchObject(missing)
    const made = await device({ templateId: id, keyValues: { room: '101' } })
    expect(made).toMatchObject({
      driverId,
      templateId: id,
      templateTitle: title,
      groups: ['Rooms'],
      keyValues: { room: '101', floor: '0' },
      requiredProperties: [{ key: 'room' }, { key: 'floor' }],
    })
    expect(await statesOf(made.id)).toEqual([
      { key: 'temperature', title: 'Temperature', unit: '°C', fixed: true },
      { key: 'comfort', title: 'Comfort', unit: '', fixed: true },
    ])
    expect(await rulesOf(made.id)).toEqual([{ title: 'Too warm', fixed: true }])
    expect(await api.health.get({ id: made.id })).toMatchObject({
      source: 'template',
      fixed: true,
      config: { entries: [{ identifier: 'silent' }] },
    })
    // What a packet carries beside it gets no state of its own.
    await send(made.externalId, { temperature: 40, humidity: 50 })
    const { items } = await api.digitaltwin.states({ id: made.id })
    expect(items.map(({ key, value }) => [key, value])).toEqual([
      ['temperature', 40],
      ['comfort', 20],
    ])
    expect((await api.alarmLogs.list({ search: made.title })).items).toMatchObject([{ message: '40 °C' }])
    expect(await statusOf(id)).toBe('synced')
    const { items: log } = await app.api.activityLog.list({ subject: 'VirtualDevice', objectId: made.id })
    expect(log.map(({ action }) => action)).toEqual(['template-link', 'create'])
  })

  test('needs a published template, its connector and its account', async () => {
    const { id } = await draft()
    expect(await errorOf(device({ templateId: id }))).toMatchObject({ code: 'DEVICE_TEMPLATE_NOT_PUBLISHED' })
    const { id: ready } = await published()
    const other = await createConnector(app, account.id, account.scopeId)
    expect(await errorOf(device({ templateId: ready, connectorId: other.id }))).toMatchObject({
      code: 'DEVICE_TEMPLATE_MISMATCH',
      data: { field: 'connector' },
    })
    const foreign = await createAccount(app, { name: 'South' })
    const stranger = await createUser(app, foreign, [{ roleId: await roleNamed(app, 'Device manager') }])
    const own = await createConnector(app, foreign.id, foreign.scopeId)
    const input = { title: 'A', externalId: 'a', connectorId: own.id, templateId: ready }
    expect(await errorOf(stranger.api.virtualdevice.create(input))).toMatchObject({
      code: 'DEVICE_TEMPLATE_NOT_FOUND',
    })
  })

  test('is not made when the connector of its template is gone', async () => {
    const passing = await createConnector(app, account.id, account.scopeId)
    const { id, version } = await published({ connectorId: passing.id })
    await app.api.bridge.delete({ id: passing.id })
    const gone = { code: 'DEVICE_TEMPLATE_CONNECTOR_DELETED' }
    expect(await errorOf(device({ templateId: id }))).toMatchObject(gone)
    expect(await errorOf(api.deviceTemplate.publishAndSync({ id, version }))).toMatchObject(gone)
  })
})

describe('what a template says', () => {
  test('DEVICE_TEMPLATE_FIXED: cannot be changed on its devices; the rest can', async () => {
    const { id } = await published({ properties: [{ key: 'room', defaultValue: '1' }] })
    const made = await device({ templateId: id })
    const [state] = (await api.digitaltwin.states({ id: made.id })).items
    const [rule] = (await api.ddr.list({ dtwinId: made.id })).items
    if (!state || !rule) throw new Error('the device has a state and a rule')
    const fixed = { code: 'DEVICE_TEMPLATE_FIXED', status: 409 }
    const { title, externalId } = made
    const update = (changes: object) =>
      api.virtualdevice.update({
        id: made.id,
        version: made.version,
        title,
        externalId,
        driverId,
        keyValues: made.keyValues,
        ...changes,
      })
    expect(await errorOf(update({ driverId: null }))).toMatchObject({ ...fixed, data: { field: 'driver' } })
    expect(await errorOf(update({ driverVersion: 1 }))).toMatchObject(fixed)
    expect(await errorOf(update({ keyValues: {} }))).toMatchObject({
      code: 'DEVICE_TEMPLATE_PROPERTY_MISSING',
      data: { keys: ['room'] },
    })
    const { value: _, time: __, ...input } = state
    expect(await errorOf(api.state.update({ ...input, title: 'Mine' }))).toMatchObject(fixed)
    expect(await errorOf(api.state.delete({ id: state.id }))).toMatchObject(fixed)
    const { metrics, conditions, actions, version } = rule
    const ruleInput = { id: rule.id, version, title: 'Mine', metrics, conditions, actions }
    expect(await errorOf(api.ddr.update(ruleInput))).toMatchObject(fixed)
    expect(await errorOf(api.ddr.delete({ id: rule.id }))).toMatchObject(fixed)
    const health = { id: made.id, version: made.version, x: 'driver' as const }
    expect(await errorOf(api.health.updateConfig(health))).toMatchObject(fixed)
    const { job } = await edit([made.id], { driver: { driverId: null } })
    expect(job.result).toEqual({ failed: 1, 'failed:DEVICE_TEMPLATE_FIXED': 1 })
    expect(await update({ title: 'Renamed', tags: ['own'], driverId })).toMatchObject({ title: 'Renamed' })
    await api.state.setValue({ id: state.id, value: 7 })
    await api.health.ignoreEntry({ id: made.id, identifier: 'silent', flag: true })
  })

  async function edit(ids: number[], changes: object) {
    const mode = { kind: 'edit', changes } as const
    const { id } = await api.bulk.edit({ title: 'A bulk edit', selection: { ids }, mode })
    await app.drain()
    return { job: await api.job.get({ id }) }
  }

  test('comes to its devices when it is published, in a job with a result for each', async () => {
    const { id } = await published()
    const devices = await Promise.all([1, 2, 3].map(() => device({ templateId: id })))
    const [first, second] = devices
    if (!first || !second) throw new Error('three devices are expected')
    await send(first.externalId, { temperature: 40 })
    await api.state.create({ dtwinId: second.id, key: 'own', title: 'Own', source: 'none' })
    const { draft: before } = await api.deviceTemplate.get({ id })
    const content = {
      states: [
        { ...temperature, unit: 'K' },
        { key: 'mode', title: 'Mode', source: 'none', valueType: 'text' },
      ],
      rules: before.rules.map((rule) => ({
        ...rule,
        title: 'Hot',
        actions: [{ kind: 'set-state' as const, stateKey: 'mode', value: { value: 'hot' } }],
      })),
      health: null,
    } satisfies Partial<Content>
    const saved = await api.deviceTemplate.update({
      id,
      version: 2,
      title: 'Changed',
      content: { ...before, ...content },
    })
    expect(saved).toMatchObject({ syncState: 'changed', changeCount: 5 })
    // Saving touches no device.
    expect(await statesOf(first.id)).toMatchObject([{ unit: '°C' }, { key: 'comfort' }])
    const { items, devices: concerned } = await api.deviceTemplate.changes({ id })
    expect(concerned).toBe(3)
    expect(items.map(({ section, kind, key, devices: count }) => [section, kind, key, count])).toEqual([
      ['health', 'removed', '', 3],
      ['state', 'changed', 'temperature', 3],
      ['state', 'added', 'mode', 3],
      ['state', 'removed', 'comfort', 3],
      ['rule', 'changed', before.rules[0]?.id, 3],
    ])
    const { job } = await api.deviceTemplate.publishAndSync({ id, version: saved.version })
    expect(job).toMatchObject({
      type: 'device-template-sync',
      total: 3,
      resource: { type: 'deviceTemplate', id },
    })
    await app.drain()
    expect(await api.job.get({ id: job?.id ?? 0 })).toMatchObject({ state: 'done', result: { done: 3 } })
    expect(await statesOf(first.id)).toEqual([
      { key: 'temperature', title: 'Temperature', unit: 'K', fixed: true },
      { key: 'mode', title: 'Mode', unit: '', fixed: true },
    ])
    // Additions by users are kept, and so is the history.
    expect((await statesOf(second.id)).map(({ key }) => key)).toEqual(['temperature', 'own', 'mode'])
    expect((await api.digitaltwin.states({ id: first.id })).items[0]).toMatchObject({ value: 40 })
    expect(await rulesOf(first.id)).toEqual([{ title: 'Hot', fixed: true }])
    expect(await api.health.get({ id: first.id })).toMatchObject({ source: 'driver', fixed: true })
    // The rule that raised the alarm raises none any more.
    const { items: alarms } = await api.alarmLogs.list({ search: first.title })
    expect(alarms.map(({ resolvedAt }) => resolvedAt !== null)).toEqual([true])
    expect(await statusOf(id)).toBe('synced')
    expect(await api.deviceTemplate.changes({ id })).toMatchObject({ items: [] })
    expect(
      (
        await api.deviceTemplate.publishAndSync({
          id,
          version: (await api.deviceTemplate.get({ id })).version,
        })
      ).job,
    ).toBeNull()
  })

  test('cannot be given to a device where it does not go with what that has: the others are in line', async () => {
    const { id } = await published()
    const [fine, crowded] = [await device({ templateId: id }), await device({ templateId: id })]
    const [state] = (await api.digitaltwin.states({ id: crowded.id })).items
    const own = {
      dtwinId: crowded.id,
      title: 'Cold',
      metrics: [{ alias: 't', stateId: state?.id ?? 0 }],
      conditions: warm.conditions,
      actions: [{ kind: 'alarm' as const, severity: 'error' as const, message: 'x' }],
    }
    const rule = await api.ddr.create(own)
    const job = await changed(id, { rules: [{ ...warm, title: 'Cold' }] })
    expect(job).toMatchObject({
      state: 'done',
      result: { done: 1, failed: 1, 'failed:DDR_DUPLICATE_NAME': 1 },
    })
    expect(await api.deviceTemplate.get({ id })).toMatchObject({ syncState: 'failed', failedCount: 1 })
    const { items } = await api.deviceTemplate.fetchLinkedDevices({ id, states: ['failed'] })
    expect(items).toMatchObject([
      { id: crowded.id, syncState: 'failed', error: { code: 'DDR_DUPLICATE_NAME' } },
    ])
    expect((await api.deviceTemplate.fetchLinkedDevices({ id, search: fine.title })).items).toMatchObject([
      { id: fine.id, syncState: 'synced', error: null },
    ])
    await api.ddr.delete({ id: rule.id })
    await api.job.retry({ id: job?.id ?? 0 })
    await app.drain()
    expect(await statusOf(id)).toBe('synced')
    expect(await rulesOf(crowded.id)).toEqual([{ title: 'Cold', fixed: true }])
  })

  test('DEVICE_TEMPLATE_SYNC_RUNNING: is published again when its devices are in line, or the job was cancelled', async () => {
    const { id } = await published()
    await device({ templateId: id })
    await app.ctx.db
      .updateTable('virtual_devices')
      .set({ template_publication: 0 })
      .where('template_id', '=', id)
      .execute()
    expect(await statusOf(id)).toBe('unknown')
    const { version } = await api.deviceTemplate.get({ id })
    const { rows } = await sql<{ id: number }>`
      insert into background_jobs (type, account_id, scope_id, user_name, title, resource_type, resource_id, params, state, created_at)
      values ('device-template-sync', ${account.id}, ${account.scopeId}, 'x', 'x', 'deviceTemplate', ${id}, '{}', 'inprogress', now())
      returning id`.execute(app.ctx.db)
    const jobId = rows[0]?.id ?? 0
    await app.ctx.db
      .updateTable('device_templates')
      .set({ sync_job_id: jobId })
      .where('id', '=', id)
      .execute()
    expect(await statusOf(id)).toBe('running')
    expect(await errorOf(api.deviceTemplate.publishAndSync({ id, version }))).toMatchObject({
      code: 'DEVICE_TEMPLATE_SYNC_RUNNING',
    })
    await app.ctx.db
      .updateTable('background_jobs')
      .set({ state: 'canceled' })
      .where('id', '=', jobId)
      .execute()
    const { job } = await api.deviceTemplate.publishAndSync({ id, version })
    expect(job).toMatchObject({ total: 1 })
    await app.drain()
    // It already matched the template, so nothing is written again.
    expect(await api.job.get({ id: job?.id ?? 0 })).toMatchObject({ result: { unchanged: 1 } })
    expect(await statusOf(id)).toBe('synced')
  })

  test('exchanges titles of rules, and feeds no state with itself', async () => {
    const { id } = await published({ rules: [warm, { ...warm, title: 'Second' }] })
    const made = await device({ templateId: id })
    const { draft: before } = await api.deviceTemplate.get({ id })
    const [one, two] = before.rules
    if (!one || !two) throw new Error('two rules are expected')
    expect(
      await changed(id, {
        rules: [
          { ...one, title: two.title },
          { ...two, title: one.title },
        ],
      }),
    ).toMatchObject({ result: { done: 1 } })
    const mode = { key: 'mode', title: 'Mode', source: 'none' as const }
    const second = { ...comfort, sourceSettings: { stateKeys: ['mode'] } }
    const sets = (stateKey: string) => [{ kind: 'set-state' as const, stateKey, value: { value: 1 } }]
    expect(await changed(id, { states: [temperature, mode, second], rules: [] })).toMatchObject({
      result: { done: 1 },
    })
    const { items: states } = await api.digitaltwin.states({ id: made.id })
    const idOf = (name: string) => states.find(({ key }) => key === name)?.id ?? 0
    // The device's own rule closes the loop, which the template cannot know.
    await api.ddr.create({
      dtwinId: made.id,
      title: 'Own',
      metrics: [{ alias: 'c', stateId: idOf('comfort') }],
      conditions: { op: 'gt', left: { metric: 'c' }, right: { value: 0 } },
      actions: [{ kind: 'set-state', stateId: idOf('temperature'), value: { value: 1 } }],
    })
    expect(await changed(id, { rules: [{ ...warm, actions: sets('mode') }] })).toMatchObject({
      result: { failed: 1, 'failed:AGGREGATE_LOOP': 1 },
    })
    expect(await rulesOf(made.id)).toEqual([{ title: 'Own', fixed: false }])
  })
})

describe('linking a device', () => {
  test('says before what goes, drops that with its history, and keeps what is used', async () => {
    const { id: templateId } = await published({ properties: [{ key: 'room' }] })
    const made = await device({ driverId })
    await send(made.externalId, { temperature: 20, battery: 3, humidity: 50 })
    const { items: before } = await api.digitaltwin.states({ id: made.id })
    const battery = before.find(({ key }) => key === 'battery')?.id ?? 0
    const twin = await api.digitaltwin.create({ title: 'Room', accountId: account.id })
    const source = { source: 'aggregate' as const, sourceSettings: { stateIds: [battery] } }
    await api.state.create({ dtwinId: twin.id, key: 'battery', title: 'Battery', ...source })
    expect(await api.deviceTemplate.previewLink({ id: made.id, templateId })).toMatchObject({
      faults: [],
      dropped: [{ key: 'humidity' }],
      kept: [{ key: 'battery', stateId: battery }],
      matched: [{ key: 'temperature' }],
      added: [{ key: 'comfort', title: 'Comfort' }],
      rules: [{ title: 'Too warm', replaces: false }],
      properties: [{ key: 'room', value: null }],
    })
    const { version } = await api.virtualdevice.get({ id: made.id })
    const link = (changes: object = {}) =>
      api.deviceTemplate.link({ id: made.id, version, templateId, ...changes })
    expect(await errorOf(link())).toMatchObject({ code: 'DEVICE_TEMPLATE_PROPERTY_MISSING' })
    expect(await errorOf(link({ version: version + 1 }))).toMatchObject({ code: 'VERSION_CONFLICT' })
    const linked = await link({ properties: { room: '7' } })
    expect(linked).toMatchObject({ templateId, keyValues: { room: '7' } })
    expect(await statesOf(made.id)).toEqual([
      { key: 'temperature', title: 'Temperature', unit: '°C', fixed: true },
      { key: 'battery', title: 'Battery', unit: 'V', fixed: false },
      { key: 'comfort', title: 'Comfort', unit: '', fixed: true },
    ])
    const { items: after } = await api.digitaltwin.states({ id: made.id })
    expect(after.map(({ value }) => value)).toEqual([20, 3, 10])
    expect(await errorOf(link({ version: linked.version }))).toMatchObject({
      code: 'DEVICE_TEMPLATE_ALREADY_LINKED',
    })
    expect((await api.deviceTemplate.previewLink({ id: made.id, templateId })).faults).toEqual([
      { code: 'DEVICE_TEMPLATE_ALREADY_LINKED' },
    ])
    const { items: log } = await app.api.activityLog.list({ subject: 'VirtualDevice', objectId: made.id })
    expect(log[0]).toMatchObject({ action: 'template-link', changes: { deletedStates: ['humidity'] } })
  })

  test('is undone without losing anything', async () => {
    const { id: templateId } = await published()
    const made = await device({ templateId })
    await send(made.externalId, { temperature: 20 })
    const before = await statesOf(made.id)
    const { version } = await api.virtualdevice.get({ id: made.id })
    const free = await api.deviceTemplate.unlink({ id: made.id, version })
    expect(free).toMatchObject({ templateId: null, templateTitle: null, driverId, requiredProperties: [] })
    expect(await statesOf(made.id)).toEqual(before.map((state) => ({ ...state, fixed: false })))
    expect(await rulesOf(made.id)).toEqual([{ title: 'Too warm', fixed: false }])
    expect(await api.health.get({ id: made.id })).toMatchObject({ source: 'own', fixed: false })
    expect(await errorOf(api.deviceTemplate.unlink({ id: made.id, version: free.version }))).toMatchObject({
      code: 'DEVICE_TEMPLATE_NOT_LINKED',
    })
    // From now on packets bring states again.
    await send(made.externalId, { temperature: 21, humidity: 50 })
    expect((await statesOf(made.id)).map(({ key }) => key)).toEqual(['temperature', 'comfort', 'humidity'])
    expect(await statusOf(templateId)).toBe('unlinked')
    const again = await api.virtualdevice.get({ id: made.id })
    const { rules } = await api.deviceTemplate.previewLink({ id: made.id, templateId })
    expect(rules).toEqual([{ title: 'Too warm', replaces: true }])
    const linked = await api.deviceTemplate.link({ id: made.id, version: again.version, templateId })
    expect(await rulesOf(made.id)).toEqual([{ title: 'Too warm', fixed: true }])
    expect(await statesOf(made.id)).toEqual(before)
    await api.deviceTemplate.unlink({ id: made.id, version: linked.version })
    await api.deviceTemplate.delete({ id: templateId })
  })

  test('is undone together with other changes, or nothing is changed', async () => {
    const { id: templateId } = await published({ properties: [{ key: 'room', defaultValue: '1' }] })
    const other = await device()
    const made = await device({ templateId })
    await send(made.externalId, { temperature: 20 })
    const shown = async () => {
      const { items } = await app.api.activityLog.list({ subject: 'VirtualDevice', objectId: made.id })
      const now = await api.virtualdevice.get({ id: made.id })
      return { now, states: await statesOf(made.id), rules: await rulesOf(made.id), entries: items.length }
    }
    const before = await shown()
    const { version } = before.now
    const save = (changes: object) =>
      api.virtualdevice.update({ ...before.now, title: 'Renamed', templateId: null, ...changes })
    expect(await errorOf(save({ externalId: other.externalId }))).toMatchObject({
      code: 'DEVICE_ALREADY_EXISTS',
    })
    expect(await errorOf(save({ driverId: 999_999 }))).toMatchObject({ code: 'DEVICEDRIVER_NOT_FOUND' })
    expect(await errorOf(save({ version: version + 1 }))).toMatchObject({ code: 'VERSION_CONFLICT' })
    expect(await errorOf(save({ keyValues: { '': 'no name' } }))).toMatchObject({
      code: 'PARAMETER_VALIDATION_ERROR',
    })
    expect(await errorOf(save({ templateId: templateId + 1 }))).toMatchObject({
      code: 'VALIDATION_ERROR',
      data: { field: 'templateId' },
    })
    expect(await shown()).toEqual(before)
    // What the template fixed and required can be changed in the same call.
    const free = await save({ driverId: null, keyValues: {} })
    expect(free).toMatchObject({
      title: 'Renamed',
      templateId: null,
      driverId: null,
      keyValues: {},
      requiredProperties: [],
    })
    const after = await shown()
    expect(after.states).toEqual(before.states.map((state) => ({ ...state, fixed: false })))
    expect(after.rules).toEqual([{ title: 'Too warm', fixed: false }])
    const log = await app.api.activityLog.list({ subject: 'VirtualDevice', objectId: made.id })
    expect(log.items.slice(0, 2).map(({ action }) => action)).toEqual(['update', 'template-unlink'])
    // A device without a template has nothing to leave.
    expect(await api.virtualdevice.update({ ...free, templateId: null })).toMatchObject({ templateId: null })
  })

  test('many at once tells for each what came of it', async () => {
    const { id: templateId } = await published()
    const other = await createConnector(app, account.id, account.scopeId)
    const fitting = await device({ driverId })
    const without = await device()
    const elsewhere = await device({ driverId, connectorId: other.id })
    const linked = await device({ templateId })
    const ids = [fitting, without, elsewhere, linked].map(({ id }) => id)
    const mode = { kind: 'link', templateId } as const
    const { id } = await api.bulk.edit({ title: 'Link them', selection: { ids }, mode })
    await app.drain()
    const { items } = await api.job.rows({ id })
    expect(items.map(({ state, faults }) => faults[0]?.code ?? state)).toEqual([
      ...['done', 'DEVICE_TEMPLATE_MISMATCH', 'DEVICE_TEMPLATE_MISMATCH', 'DEVICE_TEMPLATE_ALREADY_LINKED'],
    ])
    expect(await api.virtualdevice.list({ template_ids: [templateId] })).toMatchObject({
      total: 2,
      items: [{ id: fitting.id, templateId }, { id: linked.id }],
    })
    const group = await api.smartGroup.create({ title: 'Linked', filter: { ids }, accountId: account.id })
    expect((await api.deviceTemplate.fetchSmartGroupRelated({ view_id: group.id })).items).toMatchObject([
      { id: templateId, accountId: account.id, devices: 2 },
    ])
    const { id: unready } = await draft()
    const start = (owner: Api, template: number) =>
      owner.bulk.edit({
        title: 'Link them',
        selection: { ids },
        mode: { kind: 'link', templateId: template },
      })
    expect(await errorOf(start(api, unready))).toMatchObject({ code: 'DEVICE_TEMPLATE_NOT_PUBLISHED' })
    expect(await errorOf(start(api, 999_999))).toMatchObject({ code: 'DEVICE_TEMPLATE_NOT_FOUND' })
  })
})
