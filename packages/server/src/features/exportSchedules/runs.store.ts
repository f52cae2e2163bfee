import type {
  ExportDelivery,
  ExportRun,
  ExportRunReason,
  ExportRunState,
} from '@leitstand/contract/exportSchedules'
import { sql } from 'kysely'
import type { Executor } from '../../platform/db/index.ts'
import type { Period } from '../exports/index.ts'
import type { Plan } from './times.ts'

/** Notes the times of a schedule that is due: one that was planned already stays as it is. */
export async function planRuns(
  tx: Executor,
  scheduleId: number,
  { missed, due, nextAt }: Plan,
  now: Date,
): Promise<void> {
  await sql`
    insert into export_schedule_runs (schedule_id, due_at, state, try_at, at, ended_at)
    select ${scheduleId}::int, due_at, 'missed', null::timestamptz, ${now}::timestamptz, ${now}::timestamptz from unnest(${missed}::timestamptz[]) as due_at
    union all select ${scheduleId}::int, ${due}::timestamptz, 'waiting', ${now}::timestamptz, ${now}::timestamptz, null
    on conflict do nothing`.execute(tx)
  await sql`update export_schedules set next_at = ${nextAt} where id = ${scheduleId}`.execute(tx)
}

/** A run that somebody starts. @returns its id; undefined when one is still running */
export async function insertManual(tx: Executor, scheduleId: number, now: Date): Promise<number | undefined> {
  const { rows } = await sql<{ id: number }>`
    insert into export_schedule_runs (schedule_id, due_at, manual, state, try_at, at)
    select ${scheduleId}::int, ${now}::timestamptz, true, 'waiting', ${now}::timestamptz, ${now}::timestamptz
    where not exists (select from export_schedule_runs
      where schedule_id = ${scheduleId} and manual and state in ('waiting', 'exporting', 'delivering'))
    returning id`.execute(tx)
  return rows[0]?.id
}

/** A run that an attempt to begin is made at. */
export interface ClaimedRun {
  id: number
  scheduleId: number
  dueAt: Date
  /** when it was planned */
  at: Date
  /** of this attempt; another one has another number */
  attempt: number
}

/** Claims the next run that waits, until a time. */
export async function claimRun(db: Executor, now: Date, until: Date): Promise<ClaimedRun | undefined> {
  const { rows } = await sql<ClaimedRun>`
    update export_schedule_runs set try_at = ${until}, attempts = attempts + 1
    where id = (select id from export_schedule_runs where try_at <= ${now} order by try_at, id limit 1
      for update skip locked)
    returning id, schedule_id as "scheduleId", due_at as "dueAt", at, attempts as attempt`.execute(db)
  return rows[0]
}

/** Locks a run that this attempt has claimed. @returns whether it is still its own */
export async function holdRun(tx: Executor, { id, attempt }: ClaimedRun): Promise<boolean> {
  const { rows } = await sql`
    select from export_schedule_runs where id = ${id} and state = 'waiting' and attempts = ${attempt}
    for update`.execute(tx)
  return rows.length > 0
}

/** Tries a run again at a time. @param attempts how many were made, of those that count */
export async function retryRun(
  db: Executor,
  { id, attempt }: ClaimedRun,
  at: Date,
  attempts = attempt,
): Promise<void> {
  await sql`
    update export_schedule_runs set try_at = ${at}, attempts = ${attempts}
    where id = ${id} and state = 'waiting' and attempts = ${attempt}`.execute(db)
}

/** Its background job has begun. */
export async function noteExporting(
  tx: Executor,
  id: number,
  { jobId, period }: { jobId: number; period: Period },
): Promise<void> {
  await sql`
    update export_schedule_runs set state = 'exporting', try_at = null, job_id = ${jobId},
      period_start = ${new Date(period.startMs)}, period_end = ${new Date(period.endMs)}
    where id = ${id}`.execute(tx)
}

/** Its file is there. */
export async function noteFile(
  tx: Executor,
  id: number,
  { name, size, rows }: { name: string; size: number; rows: number },
): Promise<void> {
  await sql`
    update export_schedule_runs set state = 'delivering', file_name = ${name}, size = ${size}, rows = ${rows}
    where id = ${id}`.execute(tx)
}

/** What became of a run. */
export interface Ending {
  state: Extract<ExportRunState, 'done' | 'partly' | 'empty' | 'failed'>
  reason?: ExportRunReason
  detail?: string
}

