/**
 * The limit set by broker and database: the same broker, the same messages, and behind it only one statement
 * per batch that inserts packets and values; the acknowledgement follows the commit. Runs as a separate
 * process, started by `baseline/index.ts`, which passes the database in BENCH_DATABASE and the number of
 * devices in BENCH_DEVICES.
 */
import { createServer } from 'node:net'
import { Aedes, type PublishPacket } from 'aedes'
import pg from 'pg'
import { devEuiOf } from '../load/uplinks.ts'

/** As the platform's own. */
const batchMax = 500

interface Waiting {
  packet: PublishPacket
  done: (error?: Error | null) => void
}

interface Body {
  end_device_ids: { dev_eui: string }
  received_at: string
  uplink_message: { f_cnt?: number; frm_payload: string }
}

const pool = new pg.Pool({ ...JSON.parse(process.env.BENCH_DATABASE ?? '{}'), max: 1 })
const devices = new Map(
  Array.from({ length: Number(process.env.BENCH_DEVICES) }, (_, index) => [devEuiOf(index), index]),
)
const waiting: Waiting[] = []
let isStoring = false

const statement = `
  with kept as (
    insert into packets (received_at, device_id, f_cnt, payload, meta)
    select now(), device_id, f_cnt, payload, meta::jsonb
    from unnest($1::int[], $2::bigint[], $3::text[], $4::text[]) as p (device_id, f_cnt, payload, meta))
  insert into state_values (state_id, time, num)
  select * from unnest($5::int[], $6::timestamptz[], $7::float8[]) on conflict do nothing`

async function store(batch: readonly Waiting[]): Promise<void> {
  const packets: { device: number; fCnt: number; payload: string; meta: string }[] = []
  const values: { state: number; time: string; value: number }[] = []
  for (const { packet } of batch) {
    const body = JSON.parse(packet.payload.toString('utf8')) as Body
    const device = devices.get(body.end_device_ids.dev_eui)
    if (device === undefined) continue
    const { frm_payload: data, f_cnt: fCnt = 0, ...meta } = body.uplink_message
    const bytes = Buffer.from(data, 'base64')
    packets.push({ device, fCnt, payload: bytes.toString('hex'), meta: JSON.stringify(meta) })
    const measured = [bytes.readInt16BE(1) / 10, bytes[4] ?? 0, bytes.readUInt16BE(6), bytes.readUInt16BE(9)]
    for (const [at, value] of measured.entries())
      values.push({ state: device * 4 + at, time: body.received_at, value })
  }
  await pool.query({
    name: 'store',
    text: statement,
    values: [
      packets.map(({ device }) => device),
      packets.map(({ fCnt }) => fCnt),
      packets.map(({ payload }) => payload),
      packets.map(({ meta }) => meta),
      values.map(({ state }) => state),
      values.map(({ time }) => time),
      values.map(({ value }) => value),
    ],
  })
}

async function storeAll(): Promise<void> {
  if (isStoring) return
  isStoring = true
  // Messages of the same event loop turn join the first batch.
  await new Promise((resolve) => setImmediate(resolve))
  while (waiting.length > 0) {
    const batch = waiting.splice(0, batchMax)
    try {
      await store(batch)
      for (const { done } of batch) done()
    } catch (error) {
      console.error(error)
      for (const { done } of batch) done(error instanceof Error ? error : new Error(String(error)))
    }
  }
  isStoring = false
}

// Its rows would be vacuumed at the cost of what is measured next.
await pool.query(`
  create table packets (
    id bigint generated always as identity, received_at timestamptz not null, device_id integer not null,
    f_cnt bigint not null, payload text not null, meta jsonb not null, primary key (received_at, id))
    with (autovacuum_enabled = false);
  create table state_values (
    state_id integer not null, time timestamptz not null, num double precision, primary key (state_id, time))
    with (autovacuum_enabled = false)`)

/** There are no subscribers: like the platform's broker, skip delivery to them. */
class Broker extends Aedes {
  // The broker passes the client as the second argument, which its types omit.
  override publish(
    packet: PublishPacket,
    client: object | null | ((error?: Error) => void),
    done?: (error?: Error) => void,
  ): void {
    if (client !== null && typeof client !== 'function') done?.()
    else Reflect.apply(super.publish, this, [packet, client, done])
  }
}

const broker = new Broker({
  concurrency: 0,
  authorizePublish: (_client, packet, done) => {
    waiting.push({ packet, done })
    void storeAll()
  },
})
await broker.listen()
// The parent process keeps this output and shows it if a connection breaks.
broker.on('clientError', (_client, error) => console.error(error.message))
broker.on('connectionError', (_client, error) => console.error(error.message))
const server = createServer({ noDelay: true }, (socket) => broker.handle(socket))
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  process.send?.({ port: typeof address === 'object' && address !== null ? address.port : 0 })
})
const end = () => process.exit(0)
process.once('SIGTERM', end)
// The parent process is gone.
process.once('disconnect', end)
