import type { GoldenPacket } from '@leitstand/contract/drivers'
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

interface Tenant {
  id: number
  scopeId: number
  api: Api
}

let app: TestApp
let parent: Tenant
let child: Tenant
let sibling: Tenant

beforeAll(async () => {
  app = await startApp()
  parent = await tenant('Parent')
  child = await tenant('Child', parent)
  sibling = await tenant('Sibling')
})

async function tenant(name: string, above?: Tenant): Promise<Tenant> {
  const account = await createAccount(app, { name, ...(above ? { parent: above } : {}) })
  const { api } = await createUser(app, account, [{ roleId: await roleNamed(app, 'Device manager') }])
  return { ...account, api }
}

const script = (factor: number) =>
  `function decodeUplink({ bytes }) {\n  return { data: { t: bytes[0] * ${factor}, door: bytes[1] ? 'open' : 'shut' } }\n}`
const golden: Partial<GoldenPacket> & Pick<GoldenPacket, 'payload' | 'expected'> = {
  title: 'warm',
  payload: '2a01',
  fPort: 1,
  expected: { t: 42, door: 'open' },
}
const input = { title: 'Thermo', manufacturer: 'ACME', script: script(1), golden: [golden] }
const numbers = (driver: { versions: { number: number }[] }) => driver.versions.map(({ number }) => number)

describe('versions', () => {
  test('a new driver is published as version 1 and read back as it was written', async () => {
    const specs = { technology: 'LoRaWAN', highlights: ['small'], custom: 'kept' }
    const variables = [{ key: 't', title: 'Temperature', unit: '°C' }]
    const driver = await parent.api.devicedrivers.create({
      accountId: parent.id,
      ...input,
      specs,
      variables,
      note: 'first',
    })
    expect(driver).toMatchObject({
      title: 'Thermo',
      manufacturer: 'ACME',
      accountId: parent.id,
      specs,
      variables,
      visibility: 'account',
      publishedVersion: 1,
      latestVersion: 1,
      number: 1,
      editable: true,
      delivered: false,
      deviceCount: 0,
      golden: [{ ...golden, encoding: 'base16' }],
      versions: [{ number: 1, note: 'first' }],
    })
  })

  test('only another script, variable or golden packet makes a new one', async () => {
    const { api } = parent
    const first = await api.devicedrivers.create({ accountId: parent.id, ...input })
    const renamed = await api.devicedrivers.update({ ...first, title: 'Renamed' })
    expect([renamed.title, numbers(renamed)]).toEqual(['Renamed', [1]])
    const draft = await api.devicedrivers.update({
      ...renamed,
      script: script(2),
      golden: [{ ...golden, expected: { t: 84, door: 'open' } }],
      publish: false,
    })
    expect([draft.publishedVersion, draft.latestVersion, numbers(draft)]).toEqual([1, 2, [2, 1]])
    expect(await api.devicedrivers.update({ ...draft, description: 'text' })).toMatchObject({
      publishedVersion: 1,
    })
    expect(await api.devicedrivers.get({ id: first.id, number: 1 })).toMatchObject({
      number: 1,
      script: script(1),
    })

    expect(await api.devicedrivers.publish({ id: first.id, number: 2 })).toMatchObject({
      publishedVersion: 2,
    })
    expect(await api.devicedrivers.publish({ id: first.id, number: 1 })).toMatchObject({
      publishedVersion: 1,
    })
    expect(await errorOf(api.devicedrivers.publish({ id: first.id, number: 9 }))).toMatchObject({
      code: 'DEVICEDRIVER_NOT_FOUND',
    })
    expect(await errorOf(api.devicedrivers.update({ ...first, title: 'Late' }))).toMatchObject({
      code: 'VERSION_CONFLICT',
    })
    const log = await app.api.activityLog.list({ subject: 'DeviceDriver', objectId: first.id })
    expect(log.items.map(({ action }) => action)).toEqual([
      'publish',
      'publish',
      'update',
      'update',
      'update',
      'create',
    ])
    expect(log.items[4]?.changes).toEqual({ title: { before: 'Thermo', after: 'Renamed' } })
  })
})

test('after a roll-back the running version is edited, not the latest', async () => {
  const { api } = parent
  const first = await api.devicedrivers.create({ accountId: parent.id, ...input })
  const changed = { script: script(2), golden: [] }
  const latest = await api.devicedrivers.update({ ...first, ...changed })
  expect(latest.number).toBe(2)
  await api.devicedrivers.publish({ id: first.id, number: 1 })
  const running = await api.devicedrivers.get({ id: first.id, number: 1 })
  const renamed = await api.devicedrivers.update({ ...running, title: 'Rolled back' })
  expect(renamed).toMatchObject({ title: 'Rolled back', number: 1, script: script(1), latestVersion: 2 })
  const next = await api.devicedrivers.update({ ...renamed, ...changed, note: 'again' })
  expect(next).toMatchObject({ number: 3, publishedVersion: 3 })
})

