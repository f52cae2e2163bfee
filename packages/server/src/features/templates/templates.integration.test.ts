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
import { acceptDriver, createConnector, createDevice, createDriver } from '../../../test/pipeline.ts'

let app: TestApp
let driverId: number

beforeAll(async () => {
  app = await startApp()
  driverId = await createDriver(app, 'module.exports = () => ({ temperature: 21 })', [
    { key: 'temperature', title: 'Temperature', unit: '°C' },
  ])
  await app.ctx.db.updateTable('drivers').set({ visibility: 'everyone' }).where('id', '=', driverId).execute()
})

/** An account with a connector and a user who manages templates in it. */
async function place(parent?: { id: number; scopeId: number }) {
  const account = await createAccount(app, parent ? { parent } : {})
  const connector = await createConnector(app, account.id, account.scopeId)
  await acceptDriver(app, account.id, driverId)
  const roleId = await createRole(app, [{ subject: 'DeviceTemplate', actions: ['read', 'manage'] }])
  const { api } = await createUser(app, account, [{ roleId }])
  return { account, connector, api }
}

type Content = Parameters<Api['deviceTemplate']['create']>[0]['content']
type Rule = NonNullable<Content['rules']>[number]
type Place = Awaited<ReturnType<typeof place>>

const temperature = { key: 'temperature', title: 'Temperature', unit: '°C', source: 'connector' } as const
const warm = {
  title: 'Too warm',
  metrics: [{ alias: 't', stateKey: 'temperature' }],
  conditions: { op: 'gt', left: { metric: 't' }, right: { value: 30 } },
  actions: [{ kind: 'alarm', severity: 'warning', message: '{{t}} °C' }],
} satisfies Rule

const create = ({ api, account, connector }: Place, title: string, content: Partial<Content> = {}) =>
  api.deviceTemplate.create({
    accountId: account.id,
    title,
    content: { driverId, connectorId: connector.id, states: [temperature], ...content },
  })

/** Codes and paths of the issues of a template. */
async function issuesOf(at: Place, content: Partial<Content>) {
  const error = await errorOf(create(at, 'Wrong', content))
  expect(error).toMatchObject({ code: 'DEVICE_TEMPLATE_INVALID', status: 422 })
  const { issues } = error.data as { issues: { code: string; path: string[] }[] }
  return issues.map(({ code, path }) => `${code} ${path.join('.')}`)
}

