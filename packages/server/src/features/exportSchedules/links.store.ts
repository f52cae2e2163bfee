import { sql } from 'kysely'
import type { Executor } from '../../platform/db/index.ts'

export async function insertLink(
  tx: Executor,
  { tokenHash, runId, expiresAt }: { tokenHash: Buffer; runId: number; expiresAt: Date },
): Promise<void> {
  await sql`
    insert into export_schedule_links (token_hash, run_id, expires_at)
    values (${tokenHash}, ${runId}, ${expiresAt})`.execute(tx)
}

/** The background job whose file a link leads to; undefined when there is none, or not any more. */
export async function findLinked(
  db: Executor,
  tokenHash: Buffer,
  now: Date,
): Promise<{ jobId: number; scheduleId: number } | undefined> {
  const { rows } = await sql<{ jobId: number; scheduleId: number }>`
    select r.job_id as "jobId", r.schedule_id as "scheduleId" from export_schedule_links l join export_schedule_runs r on r.id = l.run_id
    where l.token_hash = ${tokenHash} and l.expires_at > ${now} and r.job_id is not null`.execute(db)
  return rows[0]
}

export async function deleteEndedLinks(db: Executor, now: Date): Promise<void> {
  await sql`delete from export_schedule_links where expires_at <= ${now}`.execute(db)
}