describe('before a driver is stored', () => {
  const create = (changes: object) =>
    parent.api.devicedrivers.create({ accountId: parent.id, ...input, ...changes })

  test('its script must compile and have a known function', async () => {
    expect(await errorOf(create({ script: 'function decodeUplink(input) {\n  return )\n}' }))).toMatchObject({
      code: 'SCRIPT_SYNTAX',
      data: { line: 2 },
    })
    expect(await errorOf(create({ script: 'const a = 1' }))).toMatchObject({ code: 'SCRIPT_NO_FUNCTION' })
  })

  test('variables must be unique', async () => {
    const variables = [{ key: 't' }, { key: 't' }]
    expect(await errorOf(create({ variables }))).toMatchObject({
      code: 'VALIDATION_ERROR',
      data: { key: 't' },
    })
  })

  test('names of variables that differ by case only are refused unless that is wanted', async () => {
    const variables = [{ key: 'CO2' }, { key: 'co2' }]
    expect(await errorOf(create({ variables }))).toMatchObject({
      code: 'DEVICEDRIVER_ALIKE_VARIABLES',
      status: 409,
      data: { names: ['CO2 / co2'] },
    })
    const driver = await create({ variables, acceptAlike: true })
    expect(driver.variables.map(({ key }) => key)).toEqual(['CO2', 'co2'])
    // What was accepted once does not get in the way of other changes.
    const renamed = await parent.api.devicedrivers.update({ ...driver, description: 'as wanted' })
    const calculated = [{ key: 'Co2', expression: 'CO2' }]
    expect(await errorOf(parent.api.devicedrivers.update({ ...renamed, calculated }))).toMatchObject({
      code: 'DEVICEDRIVER_ALIKE_VARIABLES',
    })
  })

  test('golden packets must decode to what was kept, and the difference is told', async () => {
    const error = await errorOf(create({ script: script(3) }))
    expect(error).toMatchObject({ code: 'DEVICEDRIVER_GOLDEN_MISMATCH', status: 409 })
    expect(error.data).toMatchObject({
      mismatches: [
        { index: 0, title: 'warm', differences: [{ key: 't', expected: 42, actual: 126 }], error: null },
      ],
    })
    const throwing = 'function decodeUplink() { throw new Error("boom") }'
    expect((await errorOf(create({ script: throwing }))).data).toMatchObject({
      mismatches: [{ error: { code: 'SCRIPT_ERROR' }, differences: [] }],
    })
  })

  test('a difference can be accepted: the new result is expected from then on', async () => {
    const driver = await create({})
    const changed = { ...driver, script: script(2) }
    expect(await errorOf(parent.api.devicedrivers.update(changed))).toMatchObject({
      code: 'DEVICEDRIVER_GOLDEN_MISMATCH',
    })
    const accepted = await parent.api.devicedrivers.update({ ...changed, acceptGolden: true })
    expect(accepted).toMatchObject({ publishedVersion: 2, golden: [{ expected: { t: 84, door: 'open' } }] })
  })
})

