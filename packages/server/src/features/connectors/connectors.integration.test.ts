import { connectorKinds } from '@leitstand/contract/bridge'
import { beforeAll, describe, expect, test } from 'vitest'
import {
  type Api,
  createAccount,
  createRole,
  createUser,
  errorOf,
  startApp,
  type TestApp,
} from '../../../test/kit.ts'
import { createDevice } from '../../../test/pipeline.ts'

interface Tenant {
  id: number
  scopeId: number
  api: Api
}

let app: TestApp
let north: Tenant
let south: Tenant
let serial = 0

beforeAll(async () => {
  app = await startApp()
  const manager = await createRole(app, [{ subject: 'all', actions: ['manage'] }])
  north = await tenant('North', manager)
  south = await tenant('South', manager)
})

async function tenant(name: string, roleId: number): Promise<Tenant> {
  const account = await createAccount(app, { name })
  return { ...account, api: (await createUser(app, account, [{ roleId }])).api }
}

const webhook = (owner: Tenant, changes: object = {}) =>
  owner.api.bridge.create({
    accountId: owner.id,
    kind: 'webhook-in',
    name: `Webhook ${++serial}`,
    settings: { preset: 'standard' },
    ...changes,
  })

const activities = async (owner: Tenant) =>
  (await owner.api.activityLog.list({})).items.filter(({ subject }) => subject === 'Connector')

test('the kinds say what they can do and describe their settings', async () => {
  const { items } = await app.api.bridge.types()
  expect(items.map(({ kind }) => kind)).toEqual(connectorKinds)
  expect(items.find(({ kind }) => kind === 'mqtt-in')).toMatchObject({
    capabilities: ['device-management', 'data-source', 'commands', 'ingestion'],
    direction: 'in',
    presets: ['standard', 'tts-v3', 'chirpstack-v4', 'template'],
    settingsSchema: { type: 'object', required: ['host', 'topics'] },
  })
})

test('create, read, update and delete, with an entry in the activity log each', async () => {
  const created = await webhook(north, { name: 'Uplinks', description: 'from the roof' })
  expect(created).toMatchObject({
    accountId: north.id,
    accountName: 'North',
    kind: 'webhook-in',
    enabled: true,
    state: 'listening',
    settings: { preset: 'standard', template: '' },
    deviceCount: 0,
    version: 1,
  })
  expect(created.key).toMatch(/^[\w-]{32}$/)
  const { key, ...shown } = created
  expect(await north.api.bridge.get({ id: created.id })).toEqual(shown)
  const settings = { preset: 'tts-v3' }
  const changed = await north.api.bridge.update({ ...created, name: 'Uplinks TTS', settings })
  expect(changed).toMatchObject({ name: 'Uplinks TTS', version: 2, settings: { preset: 'tts-v3' } })
  expect(changed.keys).toEqual(created.keys)
  expect(await errorOf(north.api.bridge.update({ ...created, settings }))).toMatchObject({
    code: 'VERSION_CONFLICT',
    status: 409,
  })
  expect(await north.api.bridge.delete({ id: created.id })).toEqual({ ok: true })
  expect(await errorOf(north.api.bridge.get({ id: created.id }))).toMatchObject({
    code: 'CONNECTOR_NOT_FOUND',
  })
  expect((await activities(north)).map(({ action, objectTitle }) => [action, objectTitle])).toEqual([
    ['delete', 'Uplinks TTS'],
    ['update', 'Uplinks TTS'],
    ['create', 'Uplinks'],
  ])
  const hook = await fetch(`${app.url}/api/hooks/${key}`, { method: 'POST', body: '{}' })
  expect(hook.status).toBe(404)
})

test('secrets neither come back nor stand in the database or the activity log', async () => {
  const settings = { username: 'secret-keeper', password: 'very secret words' }
  const created = await north.api.bridge.create({
    accountId: north.id,
    kind: 'mqtt-broker',
    name: 'Broker',
    settings,
  })
  expect(created.settings).toMatchObject({ username: 'secret-keeper', password: '' })
  const changed = await north.api.bridge.update({
    ...created,
    settings: { ...created.settings, password: 'other secret words' },
  })
  expect(JSON.stringify([created, changed, await activities(north)])).not.toMatch(/secret words|argon/)
  const row = await app.ctx.db
    .selectFrom('connectors')
    .select('settings')
    .where('id', '=', created.id)
    .executeTakeFirstOrThrow()
  expect(JSON.stringify(row.settings)).not.toContain('secret words')
})

