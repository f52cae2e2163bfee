import type { JsonValue } from '@leitstand/contract/common'
import type { BackgroundJob, JobFile, JobState, JobType } from '@leitstand/contract/jobs'
import { parseSearch } from '@leitstand/contract/search'
import { sql } from 'kysely'
import { anyOf, type Executor, jsonb } from '../../platform/db/index.ts'
import { matches } from '../../platform/db/textFilter.ts'
import { reopenRows } from './rows.store.ts'

/** A stored background job. `cursor` and `params` depend on its type. */
export interface JobRecord {
  id: number
  type: JobType
  state: JobState
  accountId: number
  scopeId: number
  userId: number | null
  userName: string
  title: string
  resourceType: BackgroundJob['resource']['type']
  resourceId: number
  params: JsonValue
  cursor: JsonValue | null
  total: number
  done: number
  result: Record<string, JsonValue>
  error: { code: string; message: string } | null
  cancelRequested: boolean
  revision: number
  file: JobFile | null
  /** the caller it runs for, see `Asked`; null in older jobs */
  asker: JsonValue | null
  createdAt: Date
  startedAt: Date | null
  stoppedAt: Date | null
}

const columns = sql`
  id, type, state, account_id as "accountId", scope_id as "scopeId", user_id as "userId", user_name as "userName", title,
  resource_type as "resourceType", resource_id as "resourceId", params, cursor, total, done, result, error,
  cancel_requested as "cancelRequested", file, revision, asker, created_at as "createdAt", started_at as "startedAt",
  stopped_at as "stoppedAt"`

export type NewJob = Pick<
  JobRecord,
  | 'type'
  | 'accountId'
  | 'scopeId'
  | 'userId'
  | 'userName'
  | 'title'
  | 'resourceType'
  | 'resourceId'
  | 'params'
  | 'total'
  | 'asker'
>

/** Inserts a job that waits for its first turn. */
export async function insertJob(tx: Executor, job: NewJob, now: Date): Promise<JobRecord> {
  const { rows } = await sql<JobRecord>`
    insert into background_jobs (type, account_id, scope_id, user_id, user_name, title, resource_type, resource_id,
      params, total, asker, created_at)
    values (${job.type}, ${job.accountId}, ${job.scopeId}, ${job.userId}, ${job.userName}, ${job.title},
      ${job.resourceType}, ${job.resourceId}, ${jsonb(job.params)}, ${job.total}, ${job.asker === null ? null : jsonb(job.asker)}, ${now})
    returning ${columns}`.execute(tx)
  const [row] = rows
  if (row === undefined) throw new Error('a background job was not stored')
  return row
}

/** Users who see a job: readers of its scope, and the user who started it. */
export interface JobViewer {
  scopeIds: readonly number[]
  userId: number | null
}

const visibleTo = ({ scopeIds, userId }: JobViewer) =>
  sql`(scope_id = ${anyOf(scopeIds)} or user_id = ${userId}::int)`

/** A job the viewer may see, otherwise undefined; without a viewer any job. */
export async function findJob(
  db: Executor,
  id: number,
  viewer: JobViewer | null,
): Promise<JobRecord | undefined> {
  const { rows } = await sql<JobRecord>`
    select ${columns} from background_jobs
    where id = ${id} ${viewer === null ? sql`` : sql`and ${visibleTo(viewer)}`}`.execute(db)
  return rows[0]
}

export interface JobFilter {
  search?: string | undefined
  types?: readonly JobType[] | undefined
  states?: readonly JobState[] | undefined
  resourceType?: string | undefined
  resourceId?: number | undefined
  /** failed, or some rows did */
  faulty?: boolean | undefined
  offset: number
  limit: number
}

const isFaulty = sql`(state = 'failed' or (state = 'done' and
  case jsonb_typeof(result -> 'failed') when 'number' then (result -> 'failed')::numeric > 0 else false end))`