describe('who sees a driver', () => {
  test('its account and those below, or everyone; only who manages its account changes it', async () => {
    const own = await parent.api.devicedrivers.create({ accountId: parent.id, ...input, title: 'Family' })
    const open = await app.api.devicedrivers.create({
      accountId: parent.id,
      ...input,
      title: 'Open',
      visibility: 'everyone',
    })
    const seen = async (api: Api) => {
      const { items } = await api.devicedrivers.list({ limit: 1000 })
      return items.map(({ id }) => id).filter((id) => id === own.id || id === open.id)
    }
    expect(await seen(parent.api)).toEqual([own.id, open.id])
    expect(await seen(child.api)).toEqual([own.id, open.id])
    expect(await seen(sibling.api)).toEqual([open.id])
    expect(await child.api.devicedrivers.get({ id: own.id })).toMatchObject({ editable: false })
    for (const { api } of [child, sibling]) {
      expect(await errorOf(api.devicedrivers.update({ ...open, title: 'x' }))).toMatchObject({
        code: 'NO_PERMISSION',
      })
      expect(await errorOf(api.devicedrivers.publish({ id: open.id, number: 1 }))).toMatchObject({
        code: 'NO_PERMISSION',
      })
      expect(await errorOf(api.devicedrivers.delete({ id: open.id }))).toMatchObject({
        code: 'NO_PERMISSION',
      })
    }
    for (const call of [
      () => sibling.api.devicedrivers.get({ id: own.id }),
      () => sibling.api.devicedrivers.update({ ...own, title: 'x' }),
      () => sibling.api.devicedrivers.delete({ id: own.id }),
      () => sibling.api.dispatcher.parse({ driverId: own.id, packets: [{ payload: '00' }] }),
      () => sibling.api.dispatcher.recentPackets({ id: own.id }),
    ]) {
      expect(await errorOf(call())).toMatchObject({ code: 'DEVICEDRIVER_NOT_FOUND', status: 404 })
    }
    const foreign = { accountId: parent.id, ...input }
    expect(await errorOf(sibling.api.devicedrivers.create(foreign))).toMatchObject({
      code: 'TENANT_NOT_FOUND',
    })
    const belowSibling = await createRole(app, [{ subject: 'DeviceDriver', actions: ['read'] }])
    const reader = await createUser(app, child, [{ roleId: belowSibling }])
    expect(await seen(reader.api)).toEqual([own.id, open.id])
  })

  test('filters, search and order', async () => {
    const account = await tenant('Filters')
    for (const [title, manufacturer] of [
      ['Meter 10', 'Zenner'],
      ['Meter 2', 'Axioma'],
      ['Valve', 'axis'],
    ] as const) {
      await account.api.devicedrivers.create({ accountId: account.id, ...input, title, manufacturer })
    }
    const titles = async (filter: object) => {
      const found = await account.api.devicedrivers.list({ accountIds: [account.id], ...filter })
      return found.items.map(({ title }) => title)
    }
    expect(await titles({})).toEqual(['Meter 2', 'Meter 10', 'Valve'])
    expect(await titles({ orderBy: '-title' })).toEqual(['Valve', 'Meter 10', 'Meter 2'])
    expect(await titles({ search: 'AXI' })).toEqual(['Meter 2', 'Valve'])
    expect(await titles({ search: '"meter 2"' })).toEqual(['Meter 2'])
    expect(await titles({ manufacturers: ['Zenner'] })).toEqual(['Meter 10'])
    expect(await titles({ limit: 1, offset: 1 })).toEqual(['Meter 10'])
    expect((await account.api.devicedrivers.list({})).manufacturers).toEqual(
      expect.arrayContaining(['Axioma', 'axis', 'Zenner']),
    )
  })
})