describe('what does not work is not stored', () => {
  const refused = (changes: object) => errorOf(webhook(north, changes))

  test.each([
    ['settings of the wrong form', { settings: { preset: 'unheard of' } }, 'BRIDGE_INVALID_SETTINGS'],
    [
      'a template that cannot be compiled',
      { settings: { preset: 'template', template: 'module.exports = (' } },
      'BRIDGE_INVALID_MUTATOR_SCRIPT',
    ],
    [
      'a template without its function',
      { settings: { preset: 'template', template: 'const a = 1' } },
      'BRIDGE_INVALID_MUTATOR_SCRIPT',
    ],
    [
      'a short password',
      { kind: 'mqtt-broker', settings: { username: 'short', password: '1' } },
      'BRIDGE_INVALID_SETTINGS',
    ],
    ['no password', { kind: 'mqtt-broker', settings: { username: 'none' } }, 'BRIDGE_INVALID_SETTINGS'],
    [
      'topics of the broker itself',
      {
        kind: 'mqtt-broker',
        settings: { username: 'sys', password: 'long enough', subscribeTopics: ['$SYS/#'] },
      },
      'BRIDGE_INVALID_SETTINGS',
    ],
  ])('%s', async (_what, changes, code) => {
    expect(await refused(changes)).toMatchObject({ code, status: 422 })
  })

  test('a name that is taken', async () => {
    const { name } = await webhook(north)
    expect(await refused({ name })).toMatchObject({
      code: 'BRIDGE_INVALID_SETTINGS',
      data: { checks: [{ name: 'name', ok: false }] },
    })
    expect((await webhook(south, { name })).name).toBe(name)
  })
})

test('nothing leaks into the account beside it', async () => {
  const { id, version, name, settings } = await webhook(north)
  const list = await south.api.bridge.list({ limit: 1000 })
  expect(list.items.map((item) => item.id)).not.toContain(id)
  const calls = [
    south.api.bridge.get({ id }),
    south.api.bridge.update({ id, version, name, settings }),
    south.api.bridge.delete({ id }),
    south.api.bridge.stateReset({ id }),
    south.api.bridge.traffic({ id }),
    south.api.bridge.logs({ id }),
    south.api.letters.list({ id }),
    south.api.bridge.validate({ accountId: south.id, kind: 'webhook-in', id, settings }),
  ]
  for (const error of await Promise.all(calls.map(errorOf))) {
    expect(error).toMatchObject({ code: 'CONNECTOR_NOT_FOUND' })
  }
  expect(await errorOf(webhook({ ...south, id: north.id }))).toMatchObject({ code: 'TENANT_NOT_FOUND' })
  const trial = { accountId: north.id, kind: 'webhook-in' as const, settings }
  expect(await errorOf(south.api.bridge.validate(trial))).toMatchObject({ code: 'TENANT_NOT_FOUND' })
})

test('who may only read devices picks connectors, but sees neither keys nor settings nor messages', async () => {
  const { id } = await webhook(north)
  const stateMessage = 'broker.example:1883 refused meter-network'
  await app.ctx.db
    .updateTable('connectors')
    .set({ state_message: stateMessage })
    .where('id', '=', id)
    .execute()
  const managed = await north.api.bridge.list({ limit: 1000 })
  expect(managed.items.find((item) => item.id === id)).toMatchObject({ stateMessage })
  const roleId = await createRole(app, [{ subject: 'VirtualDevice', actions: ['read'] }])
  const { api } = await createUser(app, north, [{ roleId }])
  const { items } = await api.bridge.list({ limit: 1000 })
  expect(items.find((item) => item.id === id)).toMatchObject({
    keys: [],
    settings: {},
    endpoints: [],
    stateMessage: '',
  })
  expect(items.every(({ accountId }) => accountId === north.id)).toBe(true)
  expect(await errorOf(api.bridge.get({ id }))).toMatchObject({ code: 'NO_PERMISSION' })
})

test('the list searches, filters, sorts and pages', async () => {
  const account = await createAccount(app, { name: 'List' })
  const owner = { ...account, api: app.api }
  for (const name of ['Gamma', 'alpha', 'Beta 100%']) await webhook(owner, { name })
  const list = (input: object) => app.api.bridge.list({ accountIds: [account.id], ...input })
  const names = async (input: object) => (await list(input)).items.map(({ name }) => name)
  expect(await names({})).toEqual(['alpha', 'Beta 100%', 'Gamma'])
  expect(await names({ orderBy: '-name', limit: 2 })).toEqual(['Gamma', 'Beta 100%'])
  expect(await list({ offset: 2, limit: 2 })).toMatchObject({ total: 3, offset: 2, limit: 2, items: [{}] })
  expect(await names({ search: '100%' })).toEqual(['Beta 100%'])
  expect(await names({ search: 'LPH' })).toEqual(['alpha'])
  expect(await names({ kinds: ['mqtt-in'] })).toEqual([])
})

