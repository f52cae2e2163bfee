import type { TestApp } from './kit.ts'

/**
 * Queues a background job that cannot start until `meanwhile` is done, and runs it to its end.
 * @param begin queues it
 * @param meanwhile what happens between asking for the job and its start
 */
export async function beforeItStarts<T>(
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
  await meanwhile(job)
  // Until then a worker may be about to fail it, and would put off the next attempt.
  await app.drain()
  await pool.query('drop trigger no_start on background_jobs')
  await pool.query('drop function no_start')
  await pool.query(`update pgboss.job set start_after = now() where state = 'retry'`)
  await app.drain()
  return job
}