/** Jobs the viewer may see, newest first. */
export async function listJobs(
  db: Executor,
  viewer: JobViewer,
  filter: JobFilter,
): Promise<{ items: (JobRecord & { accountName: string })[]; total: number }> {
  const conditions = [visibleTo(viewer)]
  const search = parseSearch(filter.search)
  if (search) conditions.push(matches([sql`search`], search))
  if (filter.types) conditions.push(sql`type = any(${[...filter.types]}::text[])`)
  if (filter.states) conditions.push(sql`state = any(${[...filter.states]}::text[])`)
  if (filter.resourceType !== undefined) conditions.push(sql`resource_type = ${filter.resourceType}`)
  if (filter.resourceId !== undefined) conditions.push(sql`resource_id = ${filter.resourceId}`)
  if (filter.faulty) conditions.push(isFaulty)
  const where = sql.join(conditions, sql` and `)
  const counted = await sql<{ total: number }>`
    select count(*)::int as total from background_jobs where ${where}`.execute(db)
  const { rows } = await sql<JobRecord & { accountName: string }>`
    select ${columns}, (select name from accounts a where a.id = account_id) as "accountName"
    from background_jobs where ${where}
    order by id desc limit ${filter.limit} offset ${filter.offset}`.execute(db)
  return { items: rows, total: counted.rows[0]?.total ?? 0 }
}

/** Which of these jobs have ended; one that was deleted has too. */
export async function findEnded(db: Executor, ids: readonly number[]): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select id from background_jobs
    where id = any(${[...ids]}::int[]) and state in ('created', 'inprogress', 'postprocessing')`.execute(db)
  const open = new Set(rows.map(({ id }) => id))
  return ids.filter((id) => !open.has(id))
}

/** Unfinished jobs, oldest first. */
export async function listOpen(db: Executor): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select id from background_jobs where state in ('created', 'inprogress', 'postprocessing') order by id`.execute(
    db,
  )
  return rows.map(({ id }) => id)
}

/** The number of unfinished jobs of an account. */
export async function countOpen(db: Executor, accountId: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from background_jobs
    where state in ('created', 'inprogress', 'postprocessing') and account_id = ${accountId}`.execute(db)
  return rows[0]?.count ?? 0
}

/** Jobs of a type about a thing whose parameters contain these. */
export interface JobsAbout extends Pick<JobRecord, 'type' | 'resourceType'> {
  resourceIds: readonly number[]
  params: { [key: string]: JsonValue }
}

/** Whether there is such a job that is not done; a cancelled or failed one can be resumed. */
export async function hasUnfinished(db: Executor, about: JobsAbout): Promise<boolean> {
  const { rows } = await sql`
    select from background_jobs
    where type = ${about.type} and state <> 'done' and resource_type = ${about.resourceType}
      and resource_id = any(${[...about.resourceIds]}::int[]) and params @> ${jsonb(about.params)} limit 1`.execute(
    db,
  )
  return rows.length > 0
}

/** Records the start of a job's first turn; later calls change nothing. */
export async function markStarted(db: Executor, id: number, now: Date): Promise<void> {
  await sql`
    update background_jobs set state = 'inprogress', started_at = coalesce(started_at, ${now})
    where id = ${id} and state = 'created'`.execute(db)
}

/** The progress of a job after a page. */
export interface Advance {
  cursor: JsonValue
  done: number
  total: number
  result: Record<string, JsonValue>
}

/** @returns false when another runner has stored a page in the meantime, or the job is no longer running */
export async function advanceJob(
  tx: Executor,
  job: Pick<JobRecord, 'id' | 'revision'>,
  to: Advance,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update background_jobs set cursor = ${jsonb(to.cursor)}, done = ${to.done}, total = ${to.total},
      result = ${jsonb(to.result)}, revision = revision + 1
    where id = ${job.id} and revision = ${job.revision} and state = 'inprogress'`.execute(tx)
  return (numAffectedRows ?? 0n) > 0n
}

/** Ends a job; one that has already ended keeps its result. */
export async function stopJob(
  db: Executor,
  id: number,
  state: 'done' | 'canceled' | 'failed',
  error: { code: string; message: string } | null,
  now: Date,
): Promise<void> {
  await sql`
    update background_jobs set state = ${state}, stopped_at = ${now}, cancel_requested = false,
      error = ${error === null ? null : JSON.stringify(error)}::jsonb
    where id = ${id} and state in ('created', 'inprogress', 'postprocessing')`.execute(db)
}

