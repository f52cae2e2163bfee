import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { jetstream, jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startApp, type TestApp, type TestAppOptions, testSecret } from '../../../../test/kit.ts'
import { NatsServer } from '../../../../test/nats.ts'
import { createDevice, createDriver } from '../../../../test/pipeline.ts'
import type { Role } from '../../../platform/nodes/index.ts'
import { partitionCount } from './frame.ts'
import { beginReading, noteAlone, readPositions, writePositions } from './positions.store.ts'
import { packetStream, packetSubject } from './streams.ts'

let nats: NatsServer
let web: TestApp
let serial = 0

const node = (name: string, roles: readonly Role[], options: TestAppOptions = {}) =>
  startApp({
    ...options,
    config: { nats: { servers: [nats.url] }, nodeName: name, roles, ...options.config },
  })

beforeAll(async () => {
  nats = await NatsServer.start()
  web = await node('front', ['web', 'connect'])
})
// Apps stop after the file; they need NATS until then.
afterAll(async () => {
  await web[Symbol.asyncDispose]()
  await nats[Symbol.asyncDispose]()
})

const ingestNode = (name: string) =>
  node(`${name}-${++serial}`, ['ingest', 'derive', 'jobs'], { address: web.address })

async function device(app: TestApp = web) {
  const name = `Webhook ${++serial}`
  const { id, key } = await app.api.bridge.create({
    accountId: app.rootAccountId,
    kind: 'webhook-in',
    name,
    settings: { preset: 'standard', template: '' },
  })
  const owner = { id, accountId: app.rootAccountId, scopeId: app.rootScopeId }
  const driver = await createDriver(
    app,
    'function decodeUplink({ bytes }) { return { data: { n: bytes[0] } } }',
  )
  const deviceId = await createDevice(app, owner, 'A1', driver)
  const post = async (body: object) => {
    const reply = await fetch(`${app.url}/api/hooks/${key}`, {
      method: 'POST',
      body: JSON.stringify({ identifier: 'A1', ...body }),
      headers: { 'content-type': 'application/json' },
    })
    return { status: reply.status, answer: await reply.json() }
  }
  const stored = async () => {
    const rows = await app.ctx.db
      .selectFrom('packets')
      .select('payload')
      .where('device_id', '=', deviceId)
      .orderBy('id')
      .execute()
    return rows.map(({ payload }) => Number.parseInt(payload, 16))
  }
  return { connectorId: id, deviceId, post, stored }
}

/** Hex data of a packet that ends the process as soon as it is to be written. */
const deadly = 'dead'

/** The real program with the role of ingest, which is killed by the system when it wants to write that packet. */
class IngestProgram implements AsyncDisposable {
  readonly #child: ChildProcess
  readonly exit: Promise<unknown>
  output = ''