describe('a template', () => {
  test('is created as a draft, saved, listed, found and deleted, with an entry each', async () => {
    const at = await place()
    const made = await create(at, ' Room ', {
      rules: [warm],
      tags: ['indoor', 'indoor'],
      properties: [{ key: 'room' }],
    })
    expect(made).toMatchObject({
      title: 'Room',
      stage: 'draft',
      syncState: 'changed',
      deviceCount: 0,
      publishedAt: null,
      accountId: at.account.id,
      driverId,
      connectorId: at.connector.id,
      editable: true,
      version: 1,
      productive: null,
      changeCount: 6,
      jobId: null,
      draft: { tags: ['indoor'], states: [{ key: 'temperature', valueType: 'number' }] },
    })
    const { id, draft } = made
    expect(draft.rules[0]?.id).toMatch(/^[0-9a-f-]{36}$/)
    expect(await at.api.deviceTemplate.draft({ id })).toEqual(draft)
    expect(await errorOf(at.api.deviceTemplate.productive({ id }))).toMatchObject({
      code: 'DEVICE_TEMPLATE_NOT_PUBLISHED',
    })
    const content = { ...draft, icon: 'thermometer' }
    const saved = await at.api.deviceTemplate.update({ id, version: 1, title: 'Rooms', content })
    expect(saved).toMatchObject({ title: 'Rooms', icon: 'thermometer', version: 2, draft: content })
    expect(
      await errorOf(at.api.deviceTemplate.update({ id, version: 1, title: 'Late', content })),
    ).toMatchObject({ code: 'VERSION_CONFLICT' })
    const listed = await at.api.deviceTemplate.list({ search: 'room' })
    const { draft: _, productive: __, changeCount: ___, jobId: ____, ...summary } = saved
    expect(listed).toMatchObject({ total: 1, items: [summary] })
    for (const none of [{ search: '"room"' }, { productive: true }, { driverIds: [driverId + 1] }])
      expect((await at.api.deviceTemplate.list(none)).total).toBe(0)
    await at.api.deviceTemplate.delete({ id })
    expect(await errorOf(at.api.deviceTemplate.get({ id }))).toMatchObject({
      code: 'DEVICE_TEMPLATE_NOT_FOUND',
    })
    const { items } = await app.api.activityLog.list({ subject: 'DeviceTemplate', objectId: id })
    expect(items.map(({ action }) => action)).toEqual(['delete', 'update', 'create'])
    expect(items[1]?.changes).toMatchObject({
      title: { before: 'Room', after: 'Rooms' },
      icon: { before: null },
    })
  })

  test('has a title nobody else has in its account, upper and lower case the same', async () => {
    const [at, other] = [await place(), await place()]
    await create(at, 'Meter')
    const taken = { code: 'DEVICE_TEMPLATE_TITLE_TAKEN', status: 409 }
    expect(await errorOf(create(at, 'METER'))).toMatchObject(taken)
    const { id, draft: content } = await create(at, 'Meter 2')
    expect(
      await errorOf(at.api.deviceTemplate.update({ id, version: 1, title: 'meter', content })),
    ).toMatchObject(taken)
    expect(await create(other, 'Meter')).toMatchObject({ title: 'Meter' })
  })

  test('is for drivers and connectors its account can use, of the account or from above', async () => {
    const parent = await place()
    const at = await place(parent.account)
    const foreign = await place()
    const unknown = { code: 'CONNECTOR_NOT_FOUND', status: 404 }
    expect(await errorOf(create(at, 'A', { connectorId: foreign.connector.id }))).toMatchObject(unknown)
    // A connector of an account above is only available to users who may add devices to it.
    expect(await errorOf(create(at, 'A', { connectorId: parent.connector.id }))).toMatchObject(unknown)
    const whole = { ...at, api: app.api }
    expect(await create(whole, 'A', { connectorId: parent.connector.id })).toMatchObject({
      connectorId: parent.connector.id,
    })
    expect(await errorOf(create(at, 'B', { driverVersion: 7 }))).toMatchObject({
      code: 'DEVICEDRIVER_NOT_FOUND',
    })
    expect(await errorOf(create(at, 'B', { connectorId: null }))).toMatchObject(unknown)
  })

  test('is in nobody else’s reach', async () => {
    const [at, other] = [await place(), await place()]
    const { id, draft: content } = await create(at, 'Hidden')
    const unknown = { code: 'DEVICE_TEMPLATE_NOT_FOUND', status: 404 }
    for (const call of [
      () => other.api.deviceTemplate.get({ id }),
      () => other.api.deviceTemplate.changes({ id }),
      () => other.api.deviceTemplate.update({ id, version: 1, title: 'Mine', content }),
      () => other.api.deviceTemplate.delete({ id }),
    ])
      expect(await errorOf(call())).toMatchObject(unknown)
    expect((await other.api.deviceTemplate.list({})).total).toBe(0)
  })

  test('outlives its connector, and can be saved without one then', async () => {
    const at = await place()
    const { id } = await create(at, 'Bereft')
    await app.api.bridge.delete({ id: at.connector.id })
    const { draft: content, ...found } = await at.api.deviceTemplate.get({ id })
    expect(found).toMatchObject({ connectorId: null, connectorName: null })
    expect(await at.api.deviceTemplate.update({ id, version: 1, title: 'Still', content })).toMatchObject({
      draft: { connectorId: null },
    })
  })

  test('keeps its driver from being deleted, and goes with its account', async () => {
    const at = await place()
    const own = await app.api.devicedrivers.create({
      accountId: at.account.id,
      title: 'Own',
      publish: true,
      script: 'module.exports = () => ({})',
    })
    const { id } = await create(at, 'Held', { driverId: own.id })
    expect(await errorOf(app.api.devicedrivers.delete({ id: own.id }))).toMatchObject({
      code: 'DEVICEDRIVER_IN_USE',
      data: { devices: 0, templates: 1 },
    })
    await app.api.bridge.delete({ id: at.connector.id })
    await app.api.tenant.delete({ id: at.account.id, virtualDevices: 0 })
    expect(await errorOf(app.api.deviceTemplate.get({ id }))).toMatchObject({
      code: 'DEVICE_TEMPLATE_NOT_FOUND',
    })
  })

  test('DEVICE_TEMPLATE_LINKED, DEVICE_TEMPLATE_CONNECTOR_IN_USE: devices hold it and its connector', async () => {
    const at = await place()
    const { id, draft } = await create(at, 'Linked')
    const deviceId = await createDevice(app, { ...at.connector }, 'linked-1', driverId)
    await app.ctx.db
      .updateTable('virtual_devices')
      .set({ template_id: id })
      .where('twin_id', '=', deviceId)
      .execute()
    expect(await errorOf(at.api.deviceTemplate.delete({ id }))).toMatchObject({
      code: 'DEVICE_TEMPLATE_LINKED',
      // Callers who see no devices still get their number.
      data: { devices: 1, items: [] },
    })
    expect(await errorOf(app.api.deviceTemplate.delete({ id }))).toMatchObject({
      data: { devices: 1, items: [{ id: deviceId }] },
    })
    const further = await createConnector(app, at.account.id, at.account.scopeId)
    const content = { ...draft, connectorId: further.id }
    expect(
      await errorOf(at.api.deviceTemplate.update({ id, version: 1, title: 'Linked', content })),
    ).toMatchObject({ code: 'DEVICE_TEMPLATE_CONNECTOR_IN_USE' })
  })
})