test('a connector with devices cannot be deleted', async () => {
  const { id } = await webhook(north)
  await createDevice(app, { id, accountId: north.id, scopeId: north.scopeId }, 'dev')
  expect(await errorOf(north.api.bridge.delete({ id }))).toMatchObject({
    code: 'CONNECTOR_IN_USE',
    status: 409,
    data: { devices: 1, states: 0 },
  })
  expect((await north.api.bridge.get({ id })).deviceCount).toBe(1)
})

describe('trying settings', () => {
  const trial = (settings: Record<string, string>, sample?: unknown) =>
    north.api.bridge.validate({
      accountId: north.id,
      kind: 'webhook-in',
      settings,
      ...(sample === undefined
        ? {}
        : { sample: typeof sample === 'string' ? sample : JSON.stringify(sample) }),
    })

  test('shows the packets of a sample', async () => {
    const template =
      'module.exports = (p) => [{ identifier: p.id, data: p.v }, { identifier: p.id + "b", data: 0 }]'
    expect(await trial({ preset: 'template', template }, { id: 'm1', v: 5 })).toEqual({
      ok: true,
      checks: [
        { name: 'settings', ok: true, message: '' },
        { name: 'template', ok: true, message: '' },
        { name: 'sample', ok: true, message: '' },
      ],
      packets: [
        { identifier: 'm1', payload: 5 },
        { identifier: 'm1b', payload: 0 },
      ],
    })
  })

  test('says why a sample is none, and where a template is wrong', async () => {
    expect(await trial({ preset: 'tts-v3' }, { a: 1 })).toMatchObject({
      ok: false,
      checks: [
        { name: 'settings', ok: true },
        { name: 'sample', ok: false },
      ],
      packets: [],
    })
    const template = 'module.exports = (p) => {\n  return p.x.y\n}'
    const { checks } = await trial({ preset: 'template', template }, {})
    expect(checks.at(-1)?.message).toMatch(/SCRIPT_ERROR: .*\(line 2\)/)
    const broken = await trial({ preset: 'template', template: 'module.exports = {\n  (' })
    expect(broken).toMatchObject({ ok: false, checks: [{ ok: true }, { name: 'template', ok: false }] })
    expect(await trial({ preset: 'unheard of' })).toMatchObject({ ok: false, checks: [{ name: 'settings' }] })
  })
})

test('connectors run again after a restart, and follow every change of the table', async () => {
  await using first = await startApp()
  const created = await first.api.bridge.create({
    accountId: first.rootAccountId,
    kind: 'webhook-in',
    name: 'Kept',
    settings: {},
  })
  const post = (url: string) => fetch(`${url}/api/hooks/${created.key}`, { method: 'POST', body: '[]' })
  const noted = await post(first.url)
  expect(noted.status).toBe(200)
  await first[Symbol.asyncDispose]()
  await using second = await startApp({ address: first.address })
  expect((await post(second.url)).status).toBe(200)
  const { items } = await second.api.bridge.traffic({ id: created.id })
  expect(items.map(({ seq }) => seq)).toEqual([2, 1])
  await second.ctx.db
    .updateTable('connectors')
    .set({ enabled: false, version: created.version + 1 })
    .where('id', '=', created.id)
    .execute()
  await second.drain()
  expect((await post(second.url)).status).toBe(403)
  expect(await second.api.bridge.get({ id: created.id })).toMatchObject({ state: 'disabled' })
})

test('a state that the database could not take at first is written later', async () => {
  const created = await webhook(north)
  await app.ctx.pool.query(`
    create sequence state_attempts;
    create function refuse_first_states() returns trigger language plpgsql as $$ begin
      if new.state = 'disabled' and nextval('state_attempts') <= 2 then
        raise 'no space left on device' using errcode = '53100';
      end if;
      return new;
    end $$;
    create trigger refuse_first_states before update of state on connectors
      for each row execute function refuse_first_states()`)
  try {
    await north.api.bridge.update({ ...created, enabled: false })
    await app.drain()
  } finally {
    await app.ctx.pool.query(`
      drop trigger refuse_first_states on connectors; drop function refuse_first_states; drop sequence state_attempts`)
  }
  expect(await north.api.bridge.get({ id: created.id })).toMatchObject({ enabled: false, state: 'disabled' })
})
