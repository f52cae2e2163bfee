import { sql } from 'kysely'
import { PgBoss } from 'pg-boss'
import type { DatabaseAddress, Executor } from '../src/platform/db/index.ts'
import type { TestApp } from './kit.ts'

/**
 * Leaves the waiting jobs of a queue as a process does that dies during their last attempt, a day ago. In the transaction
 * that queues them no worker takes them before.
 */
export async function interruptLastAttempt(db: Executor, queue: string): Promise<void> {
  await sql`
    update pgboss.job set state = 'active', retry_count = retry_limit, started_on = now() - interval '1 day'
    where name = ${queue} and state in ('created', 'retry')`.execute(db)
}

/** Ends attempts whose time is over, as every server does once a minute. */
export async function endOverdueAttempts(
  address: DatabaseAddress,
  pool: TestApp['ctx']['pool'],
): Promise<void> {
  const boss = new PgBoss({ ...address, schema: 'pgboss', supervise: false, schedule: false })
  const errors: unknown[] = []
  boss.on('error', (error) => errors.push(error))
  await boss.start()
  // It may have been done within this minute.
  await pool.query('update pgboss.queue set monitor_claim_on = null')
  await boss.supervise()
  await boss.stop({ graceful: false })
  if (errors.length > 0) throw new AggregateError(errors)
}

/**
 * Queues a background job that cannot start before `meanwhile` is done.
 * @param begin queues it
 * @param meanwhile what happens between asking for the job and its start; its first attempt has failed
 */
export async function untilItStarts<T>(
  app: TestApp,
  begin: () => Promise<T>,
  meanwhile: (begun: T) => Promise<unknown>,
): Promise<T> {
  const { pool } = app.ctx
  await pool.query(`create function no_start() returns trigger language plpgsql as $$
    begin raise exception 'the connection is lost'; end $$`)
  await pool.query(`create trigger no_start before update on background_jobs for each row
    when (new.state = 'inprogress') execute function no_start()`)
  const job = await begin()
  // Until then a worker may be about to fail it, and would put off the next attempt.
  await app.drain()
  await meanwhile(job)
  await pool.query('drop trigger no_start on background_jobs')
  await pool.query('drop function no_start')
  return job
}

/** The same, and runs it to its end. */
export async function beforeItStarts<T>(
  app: TestApp,
  begin: () => Promise<T>,
  meanwhile: (begun: T) => Promise<unknown>,
): Promise<T> {
  const job = await untilItStarts(app, begin, meanwhile)
  await app.ctx.pool.query(`update pgboss.job set start_after = now() where state = 'retry'`)
  await app.drain()
  return job
}