  constructor(name: string) {
    if (!('database' in web.address)) throw new Error('the database of tests has no name')
    const { user, password = '', host, port, database } = web.address
    const place = `host=${encodeURIComponent(host)}&port=${port}`
    const databaseUrl = `postgres://${user}:${encodeURIComponent(password)}@localhost/${database}?${place}`
    const main = fileURLToPath(new URL('../../../main.ts', import.meta.url))
    const killer = `import { createRequire } from 'node:module'
      const { Client } = createRequire(${JSON.stringify(main)})('pg')
      const { query } = Client.prototype
      Client.prototype.query = function (...args) {
        const [{ text = args[0], values = args[1] }] = args
        if (/insert into packets/.test(text) && values.some((value) => String(value).includes(${JSON.stringify(deadly)})))
          process.kill(process.pid, 'SIGKILL')
        return query.apply(this, args)
      }`
    this.#child = spawn(
      process.execPath,
      ['--import', `data:text/javascript,${encodeURIComponent(killer)}`, main],
      {
        env: {
          PATH: process.env.PATH,
          DATA_DIR: mkdtempSync(join(tmpdir(), 'leitstand-deadly-')),
          DATABASE_URL: databaseUrl,
          LEITSTAND_SECRET: testSecret,
          NATS_URL: nats.url,
          NODE_NAME: name,
          ROLES: 'ingest',
          PORT: '0',
          MQTT_PORT: '0',
        },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    )
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream?.on('data', (chunk: Buffer) => {
        this.output += chunk
      })
    this.exit = once(this.#child, 'close')
  }

  get signal(): NodeJS.Signals | null {
    return this.#child.signalCode
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill('SIGTERM')
    await this.exit
  }
}

const hex = (n: number) => n.toString(16).padStart(2, '0')

async function withStream<T>(
  work: (jsm: Awaited<ReturnType<typeof jetstreamManager>>) => Promise<T>,
): Promise<T> {
  const nc = await connect({ servers: nats.url.replace('nats://', '') })
  try {
    return await work(await jetstreamManager(nc))
  } finally {
    await nc.close()
  }
}

/** Messages behind the position of their partition. */
const waiting = () =>
  withStream(async (jsm) => {
    const { state, created } = await jsm.streams.info(packetStream)
    const positions = await readPositions(web.ctx.db, created)
    let count = 0
    for (let seq = state.first_seq; seq <= state.last_seq; seq++) {
      const message = await jsm.streams.getMessage(packetStream, { seq })
      const partition = Number(message?.subject.split('.').at(-1))
      if (seq > (positions.get(partition) ?? 0)) count++
    }
    return count
  })

describe('packets of several nodes', () => {
  it('wait in the stream until a node that stores them is there, then go in, in their order, once', async () => {
    const { connectorId, post, stored } = await device()
    for (let n = 0; n < 20; n++)
      expect(await post({ data: hex(n) })).toEqual({
        status: 200,
        answer: { accepted: 1, duplicates: 0, rejected: [], rejectedCount: 0 },
      })
    expect(await stored()).toEqual([])
    expect(await waiting()).toBe(20)

    const back = await ingestNode('back')
    await expect.poll(stored).toEqual(Array.from({ length: 20 }, (_, n) => n))
    await expect.poll(waiting).toBe(0)
    // What became of them is in the log of the connector, though another node has received them.
    await expect.poll(async () => (await web.api.bridge.traffic({ id: connectorId })).items.length).toBe(20)
    await back[Symbol.asyncDispose]()
  })

  it('are recognised at the door by the key of their source, and by what is stored', async () => {
    const { post, stored } = await device()
    const back = await ingestNode('back')
    const timed = { data: 'aa', time: new Date(Date.now() - 60_000).toISOString() }
    await post(timed)
    await expect.poll(stored).toEqual([0xaa])
    await post(timed)
    await post({ data: 'bb' })
    await expect.poll(stored).toEqual([0xaa, 0xbb])
    await back[Symbol.asyncDispose]()
  })

  it('move to another node when theirs dies, without loss, twice, or out of order', async () => {
    const { post, stored } = await device()
    const first = await ingestNode('first')
    const second = await ingestNode('second')
    const sent: number[] = []
    for (let n = 0; n < 60; n++) {
      expect((await post({ data: hex(n) })).status).toBe(200)
      sent.push(n)
      if (n === 20) await second[Symbol.asyncDispose]()
    }
    await expect.poll(stored).toEqual(sent)
    await first[Symbol.asyncDispose]()
  })
})

describe('the position of a partition', () => {
  it('is kept where it is furthest, and counts for one stream only', async () => {
    const { db } = web.ctx
    const write = (stream: string, seq: number, isIdle = false) =>
      writePositions(db, stream, new Map([[900, { seq, isIdle }]]))
    await write('one', 5)
    await write('one', 3)
    expect((await readPositions(db, 'one')).get(900)).toBe(5)
    await write('other', 1)
    expect((await readPositions(db, 'one')).get(900)).toBeUndefined()
    expect((await readPositions(db, 'other')).get(900)).toBe(1)
  })

  it('counts readers that end without a word, until one gets further, has nothing to do, or ends as it should', async () => {
    const { db } = web.ctx
    const begin = () => beginReading(db, 'begun', 901)
    const write = (seq: number, isIdle = false) =>
      writePositions(db, 'begun', new Map([[901, { seq, isIdle }]]))
    expect(await begin()).toEqual({ seq: 0, died: 0, alone: null })
    await write(7)
    expect(await begin()).toEqual({ seq: 7, died: 0, alone: null })
    expect(await begin()).toEqual({ seq: 7, died: 1, alone: null })
    await noteAlone(db, 901, { seq: 8, index: 2 })
    // That it is still there, and no further, says nothing.
    await write(7)
    expect(await begin()).toEqual({ seq: 7, died: 2, alone: { seq: 8, index: 2 } })
    await write(8)
    expect(await begin()).toEqual({ seq: 8, died: 0, alone: null })
    expect((await begin()).died).toBe(1)
    await write(8, true)
    expect((await begin()).died).toBe(0)
    expect(await beginReading(db, 'another', 901)).toEqual({ seq: 0, died: 0, alone: null })
  })

  it('moves on when nothing comes for it, so that it holds up no room', async () => {
    const back = await ingestNode('back')
    const last = () => withStream(async (jsm) => (await jsm.streams.info(packetStream)).state.last_seq)
    const created = await withStream(async (jsm) => (await jsm.streams.info(packetStream)).created)
    const seq = await last()
    await expect
      .poll(
        async () => {
          const positions = [...(await readPositions(web.ctx.db, created)).values()]
          return positions.length === partitionCount && positions.every((position) => position >= seq)
        },
        { timeout: 60_000 },
      )
      .toBe(true)
    await back[Symbol.asyncDispose]()
  })
})

describe('what cannot be stored', () => {
  it('is set aside after three attempts, and holds up nothing else', async () => {
    const { connectorId, deviceId, post, stored } = await device()
    await sql`
      create function refuse_poison() returns trigger language plpgsql as $$
      begin
        if new.payload = 'dd' then raise 'poison'; end if;
        return new;
      end $$`.execute(web.ctx.db)
    await sql`create trigger refuse_poison before insert on packets for each row execute function refuse_poison()`.execute(
      web.ctx.db,
    )
    for (const data of ['01', 'dd', '02', '03']) expect((await post({ data })).status).toBe(200)
    const back = await ingestNode('back')
    await expect.poll(stored).toEqual([1, 2, 3])
    await expect.poll(waiting).toBe(0)
    const { items } = await web.api.letters.list({ id: connectorId, limit: 10 })
    expect(items).toMatchObject([{ detail: expect.stringContaining('poison') }])
    expect(items[0]?.body).toContain('dd')
    await sql`drop trigger refuse_poison on packets`.execute(web.ctx.db)
    expect(await stored()).toHaveLength(3)
    expect(deviceId).toBeGreaterThan(0)
    await back[Symbol.asyncDispose]()
  })

  it('is set aside when it ends the program that stores it for the third time, and nothing else is', async () => {
    const { connectorId, post, stored } = await device()
    for (const data of ['01', deadly, '02', '03']) expect((await post({ data })).status).toBe(200)
    // Two readers have ended before, at each partition: real ones would take half a minute to start and end.
    const created = await withStream(async (jsm) => (await jsm.streams.info(packetStream)).created)
    for (let partition = 0; partition < partitionCount; partition++)
      for (let died = 0; died < 2; died++) await beginReading(web.ctx.db, created, partition)
    const third = new IngestProgram(`deadly-${++serial}`)
    await third.exit
    expect(third.signal, third.output).toBe('SIGKILL')
    await using _fourth = new IngestProgram(`deadly-${++serial}`)
    // On a busy machine a program takes long to start.
    await expect.poll(stored, { timeout: 180_000 }).toEqual([1, 2, 3])
    const { items } = await web.api.letters.list({ id: connectorId, limit: 10 })
    expect(items).toMatchObject([{ detail: expect.stringContaining('ended 3 times') }])
    expect(items[0]?.body).toContain(deadly)
  })

  it('belongs to a connector that was deleted meanwhile, or is no packet: both are taken out', async () => {
    const [gone, here] = [await device(), await device()]
    expect((await gone.post({ data: '01' })).status).toBe(200)
    await web.ctx.db.deleteFrom('packets').execute()
    await web.api.virtualdevice.delete({ id: gone.deviceId })
    await web.api.bridge.delete({ id: gone.connectorId })
    const nc = await connect({ servers: nats.url.replace('nats://', '') })
    for (let partition = 0; partition < partitionCount; partition++)
      await jetstream(nc).publish(packetSubject(partition), 'no packet')
    await nc.close()
    expect((await here.post({ data: '05' })).status).toBe(200)
    const back = await ingestNode('back')
    await expect.poll(here.stored).toEqual([5])
    await expect.poll(waiting).toBe(0)
    await back[Symbol.asyncDispose]()
  })
})

describe('a stream that is full', () => {
  it('pushes back until there is room again', async () => {
    await using server = await NatsServer.start()
    const config = { nats: { servers: [server.url] }, packetStreamBytes: 20_000 }
    await using full = await startApp({ config: { ...config, nodeName: 'full', roles: ['web', 'connect'] } })
    const { post, stored } = await device(full)
    const accepted: number[] = []
    const long = (n: number) => n.toString(16).padStart(4, '0')
    let answer = await post({ data: long(0) })
    // The nodes look once a second how full it is.
    for (let n = 0; answer.status === 200 && n < 0xffff; n++) {
      accepted.push(n)
      answer = await post({ data: long(n + 1) })
    }
    expect(answer).toMatchObject({ status: 503, answer: { code: 'OVERLOADED' } })
    expect(accepted.length).toBeGreaterThan(10)
    await using drain = await startApp({
      address: full.address,
      config: { ...config, nodeName: 'drain', roles: ['ingest'] },
    })
    await expect.poll(stored).toEqual(accepted)
    await expect.poll(async () => (await post({ data: 'ff' })).status).toBe(200)
    expect(drain.ctx.nodes.members()).toHaveLength(2)
  })
})

describe('NATS that is gone', () => {
  it('makes the door refuse, and nothing is lost that was acknowledged', async () => {
    const { post, stored } = await device()
    const back = await ingestNode('back')
    expect((await post({ data: '01' })).status).toBe(200)
    await expect.poll(stored).toEqual([1])
    await nats.kill()
    expect(await post({ data: '02' })).toMatchObject({ status: 503, answer: { code: 'OVERLOADED' } })
    const ready = async (role: string) => (await fetch(`${web.url}/readyz${role}`)).status
    await expect.poll(() => ready('?role=connect')).toBe(503)
    expect(await ready('')).toBe(503)
    // The console stays.
    expect(await ready('?role=web')).toBe(200)
    expect(await ready('?role=ingest')).toBe(503)
    expect(await ready('?role=cook')).toBe(503)
    expect((await web.api.virtualdevice.list({})).items.length).toBeGreaterThan(0)
    await nats.up()
    await expect.poll(async () => (await post({ data: '03' })).status).toBe(200)
    await expect.poll(async () => (await stored()).includes(3)).toBe(true)
    expect(new Set(await stored()).size).toBe((await stored()).length)
    await back[Symbol.asyncDispose]()
  })
})

describe('a server of NATS that knows less than the one before', () => {
  it('gives new messages numbers that were read before: they are stored all the same', async () => {
    await using server = await NatsServer.start()
    await using all = await startApp({ config: { nats: { servers: [server.url] }, nodeName: 'all' } })
    const { post, stored } = await device(all)
    const send = async (...numbers: number[]) => {
      for (const n of numbers) await expect.poll(async () => (await post({ data: hex(n) })).status).toBe(200)
    }
    await send(1)
    await expect.poll(stored).toEqual([1])
    await server.down()
    server.backUp()
    await server.up()
    await send(2, 3, 4, 5, 6)
    await expect.poll(stored).toEqual([1, 2, 3, 4, 5, 6])
    await server.down()
    server.restore()
    await server.up()
    await send(7)
    await expect.poll(stored).toEqual([1, 2, 3, 4, 5, 6, 7])
  })
})

describe('a stream that is not the one that was used', () => {
  it('cannot be emptied, and is missed when it is deleted', async () => {
    await withStream(async (jsm) => {
      await expect(jsm.streams.purge(packetStream)).rejects.toThrow(/not permitted/)
    })
    await withStream(async (jsm) => {
      const { config } = await jsm.streams.info(packetStream)
      expect(config).toMatchObject({ deny_delete: true, deny_purge: true })
    })
    const problem = async () => (await web.api.nodes.list()).problem
    await expect.poll(problem).toBeNull()
    await withStream((jsm) => jsm.streams.delete(packetStream))
    await expect.poll(problem).toBe('streamGone')
    expect((await fetch(`${web.url}/readyz?role=connect`)).status).toBe(503)
    expect((await fetch(`${web.url}/readyz?role=web`)).status).toBe(200)
  })

  it('is refused at the start', async () => {
    await expect(ingestNode('late')).rejects.toThrow(/The stream leitstand_journal of NATS is gone/)
    const again = await node('again', ['ingest'], {
      address: web.address,
      config: { isPacketStreamNew: true },
    })
    await again[Symbol.asyncDispose]()
    await withStream(async (jsm) => {
      const { config } = await jsm.streams.info(packetStream)
      await jsm.streams.delete(packetStream)
      await jsm.streams.add({ ...config, name: packetStream })
    })
    await expect(ingestNode('late')).rejects.toThrow(/Somebody has made it again/)
  })

  it('is refused while the one of an earlier version still holds something', async () => {
    await using server = await NatsServer.start()
    const nc = await connect({ servers: server.url.replace('nats://', '') })
    const jsm = await jetstreamManager(nc)
    await jsm.streams.add({ name: 'leitstand_packets', subjects: ['leitstand.packets.*'] })
    await jetstream(nc).publish('leitstand.packets.1', 'something')
    const options = { config: { nats: { servers: [server.url] }, nodeName: 'next' } }
    await expect(startApp(options)).rejects.toThrow(/leitstand_packets of NATS, .* holds 1 messages/)
    await nc.close()
  })
})