/** All its pages are done; what is left is to write its file. */
export async function markReady(db: Executor, id: number): Promise<void> {
  await sql`
    update background_jobs set state = 'postprocessing', revision = revision + 1
    where id = ${id} and state = 'inprogress'`.execute(db)
}

/** @returns false when the job is no longer writing its file */
export async function noteFile(tx: Executor, id: number, file: JobFile): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update background_jobs set file = ${jsonb({ ...file })} where id = ${id} and state = 'postprocessing'`.execute(
    tx,
  )
  return (numAffectedRows ?? 0n) > 0n
}

/** Forgets the file of a job. @returns whether it had one */
export async function forgetFile(tx: Executor, id: number): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update background_jobs set state = 'deleted', file = null
    where id = ${id} and state = 'done' and file is not null`.execute(tx)
  return (numAffectedRows ?? 0n) > 0n
}

/** Jobs whose file is due to be deleted at this time. */
export async function findOutdated(db: Executor, now: Date, limit: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select id from background_jobs
    where file is not null and file ->> 'deletedAt' <= ${now.toISOString()} order by id limit ${limit}`.execute(
    db,
  )
  return rows.map(({ id }) => id)
}

/** Requests cancellation; a job that has not started ends at once. @returns whether it was unfinished */
export async function requestCancel(tx: Executor, id: number, now: Date): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update background_jobs set cancel_requested = state <> 'created',
      stopped_at = case when state = 'created' then ${now}::timestamptz end,
      state = case when state = 'created' then 'canceled' else state end
    where id = ${id} and state in ('created', 'inprogress', 'postprocessing')`.execute(tx)
  return (numAffectedRows ?? 0n) > 0n
}

/**
 * Reopens a failed or cancelled job, or the failed rows of a finished one.
 * @param to the new asker and parameters; undefined keeps the current ones
 * @returns whether there was anything to reopen
 */
export async function reopenJob(
  tx: Executor,
  id: number,
  { asker, params }: { asker: JsonValue; params?: JsonValue | undefined },
): Promise<boolean> {
  const { rows } = await sql<{ state: JobState }>`
    select state from background_jobs
    where id = ${id} and (state in ('failed', 'canceled') or (state = 'done' and exists (
      select from background_job_rows r where r.job_id = ${id} and r.state = 'failed')))
    for update`.execute(tx)
  const [job] = rows
  if (job === undefined) return false
  if (job.state === 'done') await reopenRows(tx, id)
  await sql`
    update background_jobs set state = 'created', stopped_at = null, error = null, cancel_requested = false,
      asker = ${jsonb(asker)}, params = ${params === undefined ? sql`params` : jsonb(params)}
    where id = ${id}`.execute(tx)
  return true
}

/** Deletes a job that has not started. @returns whether it was deleted */
export async function deleteQueued(tx: Executor, id: number): Promise<boolean> {
  const { numAffectedRows } = await sql`
    delete from background_jobs where id = ${id} and state = 'created'`.execute(tx)
  return (numAffectedRows ?? 0n) > 0n
}

/** Deletes jobs that ended before a time. */
export async function deleteOldJobs(db: Executor, before: Date): Promise<void> {
  await sql`delete from background_jobs where stopped_at < ${before} and file is null`.execute(db)
}

/** Moves the jobs of a scope that is about to be deleted to another, where they stay visible and may go on. */
export async function moveJobs(tx: Executor, { from, to }: { from: number; to: number }): Promise<void> {
  await sql`update background_jobs set scope_id = ${to} where scope_id = ${from}`.execute(tx)
  await sql`
    update background_jobs set asker = jsonb_set(asker, '{scopeIds}', (
      select jsonb_agg(distinct case when held.id = ${jsonb(from)} then ${jsonb(to)} else held.id end)
      from jsonb_array_elements(asker -> 'scopeIds') as held (id)))
    where (asker -> 'scopeIds') @> ${jsonb([from])}`.execute(tx)
}
