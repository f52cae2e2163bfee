import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'

/** Each look reads the outbox, which costs the platform something. */
const pollMs = 500
const patienceMs = 600_000

/** Devices whose health has entries, numbered from 0: entry `n` is the `n / devices`-th of the `n % devices`-th device. */
export interface Entries {
  devices: number
  perDevice: number
}

/**
 * Writes devices to the tables and remembers their entries in a temporary table. The health of the first half is in
 * the first account.
 */
export async function fillDevices(
  database: pg.Client,
  accounts: readonly { id: number; scopeId: number }[],
  { devices, perDevice }: Entries,
): Promise<void> {
  const [first, second = first] = accounts
  if (first === undefined || second === undefined) throw new Error('devices need an account')
  await database.query('begin')
  await database.query(
    `insert into connectors (account_id, scope_id, name, kind, settings)
    select id, scope, 'Network', 'mqtt-in', '{}' from unnest($1::int[], $2::int[]) as a (id, scope)`,
    [accounts.map(({ id }) => id), accounts.map(({ scopeId }) => scopeId)],
  )
  await database.query(
    `with made as (
      insert into twins (account_id, scope_id, category, type, title)
      select case when n < $5::int / 2 then $1::int else $3::int end, case when n < $5::int / 2 then $2::int else $4::int end,
        'virtualDevice', 'sensor', 'Sensor ' || n from generate_series(0, $5::int - 1) as n
      returning id, account_id)
    insert into virtual_devices (twin_id, connector_id, external_id, driver_id, operational_status)
    select m.id, c.id, 'bench-' || m.id, (select min(id) from drivers), 3
    from made m join connectors c on c.account_id = m.account_id`,
    [first.id, first.scopeId, second.id, second.scopeId, devices],
  )
  await database.query('drop table if exists pg_temp.bench_entries')
  await database.query(
    'create temporary table bench_entries (n int primary key, account_id int, device_id int, entry text)',
  )
  await database.query(
    `insert into bench_entries
    select e * $2::int + row_number() over (partition by e order by t.id) - 1, t.account_id, t.id, 'entry ' || e
    from twins t, generate_series(0, $3::int - 1) as e where t.account_id = any($1::int[]) and t.category = 'virtualDevice'`,
    [accounts.map(({ id }) => id), devices, perDevice],
  )
  await database.query('commit')
  await database.query('analyze')
}

/**
 * Appends changes of health as the platform does when it has stored them: change `n` is of entry `n % entries`, which
 * begins to count in even rounds and ceases in odd ones.
 * @param range numbers of the changes, the last one excluded
 */
export async function appendChanges(
  database: pg.Client,
  { devices, perDevice }: Entries,
  range: { from: number; to: number },
): Promise<void> {
  await database.query(
    `with appended as (
      insert into outbox (topic, version, account_id, payload)
      select 'health.changed', 1, e.account_id, jsonb_build_object('deviceId', e.device_id, 'entry', e.entry,
        'category', 'device', 'description', 'The supply is too weak for ' || e.entry, 'from', c.begins::int - 1,
        'to', c.begins::int, 'health', c.begins::int, 'at', to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
      from (select n, n / $3::int % 2 = 0 as begins from generate_series($1::int, $2::int - 1) as n) as c
      join bench_entries e on e.n = c.n % $3::int order by c.n)
    select pg_notify('leitstand_outbox', '')`,
    [range.from, range.to, devices * perDevice],
  )
}

/**
 * Waits until a consumer has handled all events of a topic that are there.
 * @returns the duration in ms
 */
export async function handled(
  database: pg.Client,
  consumer: string,
  topic: string,
  signal: AbortSignal,
): Promise<number> {
  const started = performance.now()
  while (performance.now() - started < patienceMs) {
    const { rows } = await database.query<{ behind: boolean }>(
      // An account that has fallen behind has a place of its own, which may stay after it has caught up.
      `select exists (select from outbox o join outbox_cursors c on c.consumer = $1
        left join outbox_lanes l on l.consumer = $1 and l.account_id = o.account_id
        where o.topic = $2
          and (o.xid, o.id) > (coalesce(l.last_xid, c.last_xid), coalesce(l.last_id, c.last_id))) as behind`,
      [consumer, topic],
    )
    if (!rows[0]?.behind) return performance.now() - started
    await delay(pollMs, undefined, { signal })
  }
  throw new Error(`${consumer} did not handle all of ${topic} in time`)
}

/** What the alarm log says of some accounts. */
export interface Logged {
  alarms: number
  /** times that an alarm opened, or opened again */
  opened: number
  open: number
}

export async function readLog(database: pg.Client, accountIds: readonly number[]): Promise<Logged> {
  const { rows } = await database.query<Logged>(
    `select count(*)::int as alarms, coalesce(sum(occurrences), 0)::int as opened,
      count(*) filter (where resolved_at is null)::int as open from alarms where account_id = any($1::int[]) and source = 'health'`,
    [accountIds],
  )
  return rows[0] as Logged
}
