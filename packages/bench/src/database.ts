import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import type { Ledger } from './load/drive.ts'
import { valueKeys } from './load/uplinks.ts'

const pageRows = 50_000
const followUpMaxMs = 120_000
const followUpPollMs = 20

/** Stored uplinks of a run. */
export interface Stored {
  /** uplinks whose packet and all four values are stored, each counted once */
  stored: number
  /** acknowledged and not stored */
  lost: number
  /** packets beyond the first of an uplink */
  duplicated: number
}

/** A connection to a platform's database, for reading only. */
export async function openDatabase(config: pg.ClientConfig): Promise<pg.Client & AsyncDisposable> {
  const client = new pg.Client({ ...config, application_name: 'leitstand bench', options: '-c TimeZone=UTC' })
  client.on('error', () => undefined) // the next query throws
  await client.connect()
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() })
}

export async function databaseBytes(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ bytes: string }>(
    'select pg_database_size(current_database()) as bytes',
  )
  return Number(rows[0]?.bytes)
}

/** A consumer and a topic of its events. */
type Followed = readonly [consumer: string, topic: string]

/**
 * Waits until consumers have processed their events, by default that of rules the stored values. Others are ignored:
 * their cursors do not move with these.
 * @returns the duration in ms, or null after a timeout
 */
export async function followUp(
  client: pg.Client,
  signal: AbortSignal,
  followed: readonly Followed[] = [['rules', 'values.stored']],
): Promise<number | null> {
  const started = performance.now()
  while (performance.now() - started < followUpMaxMs) {
    signal.throwIfAborted()
    if (!(await isBehind(client, followed))) return performance.now() - started
    await delay(followUpPollMs, undefined, { signal })
  }
  return null
}

/**
 * Whether consumers have events that they have not processed. Several nodes have a cursor for each slice of the accounts; the
 * one of a node alone (-1) stays where it was then, and counts only for slices that have none.
 */
export async function isBehind(client: pg.Client, followed: readonly Followed[]): Promise<boolean> {
  const { rows } = await client.query<{ behind: boolean }>(
    `select exists (select from unnest($1::text[], $2::text[]) as f (consumer, topic)
      join outbox o on o.topic = f.topic
      cross join lateral (
        select last_xid, last_id from outbox_cursors
        where consumer = f.consumer and slice in (-1, coalesce(o.account_id, 0) % 16)
        order by slice desc limit 1) as c
      where (o.xid, o.id) > (c.last_xid, c.last_id))
      or exists (select from outbox_lanes where consumer = any($1)) as behind`,
    [followed.map(([consumer]) => consumer), followed.map(([, topic]) => topic)],
  )
  return rows[0]?.behind ?? false
}

/**
 * Finds every uplink by the sequence number in its values. It counts as stored if its packet exists and each
 * of its values is in the series of its state, at its time and equal to the packet's.
 */
export async function countStored(
  client: pg.Client,
  accountId: number,
  ledger: Pick<Ledger, 'sent' | 'isAcknowledged'>,
): Promise<Stored> {
  await client.query('drop table if exists pg_temp.bench_stored')
  await client.query(`
    create temporary table bench_stored as
    select (p.variables->>'co2')::bigint * 65536 + (p.variables->>'illuminance')::bigint as sequence,
      count(*) as packets, bool_or(v.whole) as whole
    from packets p
    cross join lateral (
      select count(*) = ${valueKeys.length} as whole
      from states s join state_values v on v.state_id = s.id and v.time = p.time
      where s.twin_id = p.device_id and s.key in (${valueKeys.map((key) => `'${key}'`).join()})
        and v.num = (p.variables->>s.key)::float8) as v
    where p.account_id = ${Number(accountId)} and p.variables->>'co2' is not null
    group by 1`)
  await client.query('create index on bench_stored (sequence)')
  const isStored = new Uint8Array(ledger.sent + 1)
  let [stored, duplicated, from] = [0, 0, -1]
  for (;;) {
    const { rows } = await client.query<{ sequence: string; packets: string; whole: boolean }>(
      'select sequence, packets, whole from bench_stored where sequence > $1 order by sequence limit $2',
      [from, pageRows],
    )
    for (const row of rows) {
      duplicated += Number(row.packets) - 1
      const sequence = Number(row.sequence)
      if (!row.whole || sequence > ledger.sent) continue
      isStored[sequence] = 1
      stored++
    }
    const last = rows.at(-1)
    if (last === undefined) break
    from = Number(last.sequence)
  }
  let lost = 0
  for (let sequence = 1; sequence <= ledger.sent; sequence++)
    if (ledger.isAcknowledged(sequence) && isStored[sequence] === 0) lost++
  return { stored, lost, duplicated }
}