test('for a device of an account its own drivers come first, then those it uses, and none it cannot use', async () => {
  const account = await createAccount(app, { name: 'Choosing', parent })
  const create = (owner: { id: number }, title: string, changes: object = {}) =>
    app.api.devicedrivers.create({ ...input, ...changes, accountId: owner.id, title })
  const other = await create(parent, 'Choice A')
  const used = await create(parent, 'Choice B')
  const own = await create(account, 'Choice C')
  await create(sibling, 'Choice D')
  const connector = await app.ctx.db
    .insertInto('connectors')
    .values({
      account_id: account.id,
      scope_id: account.scopeId,
      name: 'Choosing',
      kind: 'mqtt-in',
      settings: '{}',
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  const device = {
    title: 'User',
    externalId: 'user-1',
    connectorId: connector.id,
    driverId: used.id,
    acceptDriver: 1,
  }
  await app.api.virtualdevice.create(device)
  const { items, total } = await app.api.devicedrivers.list({ search: 'Choice', offeredTo: account.id })
  expect(items.map(({ id, standing }) => [id, standing])).toEqual([
    [own.id, 'own'],
    [used.id, 'used'],
    [other.id, 'other'],
  ])
  expect(total).toBe(3)
})

describe('trying', () => {
  const parse = (call: Parameters<Api['dispatcher']['parse']>[0]) => parent.api.dispatcher.parse(call)

  test('shows what live traffic would store, packet by packet', async () => {
    const reply = await parse({
      script:
        'function decodeUplink({ bytes, fPort }) {\n  console.log("got", bytes.length)\n  return { data: { port: fPort, deep: { first: bytes[0] }, "a b": NaN }, warnings: ["old firmware"] }\n}',
      packets: [
        { payload: '0x2A 01', fPort: 3 },
        { payload: 'KgE=', encoding: 'base64' },
        { payload: 'xyz' },
      ],
    })
    expect(reply.check).toEqual({ ok: true, family: 'decodeUplink', stateful: false, problem: null })
    expect(reply.results[0]).toMatchObject({
      ok: true,
      error: null,
      console: ['got 2'],
      variables: { port: 3, 'deep.first': 42 },
    })
    expect(reply.results[0]?.warnings).toEqual([
      { message: 'old firmware' },
      { message: 'a b: renamed to a_b', params: { kind: 'renamed', from: 'a b', to: 'a_b' } },
    ])
    expect(reply.results[1]?.variables).toMatchObject({ 'deep.first': 42 })
    expect(reply.results[2]).toMatchObject({ ok: false, error: { code: 'PACKET_INVALID' }, variables: {} })
  })

  test('says what the packets mean for the health', async () => {
    const entry = (identifier: string, more: object) => ({
      identifier,
      category: 'battery' as const,
      type: 'warning' as const,
      description: `${identifier}!`,
      ...more,
    })
    const script = 'function decodeUplink({ bytes }) { return { data: { battery: bytes[0] } } }'
    const condition = { variable: 'battery', operator: 'lt' as const, value: 20 }
    const simple = await parse({
      script,
      health: {
        entries: [
          entry('low', { condition }),
          entry('dry', { condition: { ...condition, variable: 'water' } }),
          entry('silent', { olderThanDuration: 60 }),
        ],
      },
      packets: [{ payload: '05' }, { payload: '50' }, { payload: 'x' }],
    })
    const low = { identifier: 'low', category: 'battery', type: 'warning', description: 'low!' }
    expect(simple.results.map(({ health }) => health)).toEqual([
      [{ ...low, active: true }],
      [{ ...low, active: false }],
      [],
    ])
    const expert = (expression: string) =>
      parse({
        script,
        health: { expertMode: true, stateKeys: ['battery'], entries: [entry('low', { expression })] },
        packets: [{ payload: '05' }],
      })
    expect((await expert('battery < 20')).results).toMatchObject([
      { health: [{ active: true }], healthFailed: false },
    ])
    expect((await expert('battery.missing.deep')).results).toMatchObject([{ health: [], healthFailed: true }])
    expect(await errorOf(expert('battery <'))).toMatchObject({ code: 'SCRIPT_SYNTAX' })
  })

  test('a JSON payload and the function of older platforms', async () => {
    const reply = await parse({
      script:
        'module.exports = function (payload, meta) { return { level: payload.level * 2, at: meta.time } }',
      packets: [
        { payload: '{"level":4}', encoding: 'json', time: '2026-06-01T00:00:00.000Z' },
        { payload: '{', encoding: 'json' },
      ],
    })
    expect(reply.results[0]?.variables).toEqual({ level: 8, at: '2026-06-01T00:00:00.000Z' })
    expect(reply.results[1]?.error?.code).toBe('PACKET_INVALID')
  })

  test('says where a script is wrong, and where it throws', async () => {
    const packets = [{ payload: '00' }]
    const broken = await parse({ script: 'function decodeUplink(i) {\n  return )\n}', packets })
    expect(broken.check).toMatchObject({ ok: false, problem: { code: 'SCRIPT_SYNTAX', line: 2 } })
    expect(broken.results[0]).toMatchObject({ ok: false, error: { code: 'SCRIPT_SYNTAX' } })
    const throwing = await parse({ script: 'function decodeUplink(i) {\n  null.x\n}', packets })
    expect(throwing.results[0]?.error).toMatchObject({ code: 'SCRIPT_ERROR', line: 2 })
    const stateful = await parse({
      script: 'let n = 0\nfunction decodeUplink() { return { data: { n: ++n } } }',
      packets,
    })
    expect(stateful).toMatchObject({ check: { stateful: true }, results: [{ variables: { n: 1 } }] })
  })

  test('a stored driver runs as published, a script given instead of it', async () => {
    const driver = await parent.api.devicedrivers.create({ accountId: parent.id, ...input, golden: [] })
    await parent.api.devicedrivers.update({ ...driver, script: script(2), publish: false })
    const packets = [{ payload: '0100' }]
    expect((await parse({ driverId: driver.id, packets })).results[0]?.variables).toEqual({
      t: 1,
      door: 'shut',
    })
    const edited = await parse({ driverId: driver.id, script: script(9), packets })
    expect(edited.results[0]?.variables).toEqual({ t: 9, door: 'shut' })
    expect(await errorOf(parse({ packets }))).toMatchObject({ code: 'VALIDATION_ERROR' })
  })

  test('code brought along is for those who may write drivers; readers run what is stored', async () => {
    const condition = { variable: 't', operator: 'gt' as const, value: 40 }
    const health = {
      entries: [
        {
          identifier: 'hot',
          category: 'device' as const,
          type: 'warning' as const,
          description: '',
          condition,
        },
      ],
    }
    const driver = await parent.api.devicedrivers.create({ accountId: parent.id, ...input, health })
    await parent.api.devicedrivers.update({ ...driver, script: script(2), golden: [], publish: false })
    const viewers = [
      [{ subject: 'DeviceDriver', actions: ['read'] }],
      [{ subject: 'VirtualDevice', actions: ['read', 'write', 'manage'] }],
    ] as const
    for (const rules of viewers) {
      const roleId = await createRole(app, rules as never)
      const { api } = await createUser(app, parent, [{ roleId }])
      const tried = { driverId: driver.id, packets: [{ payload: '2a01' }] }
      expect((await api.dispatcher.parse(tried)).results).toMatchObject([
        { variables: { t: 42 }, health: [{ identifier: 'hot', active: true }] },
      ])
      expect((await api.dispatcher.parse({ ...tried, number: 2 })).results[0]?.variables).toMatchObject({
        t: 84,
      })
      expect(await errorOf(api.dispatcher.parse({ ...tried, number: 9 }))).toMatchObject({
        code: 'DEVICEDRIVER_NOT_FOUND',
      })
      const code = 'function decodeUplink() { return { data: {} } }'
      for (const brought of [
        { script: code },
        { parser: { kind: 'elixir' as const }, script: 'defmodule P do end' },
        { parser: { kind: 'function' as const } },
        { parser: { kind: 'unset' as const } },
        { calculated: [{ key: 'x', expression: '1' }] },
        { health },
        { parserSecret: 'token' },
      ]) {
        expect(await errorOf(api.dispatcher.parse({ ...tried, ...brought }))).toMatchObject({
          code: 'NO_PERMISSION',
          data: { subject: 'DeviceDriver', action: 'manage' },
        })
        const alone = { packets: tried.packets, ...brought }
        expect(await errorOf(api.dispatcher.parse(alone))).toMatchObject({ code: 'NO_PERMISSION' })
      }
    }
  })

  test('offers the newest real packets of devices one may see', async () => {
    const { db } = app.ctx
    const driver = await parent.api.devicedrivers.create({ accountId: parent.id, ...input })
    const deviceIn = async (owner: Tenant, payload: string) => {
      const connector = await db
        .insertInto('connectors')
        .values({
          account_id: owner.id,
          scope_id: owner.scopeId,
          name: payload,
          kind: 'mqtt-in',
          settings: '{}',
        })
        .returning('id')
        .executeTakeFirstOrThrow()
      const device = await app.api.virtualdevice.create({
        title: payload,
        connectorId: connector.id,
        externalId: payload,
        driverId: driver.id,
        acceptDriver: 1,
      })
      await sql`select ensure_month_partition('packets', '2026-06-01')`.execute(db)
      const packet = {
        account_id: owner.id,
        connector_id: connector.id,
        device_id: device.id,
        meta: '{}',
        duration_us: 1,
      }
      const at = { received_at: '2026-06-02T00:00:00Z', time: '2026-06-02T00:00:00Z' }
      await db
        .insertInto('packets')
        .values({ ...packet, ...at, payload, encoding: 'hex', f_port: 7 })
        .execute()
      await db
        .updateTable('device_live')
        .set({ last_seen: at.time })
        .where('twin_id', '=', device.id)
        .execute()
      return device.id
    }
    const deviceId = await deviceIn(child, 'aa')
    await deviceIn(parent, 'bb')
    const { items } = await child.api.dispatcher.recentPackets({ id: driver.id })
    expect(items).toMatchObject([
      { deviceId, deviceTitle: 'aa', payload: 'aa', encoding: 'base16', fPort: 7 },
    ])
    expect((await parent.api.dispatcher.recentPackets({ id: driver.id })).items).toHaveLength(2)

    expect(await errorOf(parent.api.devicedrivers.delete({ id: driver.id }))).toMatchObject({
      code: 'DEVICEDRIVER_IN_USE',
      data: { devices: 2, examples: [{ id: deviceId, title: 'aa' }, { title: 'bb' }] },
    })
    expect(await parent.api.devicedrivers.get({ id: driver.id })).toMatchObject({ deviceCount: 2 })
    expect(await child.api.devicedrivers.get({ id: driver.id })).toMatchObject({ deviceCount: 1 })
  })
})

test('an unused driver is deleted with its versions', async () => {
  const driver = await parent.api.devicedrivers.create({ accountId: parent.id, ...input })
  await parent.api.devicedrivers.delete({ id: driver.id })
  expect(await errorOf(parent.api.devicedrivers.get({ id: driver.id }))).toMatchObject({
    code: 'DEVICEDRIVER_NOT_FOUND',
  })
})