export async function endRun(
  tx: Executor,
  id: number,
  { state, reason, detail = '' }: Ending,
  at: Date,
): Promise<void> {
  await sql`
    update export_schedule_runs set state = ${state}, reason = ${reason ?? null}, detail = ${detail}, try_at = null,
      ended_at = ${at}
    where id = ${id}`.execute(tx)
}

/** Locks a run in a state. @returns whether it is in it */
export async function holdIn(tx: Executor, id: number, state: ExportRunState): Promise<boolean> {
  const { rows } = await sql`
    select from export_schedule_runs where id = ${id} and state = ${state} for update`.execute(tx)
  return rows.length > 0
}

/** Runs whose background job may have ended; `jobId` is null when it was deleted. */
export async function listExporting(
  db: Executor,
  limit: number,
): Promise<{ id: number; scheduleId: number; jobId: number | null }[]> {
  const { rows } = await sql<{ id: number; scheduleId: number; jobId: number | null }>`
    select id, schedule_id as "scheduleId", job_id as "jobId" from export_schedule_runs
    where state = 'exporting' order by id limit ${limit}`.execute(db)
  return rows
}

/** When something is to be done next; null: never. */
export async function nextAt(db: Executor): Promise<Date | null> {
  const { rows } = await sql<{ at: Date | null }>`
    select least((select min(next_at) from export_schedules), (select min(try_at) from export_schedule_runs),
      (select min(try_at) from export_schedule_deliveries)) as at`.execute(db)
  return rows[0]?.at ?? null
}

/** A run as shown, except whether its file is still there. */
type ListedRun = Omit<ExportRun, 'hasFile'>

interface RunRow {
  id: number
  dueAt: Date
  manual: boolean
  state: ExportRunState
  reason: ExportRunReason | null
  detail: string
  start: Date | null
  end: Date | null
  size: string | null
  rows: string | null
  fileName: string | null
  jobId: number | null
  endedAt: Date | null
  deliveries: ExportDelivery[] | null
}

const shown = sql`r.id::int as id, r.due_at as "dueAt", r.manual, r.state, r.reason, r.detail, r.period_start as start,
  r.period_end as end, r.size, r.rows, r.file_name as "fileName", r.job_id as "jobId", r.ended_at as "endedAt",
  (select json_agg(json_build_object('kind', d.kind, 'name', d.name, 'state', d.state, 'attempts', d.attempts,
      'reason', d.reason, 'detail', d.detail, 'refused', d.refused, 'at', d.at) order by d.position)
    from export_schedule_deliveries d where d.run_id = r.id) as deliveries`

const toRun = ({ start, end, size, rows, deliveries, ...row }: RunRow): ListedRun => ({
  ...row,
  dueAt: row.dueAt.toISOString(),
  endedAt: row.endedAt?.toISOString() ?? null,
  period: start && end ? { start: start.toISOString(), end: end.toISOString() } : null,
  size: size === null ? null : Number(size),
  rows: rows === null ? null : Number(rows),
  deliveries: (deliveries ?? []).map((each) => ({ ...each, at: each.at && new Date(each.at).toISOString() })),
})

/** What became of a schedule, newest first. */
export async function listRuns(
  db: Executor,
  scheduleId: number,
  { offset, limit }: { offset: number; limit: number },
): Promise<{ items: ListedRun[]; total: number }> {
  const { rows } = await sql<RunRow>`
    select ${shown} from export_schedule_runs r where r.schedule_id = ${scheduleId}
    order by r.due_at desc, r.id desc limit ${limit} offset ${offset}`.execute(db)
  const counted = await sql<{ total: number }>`
    select count(*)::int as total from export_schedule_runs where schedule_id = ${scheduleId}`.execute(db)
  return { items: rows.map(toRun), total: counted.rows[0]?.total ?? 0 }
}

export async function findRun(db: Executor, id: number): Promise<ListedRun | undefined> {
  const { rows } = await sql<RunRow>`
    select ${shown} from export_schedule_runs r where r.id = ${id}`.execute(db)
  return rows.map(toRun)[0]
}

/** Deletes runs of an account's schedules before a time, at most `limit`. @returns how many */
export async function deleteOldRuns(
  tx: Executor,
  accountId: number,
  before: Date,
  limit: number,
): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from export_schedule_runs where id = any(array(
      select r.id from export_schedule_runs r join export_schedules s on s.id = r.schedule_id
      where s.account_id = ${accountId} and r.at < ${before} and r.ended_at is not null limit ${limit}))`.execute(
    tx,
  )
  return Number(numAffectedRows ?? 0)
}
