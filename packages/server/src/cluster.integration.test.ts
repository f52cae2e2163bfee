import { liveLimits } from '@leitstand/contract/live'
import { sql } from 'kysely'
import mqtt from 'mqtt'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  createAccount,
  createApi,
  createRole,
  createUser,
  errorOf,
  FakeClock,
  startApp,
  type TestApp,
} from '../test/kit.ts'
import { type LiveReader, openLive } from '../test/live.ts'
import { Mosquitto } from '../test/mosquitto.ts'
import { NatsServer } from '../test/nats.ts'
import { createDevice, createDriver, createState } from '../test/pipeline.ts'
import { createTwin } from '../test/twins.ts'
import { turnstileLimits } from './features/connectors/limits/turnstile.ts'
import type { Role } from './platform/nodes/index.ts'

/** What takes a round of a node, or a lease that moves. */
const soon = { timeout: 60_000 }

let nats: NatsServer
/** takes in packets and has a console */
let front: TestApp
/** a second one */
let desk: TestApp
let store: TestApp
let think: TestApp

beforeAll(async () => {
  nats = await NatsServer.start()
  front = await node('front', ['web', 'connect'])
  desk = await node('desk', ['web', 'connect'], front.address)
  store = await node('store', ['ingest'], front.address)
  think = await node('think', ['derive', 'jobs'], front.address)
})
afterAll(async () => {
  for (const app of [think, store, desk, front]) await app[Symbol.asyncDispose]()
  await nats[Symbol.asyncDispose]()
})

const node = (nodeName: string, roles: readonly Role[], address?: TestApp['address'], clock?: FakeClock) =>
  startApp({
    ...(clock === undefined ? {} : { clock }),
    config: { nats: { servers: [nats.url] }, nodeName, roles, allowedNetworks: ['127.0.0.0/8'] },
    ...(address === undefined ? {} : { address }),
  })

let serial = 0

/** A device behind a webhook whose packets hold one number. */
async function device() {
  const { id, key } = await front.api.bridge.create({
    accountId: front.rootAccountId,
    kind: 'webhook-in',
    name: `Webhook ${++serial}`,
    settings: { preset: 'standard', template: '' },
  })
  const owner = { id, accountId: front.rootAccountId, scopeId: front.rootScopeId }
  const driver = await createDriver(
    front,
    'function decodeUplink({ bytes }) { return { data: { level: bytes[0] } } }',
    [{ key: 'level', valueType: 'number' }],
  )
  const deviceId = await createDevice(front, owner, 'A1', driver)
  const send = async (level: number) => {
    const reply = await fetch(`${front.url}/api/hooks/${key}`, {
      method: 'POST',
      body: JSON.stringify({ identifier: 'A1', data: level.toString(16).padStart(2, '0') }),
      headers: { 'content-type': 'application/json' },
    })
    expect(reply.status).toBe(200)
  }
  const levelState = async () => {
    const found = await front.ctx.db
      .selectFrom('states')
      .select('id')
      .where('twin_id', '=', deviceId)
      .where('key', '=', 'level')
      .executeTakeFirst()
    return found?.id
  }
  return { deviceId, send, levelState }
}

const currentOf = async (stateId: number) =>
  (
    await front.ctx.db
      .selectFrom('state_current')
      .select('num')
      .where('state_id', '=', stateId)
      .executeTakeFirst()
  )?.num

/** Messages of a kind that a reader has got so far, over several looks. */
function collect(reader: LiveReader, kind: string) {
  const found: unknown[] = []
  return async () => {
    for (const message of await reader.received()) if (message.kind === kind) found.push(message)
    return found.length
  }
}

