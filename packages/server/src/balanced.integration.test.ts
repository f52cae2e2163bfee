import { type ChildProcess, fork } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import mqtt from 'mqtt'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Haproxy, startHaproxy } from '../test/haproxy.ts'
import { startApp, type TestApp, testSecret } from '../test/kit.ts'
import { type NatsServer, startNatsCluster } from '../test/nats.ts'
import { createDevice, createDriver } from '../test/pipeline.ts'
import { freePort } from '../test/ports.ts'
import { packetStream } from './features/ingest/stream/streams.ts'

const soon = { timeout: 60_000 }
const stack = new AsyncDisposableStack()
let servers: readonly NatsServer[]
let stays: TestApp
let proxy: Haproxy
let serial = 0

beforeAll(async () => {
  servers = await startNatsCluster(stack)
  const mqttPort = await freePort()
  stays = await startApp({
    config: { nats: { servers: servers.map(({ url }) => url) }, nodeName: 'stays', mqttPort },
  })
  stack.use(stays)
  const dies = await startProcess('dies')
  proxy = stack.use(await startHaproxy([dies, { port: Number(new URL(stays.url).port), mqttPort }]))
})
afterAll(() => stack.disposeAsync())

interface NodeProcess {
  child: ChildProcess
  port: number
  mqttPort: number
}

let victim: NodeProcess

/** A node that can die: a process of its own on the database of the other one. */
async function startProcess(name: string): Promise<NodeProcess> {
  if (!('host' in stays.address)) throw new Error('the database of tests has an address')
  const { host, port: databasePort, user, password, database } = stays.address
  const dataDir = mkdtempSync(join(tmpdir(), 'leitstand-node-'))
  const [port, mqttPort] = [await freePort(), await freePort()]
  const login = `${user}:${encodeURIComponent(password ?? '')}`
  const child = fork(fileURLToPath(new URL('./main.ts', import.meta.url)), [], {
    execArgv: [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: {
      PATH: process.env.PATH,
      DATA_DIR: dataDir,
      DATABASE_URL: `postgres://${login}@localhost/${database}?host=${encodeURIComponent(host)}&port=${databasePort}`,
      LEITSTAND_SECRET: testSecret,
      NATS_URL: servers.map(({ url }) => url).join(','),
      NODE_NAME: name,
      PORT: String(port),
      MQTT_PORT: String(mqttPort),
      LOG_LEVEL: 'error',
    },
  })
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  stack.defer(async () => {
    child.kill('SIGKILL')
    await gone
    rmSync(dataDir, { recursive: true, force: true })
  })
  const ready = new Promise<void>((resolve) => child.once('message', () => resolve()))
  const ended = gone.then(() => {
    throw new Error('the node ended before it was ready')
  })
  await Promise.race([ready, ended])
  ended.catch(() => undefined)
  victim = { child, port, mqttPort }
  return victim
}

const hex = (n: number) => n.toString(16).padStart(2, '0')
const upTo = (count: number) => Array.from({ length: count }, (_, n) => n)

/** A device whose packets hold one number each. */
async function device(kind: 'webhook-in' | 'mqtt-broker', settings: object) {
  const { id, key } = await stays.api.bridge.create({
    accountId: stays.rootAccountId,
    kind,
    name: `Connector ${++serial}`,
    settings: { preset: 'standard', template: '', ...settings },
  } as Parameters<typeof stays.api.bridge.create>[0])
  const owner = { id, accountId: stays.rootAccountId, scopeId: stays.rootScopeId }
  const driver = await createDriver(
    stays,
    'function decodeUplink({ bytes }) { return { data: { n: bytes[0] } } }',
  )
  const deviceId = await createDevice(stays, owner, 'A1', driver)
  const stored = async () => {
    const rows = await stays.ctx.db
      .selectFrom('packets')
      .select('payload')
      .where('device_id', '=', deviceId)
      .orderBy('id')
      .execute()
    return rows.map(({ payload }) => Number.parseInt(payload, 16))
  }
  return { key, stored }
}

/** Posts through the balancer until it is accepted, as a network that delivers webhooks does. */
async function post(key: string | null | undefined, n: number): Promise<void> {
  const send = () =>
    fetch(`${proxy.url}/api/hooks/${key}`, {
      method: 'POST',
      body: JSON.stringify({ identifier: 'A1', data: hex(n), time: new Date(Date.now() + n).toISOString() }),
      headers: { 'content-type': 'application/json' },
    }).then(
      ({ status }) => status,
      () => 0,
    )
  await expect.poll(send, soon).toBe(200)
}

describe('a client behind a balancer', () => {
  it('goes on when a node dies, over HTTP and MQTT: nothing is lost, doubled or out of order', async () => {
    const hook = await device('webhook-in', {})
    const login = { username: 'plant', password: 'correct horse' }
    const broker = await device('mqtt-broker', { ...login, publishTopics: ['v1/#'] })
    // Both nodes know the new client.
    const connectTo = (port: number) =>
      mqtt.connectAsync(`mqtt://127.0.0.1:${port}`, { ...login, clientId: 'pump', reconnectPeriod: 200 })
    const knows = (port: number) =>
      connectTo(port).then(
        async (client) => {
          await client.endAsync(true)
          return true
        },
        () => false,
      )
    await expect.poll(() => knows(victim.mqttPort), soon).toBe(true)
    const client = await connectTo(proxy.mqttPort)
    stack.defer(() => client.endAsync(true))
    const publish = (n: number) =>
      client.publishAsync(
        'v1/up',
        JSON.stringify({ identifier: 'A1', data: hex(n), time: new Date(Date.now() + n).toISOString() }),
        { qos: 1 },
      )
    for (const n of upTo(60)) {
      if (n === 30) victim.child.kill('SIGKILL')
      await Promise.all([post(hook.key, n), publish(n)])
    }
    await expect.poll(hook.stored, soon).toEqual(upTo(60))
    await expect.poll(broker.stored, soon).toEqual(upTo(60))
  }, 300_000)
})

describe('a cluster of NATS', () => {
  it('keeps packets three times, and loses none when the leader of the stream dies', async () => {
    const { key, stored } = await device('webhook-in', {})
    const info = async () => {
      const nc = await connect({ servers: servers.map(({ address }) => address) })
      try {
        return await (await jetstreamManager(nc)).streams.info(packetStream)
      } finally {
        await nc.close()
      }
    }
    const { config, cluster } = await info()
    expect(config.num_replicas).toBe(3)
    const leader = servers.find(({ name }) => name === cluster?.leader)
    for (const n of upTo(60)) {
      if (n === 30) await leader?.kill()
      await post(key, n)
    }
    await expect.poll(stored, soon).toEqual(upTo(60))
    await leader?.up()
    await expect
      .poll(async () => (await info()).cluster?.replicas?.filter(({ current }) => current).length, soon)
      .toBe(2)
  }, 300_000)
})