describe('what a template says', () => {
  test('fits together, else each fault is named with its place', async () => {
    const at = await place()
    expect(
      await issuesOf(at, { states: [temperature, temperature], properties: [{ key: 'a' }, { key: 'a' }] }),
    ).toEqual(['TWICE states.1.key', 'TWICE properties.1.key'])
    const mean = { key: 'mean', title: 'Mean', source: 'aggregate' } as const
    expect(
      await issuesOf(at, {
        states: [
          { ...mean, sourceSettings: { stateKeys: ['nowhere'] } },
          { ...mean, key: 'empty' },
        ],
      }),
    ).toEqual([
      'STATE_UNKNOWN states.0.sourceSettings.stateKeys',
      'STATE_INVALID states.1.sourceSettings.stateIds',
    ])
    const metrics = [{ alias: 't', stateKey: 'nowhere' }]
    expect(await issuesOf(at, { rules: [{ ...warm, metrics }] })).toEqual([
      'STATE_UNKNOWN rules.0.metrics.0.stateKey',
    ])
    const conditions = { op: 'gt', left: { metric: 'x' }, right: { value: 1 } } as const
    const actions = [{ kind: 'set-state', stateKey: 'mean', value: { value: 1 } }] as const
    expect(
      await issuesOf(at, {
        states: [temperature, { ...mean, sourceSettings: { stateKeys: ['temperature'] } }],
        rules: [{ ...warm, conditions, actions: [...actions] }],
      }),
    ).toEqual(['RULE_INVALID rules.0.conditions.left', 'RULE_INVALID rules.0.actions.0.stateKey'])
    expect(await issuesOf(at, { rules: [warm, warm] })).toEqual(['TWICE rules.1.title'])
  })

  test('feeds no state with itself, by aggregates or rules', async () => {
    const at = await place()
    const of = (key: string, ...stateKeys: string[]) =>
      ({ key, title: key, source: 'aggregate', sourceSettings: { stateKeys } }) as const
    expect(await issuesOf(at, { states: [of('a', 'b'), of('b', 'a'), temperature] })).toEqual(['LOOP states'])
    const target = { key: 'target', title: 'Target', source: 'none' } as const
    const rule = {
      ...warm,
      metrics: [{ alias: 't', stateKey: 'mean' }],
      actions: [{ kind: 'set-state', stateKey: 'target', value: { metric: 't' } }],
    } satisfies Rule
    expect(await issuesOf(at, { states: [of('mean', 'target'), target], rules: [rule] })).toEqual([
      'LOOP states',
    ])
    expect(
      await create(at, 'Straight', {
        states: [of('mean', 'temperature'), temperature, target],
        rules: [rule],
      }),
    ).toMatchObject({ title: 'Straight' })
  })

  test('is saved with a driver of another account only if it is accepted', async () => {
    const [author, at] = [await place(), await place()]
    const role = [{ roleId: await roleNamed(app, 'Device manager') }]
    const { api } = await createUser(app, at.account, role)
    const newDriver = async () => {
      const accountId = author.account.id
      const script = 'module.exports = () => ({ temperature: 21 })'
      const made = await app.api.devicedrivers.create({ accountId, title: 'Foreign', script })
      return app.api.devicedrivers.update({ ...made, visibility: 'everyone' })
    }
    const [first, second] = [await newDriver(), await newDriver()]
    const acceptances = async ({ id }: typeof first) =>
      (await api.devicedrivers.acceptances({ id, accountId: at.account.id })).items
    const input = {
      accountId: at.account.id,
      title: 'Foreign',
      content: { driverId: first.id, connectorId: at.connector.id, states: [temperature] },
    }
    const refused = ({ id }: typeof first) => ({
      code: 'DEVICEDRIVER_NOT_ACCEPTED',
      data: { drivers: [{ id }] },
    })
    expect(await errorOf(api.deviceTemplate.create(input))).toMatchObject(refused(first))
    expect((await api.deviceTemplate.list({})).total).toBe(0)
    const made = await api.deviceTemplate.create({ ...input, acceptDriver: 1 })
    expect(await acceptances(first)).toMatchObject([{ number: 1, acceptedBy: expect.stringMatching(/./) }])
    const content = { ...made.draft, driverId: second.id }
    const update = { id: made.id, version: made.version, title: 'Foreign', content }
    expect(await errorOf(api.deviceTemplate.update(update))).toMatchObject(refused(second))
    expect((await api.deviceTemplate.get({ id: made.id })).draft.driverId).toBe(first.id)
    await api.deviceTemplate.update({ ...update, acceptDriver: 1 })
    expect(await acceptances(second)).toHaveLength(1)
  })

  test('has scripts that compile', async () => {
    const at = await place()
    const transformer = 'return value +'
    expect(await errorOf(create(at, 'Script', { states: [{ ...temperature, transformer }] }))).toMatchObject({
      code: 'SCRIPT_SYNTAX',
      data: { alias: 'temperature' },
    })
  })
})

test('TENANT_TEMPLATE_LIMIT: an account has so many templates, with those below it', async () => {
  const top = await place()
  const inner = await place(top.account)
  const { version } = await app.api.tenant.get({ id: top.account.id })
  await app.api.tenant.setTemplateLimits({ id: top.account.id, version, templates: 2 })
  await create(top, 'One')
  await create(inner, 'Two')
  expect(await errorOf(create(top, 'Three'))).toMatchObject({
    code: 'TENANT_TEMPLATE_LIMIT',
    data: { limit: 2, used: 2, accountId: top.account.id },
  })
  expect(await errorOf(create(inner, 'Three'))).toMatchObject({
    code: 'TENANT_TEMPLATE_LIMIT_ABOVE',
    data: { limit: 2 },
  })
  expect((await app.api.tenant.get({ id: top.account.id })).limits.templates).toMatchObject({
    value: 2,
    used: 2,
  })
})
