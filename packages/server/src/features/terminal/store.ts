import { terminalLimits } from '@leitstand/contract/terminal'
import { sql } from 'kysely'
import type { Db, Executor } from '../../platform/db/index.ts'
import { AppError } from '../../platform/errors.ts'

/** One more than is shown, to tell that there are more. */
const max = terminalLimits.rowsMax + 1

/** First key of the advisory lock of a user whose command runs. */
const commandLock = 7_211_080

/**
 * Runs a command unless another one of the user runs on any node. The lock goes with the node that has it.
 * @throws AppError TERMINAL_BUSY
 */
export function oneAtATime<T>(db: Db, userId: number, run: () => Promise<T>): Promise<T> {
  return db.transaction().execute(async (tx) => {
    const { rows } = await sql<{ taken: boolean }>`
      select pg_try_advisory_xact_lock(${commandLock}, ${userId}) as taken`.execute(tx)
    if (!rows[0]?.taken) throw new AppError('TERMINAL_BUSY')
    return run()
  })
}

/** Queues with work, and what failed in the last days. */
export async function readQueues(db: Executor) {
  const { rows } = await sql<{
    queue: string
    waiting: number
    active: number
    failed: number
    oldest: Date | null
  }>`
    select name as queue, (count(*) filter (where state in ('created', 'retry')))::int as waiting,
      (count(*) filter (where state = 'active'))::int as active, (count(*) filter (where state = 'failed'))::int as failed,
      min(created_on) filter (where state in ('created', 'retry') and start_after <= now()) as oldest
    from pgboss.job where state <> 'completed' group by name order by name limit ${max}`.execute(db)
  return rows
}

/** How far the consumers of events are, and what they have parked. */
export async function readConsumers(db: Executor) {
  const { rows } = await sql<{
    consumer: string
    slices: number
    moved: Date
    parked: number
    oldest: Date | null
  }>`
    select c.consumer, count(*)::int as slices, max(c.updated_at) as moved,
      (select count(*)::int from outbox_failures f where f.consumer = c.consumer) as parked,
      (select min(f.at) from outbox_failures f where f.consumer = c.consumer) as oldest
    from outbox_cursors c group by c.consumer order by c.consumer limit ${max}`.execute(db)
  return rows
}

/** Events that are stored, and the age of the oldest in seconds. */
export async function readOutbox(db: Executor): Promise<{ events: number; oldest: Date | null }> {
  const { rows } = await sql<{ events: number; oldest: Date | null }>`
    select count(*)::int as events, min(at) as oldest from (select at from outbox order by xid, id limit 100000) as o`.execute(
    db,
  )
  return rows[0] ?? { events: 0, oldest: null }
}

export async function hasStatistics(db: Executor): Promise<boolean> {
  const { rows } = await sql<{ has: boolean }>`
    select to_regclass('pg_stat_statements') is not null as has`.execute(db)
  return rows[0]?.has ?? false
}

/** The statements of this database that took most time altogether. */
export async function readSlowStatements(db: Executor) {
  const { rows } = await sql<{ calls: number; meanMs: number; totalMs: number; statement: string }>`
    select calls::int as calls, round(mean_exec_time::numeric, 1)::float8 as "meanMs",
      round(total_exec_time::numeric)::float8 as "totalMs", left(query, 2000) as statement
    from pg_stat_statements
    where dbid = (select oid from pg_database where datname = current_database())
    order by total_exec_time desc limit 30`.execute(db)
  return rows
}

/** Statements that run now, longest first, but this one. */
export async function readRunningStatements(db: Executor) {
  const { rows } = await sql<{
    ms: number
    state: string
    waits: string | null
    by: string
    statement: string
  }>`
    select (extract(epoch from clock_timestamp() - query_start) * 1000)::int as ms, state,
      wait_event_type as waits, application_name as by, left(query, 2000) as statement
    from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and state <> 'idle' and query_start is not null
    order by query_start limit 30`.execute(db)
  return rows
}

/** Connectors that are not as they should be first. */
export async function readConnectorStates(db: Executor) {
  const { rows } = await sql<{
    id: number
    name: string
    kind: string
    account: string
    state: string
    since: Date
    message: string
  }>`
    select c.id, c.name, c.kind, a.name as account, case when c.enabled then c.state else 'disabled' end as state,
      c.state_at as since, c.state_message as message
    from connectors c join accounts a on a.id = c.account_id
    order by not c.enabled, c.state = 'connected', c.state_at desc, c.id limit ${max}`.execute(db)
  return rows
}

/** How many there are of everything that counts; values and packets as the database estimates them. */
export async function readCounts(db: Executor): Promise<Record<string, number>> {
  const { rows } = await sql<Record<string, number>>`
    select (select count(*)::int from accounts) as accounts,
      (select count(*)::int from users where active) as users,
      (select count(*)::int from sessions where expires_at > now()) as sessions,
      (select count(*)::int from api_keys) as "API keys",
      (select count(*)::int from twins where category = 'digitalTwin') as twins,
      (select count(*)::int from twins where category = 'virtualDevice') as devices,
      (select count(*)::int from states) as states,
      (select count(*)::int from connectors) as connectors,
      (select count(*)::int from rules) as rules,
      (select count(*)::int from dashboards) as dashboards,
      (select count(*)::int from alarms where resolved_at is null) as "open alarms",
      (select count(*)::int from dead_letters) as "refused messages",
      (select count(*)::int from outbox_failures) as "parked events",
      (select coalesce(sum(reltuples) filter (where relname like 'state\_values\_%'), 0)::bigint::float8
        from pg_class where relkind = 'r' and reltuples > 0) as "values (about)"`.execute(db)
  return rows[0] ?? {}
}

export async function readDatabase(db: Executor) {
  const { rows } = await sql<{ version: string; bytes: number; connections: number; isReplica: boolean }>`
    select current_setting('server_version') as version, pg_database_size(current_database())::float8 as bytes,
      (select count(*)::int from pg_stat_activity where datname = current_database()) as connections,
      pg_is_in_recovery() as "isReplica"`.execute(db)
  return rows[0]
}

/** A twin or device with the states that are computed from others. */
export async function findComputed(
  db: Executor,
  twinId: number,
  sources: readonly string[],
): Promise<{ title: string; accountId: number; stateIds: number[] } | undefined> {
  const { rows } = await sql<{ title: string; accountId: number; stateIds: number[] }>`
    select t.title, t.account_id as "accountId", array(
      select s.id from states s where s.twin_id = t.id and s.source = any(${[...sources]}::text[]) order by s.id) as "stateIds"
    from twins t where t.id = ${twinId}`.execute(db)
  return rows[0]
}

/** Parked events of a consumer that do not wait for a retry, oldest first. */
export async function findParked(db: Executor, consumer: string, limit: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select id from outbox_failures where consumer = ${consumer} and not retry order by id limit ${limit}`.execute(
    db,
  )
  return rows.map(({ id }) => id)
}