describe('several nodes', () => {
  it('have one with the clocks, and those that derive share the accounts', async () => {
    await expect.poll(() => think.ctx.nodes.holds('derive'), soon).toBe(true)
    await expect.poll(() => think.ctx.events.owns(front.rootAccountId), soon).toBe(true)
    expect([front, desk, store].filter(({ ctx }) => ctx.events.owns(front.rootAccountId))).toEqual([])
  })

  it('compute states, wake rules and raise alarms once, and tell readers on every node', async () => {
    const { deviceId, send, levelState } = await device()
    await send(1)
    await expect.poll(levelState, soon).toBeTypeOf('number')
    const level = (await levelState()) as number
    const twin = await createTwin(front, { id: front.rootAccountId, scopeId: front.rootScopeId })
    const other = await createState(front, twin.id, { key: 'other' })
    const sum = await createState(front, twin.id, {
      key: 'sum',
      of: { stateIds: [level, other], method: 'sum' },
    })
    const rule = await front.api.ddr.create({
      dtwinId: twin.id,
      title: 'Full',
      metrics: [{ alias: 'sum', stateId: sum }],
      conditions: { op: 'gt', left: { metric: 'sum' }, right: { value: 30 } },
      throttleHours: 0,
      actions: [{ kind: 'alarm', severity: 'warning', message: '{{sum}}' }],
    })
    using here = await openLive(front, front.token)
    using there = await openLive(desk, desk.token)
    for (const reader of [here, there]) {
      await reader.follow(`twin:${twin.id}`)
      await reader.follow(`packets:${deviceId}`)
      await reader.follow('alarms')
    }
    const seen = [here, there].map((reader) => ({
      values: collect(reader, 'values'),
      packets: collect(reader, 'packet'),
    }))
    await expect
      .poll(
        () => store.ctx.live.isFollowedElsewhere(['twin']) && think.ctx.live.isFollowedElsewhere(['alarms']),
      )
      .toBe(true)

    await send(40)
    await expect.poll(() => currentOf(sum), soon).toBe(40)
    const alarms = async () =>
      front.ctx.db.selectFrom('alarms').select(['id', 'message']).where('rule_id', '=', rule.id).execute()
    await expect.poll(async () => (await alarms()).length, soon).toBe(1)
    for (const { values } of seen) await expect.poll(values, soon).toBeGreaterThan(0)
    await send(41)
    await expect.poll(() => currentOf(sum), soon).toBe(41)
    for (const { packets } of seen) await expect.poll(packets, soon).toBeGreaterThan(0)
    expect(await alarms()).toHaveLength(1)
    const { items } = await desk.api.ddr.executionHistory({ id: rule.id })
    expect(items.length).toBeGreaterThan(0)
  })

  it('count a right that was taken away everywhere', async () => {
    const account = await createAccount(front)
    const roleId = await createRole(front, [{ subject: 'DigitalTwin', actions: ['read'] }])
    const user = await createUser(front, account, [{ roleId }])
    await createTwin(front, account, { title: 'Only mine' })
    const onDesk = createApi(desk.url, user.token)
    expect((await onDesk.digitaltwin.list({})).items).toHaveLength(1)
    const [twin] = (await onDesk.digitaltwin.list({})).items
    using reader = await openLive(desk, user.token)
    await reader.follow(`twin:${twin?.id ?? 0}`)
    await front.ctx.db.deleteFrom('user_access').where('user_id', '=', user.id).execute()
    const sees = () =>
      onDesk.digitaltwin.list({}).then(
        ({ items }) => items.length,
        () => 0,
      )
    await expect.poll(sees, soon).toBe(0)
    expect(await reader.closed).toMatchObject({ code: liveLimits.closeRightsChanged })
  })

  it('open a connection to a broker once', async () => {
    await using broker = await Mosquitto.start()
    const { id } = await front.api.bridge.create({
      accountId: front.rootAccountId,
      kind: 'mqtt-in',
      name: 'City',
      settings: {
        preset: 'standard',
        template: '',
        host: '127.0.0.1',
        port: broker.port,
        tls: false,
        username: 'bridge',
        password: 'secret',
        topics: ['city/#'],
      },
    })
    const connected = async () =>
      (await front.api.bridge.logs({ id })).items.filter(({ event }) => event === 'connected').length
    await expect.poll(async () => (await front.api.bridge.get({ id })).state, soon).toBe('connected')
    const holder = [front, desk].filter(({ ctx }) => ctx.nodes.holds(`connector.${id}`))
    expect(holder).toHaveLength(1)
    await expect.poll(connected, soon).toBe(1)
    await front.api.bridge.delete({ id })
    await expect
      .poll(() => [front, desk].some(({ ctx }) => ctx.nodes.holds(`connector.${id}`)), soon)
      .toBe(false)
  })

  it('give up a lease when the terminal of another node says so', async () => {
    await using broker = await Mosquitto.start()
    const { id } = await front.api.bridge.create({
      accountId: front.rootAccountId,
      kind: 'mqtt-in',
      name: 'Harbour',
      settings: {
        preset: 'standard',
        template: '',
        host: '127.0.0.1',
        port: broker.port,
        tls: false,
        username: 'bridge',
        password: 'secret',
        topics: ['harbour/#'],
      },
    })
    const lease = `connector.${id}`
    const connected = async () =>
      (await front.api.bridge.logs({ id })).items.filter(({ event }) => event === 'connected').length
    const holders = () => [front, desk].filter(({ ctx }) => ctx.nodes.holds(lease))
    await expect.poll(connected, soon).toBe(1)
    const [holder] = holders()
    const other = holder === front ? desk : front
    const line = `release-lease ${lease}`
    const knowsIt = () => other.ctx.nodes.members().some(({ leases }) => leases.includes(lease))
    await expect.poll(knowsIt, soon).toBe(true)
    const before = await connected()
    const { confirmation } = await other.api.terminal.run({ line })
    expect(holders()).toEqual([holder])
    const done = await other.api.terminal.run({ line, confirmation: confirmation ?? '' })
    expect(JSON.stringify(done.blocks)).toContain(holder?.ctx.config.nodeName)
    // It begins again where it belongs, once.
    await expect.poll(connected, soon).toBeGreaterThan(before)
    await expect.poll(() => holders().length, soon).toBe(1)
    await expect.poll(async () => (await front.api.bridge.get({ id })).state, soon).toBe('connected')
    await front.api.bridge.delete({ id })
  })

  it('run one command of a user at a time, wherever it was typed', async () => {
    const run = (app: TestApp) => app.api.terminal.run({ line: 'consumers' })
    const isRunning = async () => {
      const { rows } = await sql`
        select from pg_locks where locktype = 'advisory' and classid = 7211080 and granted`.execute(
        front.ctx.db,
      )
      return rows.length > 0
    }
    const running = await front.ctx.db.transaction().execute(async (tx) => {
      // A command is noted before it runs.
      await sql`lock table activities in exclusive mode`.execute(tx)
      const first = run(front)
      await expect.poll(isRunning, soon).toBe(true)
      expect(await errorOf(run(desk))).toMatchObject({ code: 'TERMINAL_BUSY', status: 429 })
      return { first }
    })
    expect((await running.first).line).toBe('consumers')
    expect((await run(desk)).line).toBe('consumers')
  })

  it('move the session of a client, and find the one a command is for', async () => {
    const username = `plant-${++serial}`
    const { id } = await front.api.bridge.create({
      accountId: front.rootAccountId,
      kind: 'mqtt-broker',
      name: 'Plant',
      settings: { username, password: 'correct horse', subscribeTopics: [`${username}/#`] },
    })
    const addressOn = async (app: TestApp) =>
      ((await app.api.bridge.get({ id })).endpoints[0] ?? '').replace('localhost', '127.0.0.1')
    await using stack = new AsyncDisposableStack()
    const signIn = async (app: TestApp, clientId = 'pump') => {
      const client = await mqtt.connectAsync(await addressOn(app), {
        username,
        password: 'correct horse',
        clientId,
        reconnectPeriod: 0,
      })
      stack.defer(() => client.endAsync(true))
      return client
    }
    const first = await signIn(front)
    const closed = new Promise<void>((resolve) => first.once('close', () => resolve()))
    // The desk learns of a new connector by itself; until then it knows no such user.
    let second: mqtt.MqttClient | undefined
    await expect
      .poll(async () => {
        second ??= await signIn(desk).catch(() => undefined)
        return second !== undefined
      }, soon)
      .toBe(true)
    await closed

    const heard: string[] = []
    second?.on('message', (topic, payload) => heard.push(`${topic} ${payload.toString()}`))
    await second?.subscribeAsync(`${username}/valve`, { qos: 1 })
    const twin = await createTwin(front, { id: front.rootAccountId, scopeId: front.rootScopeId })
    const state = await createState(front, twin.id, { key: 'pressure' })
    await front.api.ddr.create({
      dtwinId: twin.id,
      title: 'Open the valve',
      metrics: [{ alias: 'pressure', stateId: state }],
      conditions: { op: 'gt', left: { metric: 'pressure' }, right: { value: 5 } },
      throttleHours: 0,
      actions: [
        {
          kind: 'connector-command',
          connectorId: id,
          topic: `${username}/valve`,
          format: 'text',
          payload: 'open',
        },
      ],
    })
    await front.app.series.write([{ stateId: state, value: 6, time: new Date() }])
    await expect.poll(() => heard, soon).toEqual([`${username}/valve open`])

    // Messages between clients of an account go to the nodes where they are heard.
    const panel = await signIn(front, 'panel')
    await panel.publishAsync(`${username}/valve`, 'shut', { qos: 1 })
    await expect.poll(() => heard, soon).toEqual([`${username}/valve open`, `${username}/valve shut`])
  })

  it('keep the limits of a connector together', async () => {
    // Their clock stands still: nothing is allowed again meanwhile.
    const clock = new FakeClock()
    await using one = await node('one', ['web', 'connect'], front.address, clock)
    await using other = await node('other', ['web', 'connect'], front.address, clock)
    const perSecond = 20
    const { key } = await one.api.bridge.create({
      accountId: one.rootAccountId,
      kind: 'webhook-in',
      name: 'Limited',
      settings: { preset: 'standard', template: '', messagesPerSecond: perSecond },
    })
    const post = async (app: TestApp) => {
      const body = '{"identifier":"L1","data":"01"}'
      return (await fetch(`${app.url}/api/hooks/${key}`, { method: 'POST', body })).status
    }
    await expect.poll(() => post(other), soon).toBe(200)
    while ((await post(one)) === 200);
    let taken = 0
    await expect
      .poll(async () => {
        const status = await post(other)
        if (status === 200) taken++
        return status
      }, soon)
      .toBe(429)
    expect(taken, 'not as many again').toBeLessThan(perSecond * turnstileLimits.burstSeconds)
  })

  it('share what follows from values, and take it over from one that stops', async () => {
    const { send, levelState } = await device()
    await send(1)
    await expect.poll(levelState, soon).toBeTypeOf('number')
    const twin = await createTwin(front, { id: front.rootAccountId, scopeId: front.rootScopeId })
    const twice = await createState(front, twin.id, {
      key: 'twice',
      transformer: 'return value * 2',
      of: { stateIds: [(await levelState()) as number], method: 'latest' },
    })
    const second = await node('second', ['derive', 'jobs'], front.address)
    const slicesOf = (ctx: TestApp['ctx']) =>
      Array.from({ length: 16 }, (_, slice) => slice).filter((slice) => ctx.nodes.holds(`events.${slice}`))
    await expect.poll(() => [think, second].every(({ ctx }) => slicesOf(ctx).length > 0), soon).toBe(true)
    await send(21)
    await expect.poll(() => currentOf(twice), soon).toBe(42)

    // A rule follows a state of another account, whose events the other node handles.
    const rootOwner = [think, second].find(({ ctx }) => ctx.events.owns(front.rootAccountId))
    let account = await createAccount(front)
    while (rootOwner?.ctx.events.owns(account.id)) account = await createAccount(front)
    const there = await createTwin(front, account)
    const pressure = await createState(front, there.id, { key: 'pressure' })
    const rule = await front.api.ddr.create({
      dtwinId: twin.id,
      title: 'Pressure of a neighbour',
      metrics: [{ alias: 'pressure', stateId: pressure }],
      conditions: { op: 'gt', left: { metric: 'pressure' }, right: { value: 5 } },
      throttleHours: 0,
      actions: [{ kind: 'alarm', severity: 'warning', message: '{{pressure}}' }],
    })
    await front.app.series.write([{ stateId: pressure, value: 6, time: new Date() }])
    const alarms = () =>
      front.ctx.db.selectFrom('alarms').select('message').where('rule_id', '=', rule.id).execute()
    await expect.poll(alarms, soon).toEqual([{ message: '6' }])

    await second[Symbol.asyncDispose]()
    await expect.poll(() => slicesOf(think.ctx).length, soon).toBe(16)
    await send(22)
    await expect.poll(() => currentOf(twice), soon).toBe(44)
    await front.app.series.write([{ stateId: pressure, value: 2, time: new Date() }])
    const isResolved = () =>
      front.ctx.db.selectFrom('alarms').select('resolved_at').where('rule_id', '=', rule.id).execute()
    await expect
      .poll(async () => (await isResolved()).map(({ resolved_at: at }) => at !== null), soon)
      .toEqual([true])
  })

  it('send readiness by role, and list each other', async () => {
    const ready = async (app: TestApp, role: string) => (await fetch(`${app.url}/readyz?role=${role}`)).status
    expect(await ready(front, 'web')).toBe(200)
    expect(await ready(front, 'ingest')).toBe(503)
    expect(await ready(store, 'ingest')).toBe(200)
    expect(front.ctx.nodes.members().map(({ name }) => name)).toEqual(['desk', 'front', 'store', 'think'])
    const derives = () =>
      front.ctx.nodes.members().filter(({ leases: held }) => held.includes('derive')).length
    await expect.poll(derives, soon).toBe(1)
    const leases = front.ctx.nodes.members().flatMap((member) => member.leases)
    expect(leases.filter((lease) => lease.startsWith('packets.'))).toHaveLength(64)
    const { isCluster, problem, nodes } = await desk.api.nodes.list()
    expect({ isCluster, problem }).toEqual({ isCluster: true, problem: null })
    expect(nodes.find(({ name }) => name === 'store')).toMatchObject({ roles: ['ingest'], isSelf: false })
    expect(nodes.find(({ name }) => name === 'store')?.partitions).toHaveLength(64)
    expect(nodes.map(({ name, accountShare }) => [name, accountShare])).toEqual([
      ['desk', 0],
      ['front', 0],
      ['store', 0],
      ['think', 1],
    ])
  })
})
