import type { CellFault, RowState } from '@leitstand/contract/jobs'
import { sql } from 'kysely'
import type { Executor } from '../../platform/db/index.ts'

/** A unit of work of a job. */
export interface NewJobRow {
  row: number
  objectId: number | null
  title: string
  /** cells of an imported file */
  cells: readonly string[] | null
  /** a row with faults is never processed */
  faults: readonly CellFault[]
}

export interface JobRowRecord {
  row: number
  state: RowState
  objectId: number | null
  title: string
  cells: string[] | null
  faults: CellFault[]
}

/** Adds the rows of a new job; they are processed in the order of their numbers. */
export async function insertRows(tx: Executor, jobId: number, rows: readonly NewJobRow[]): Promise<void> {
  // Small pages, because serialising them to text blocks the event loop.
  const pageSize = 250
  for (let at = 0; at < rows.length; at += pageSize) {
    const page = rows.slice(at, at + pageSize)
    await sql`
      insert into background_job_rows (job_id, row, state, object_id, title, cells, faults)
      select ${jobId}, n.row, case when n.faults = '[]' then 'waiting' else 'failed' end, n."objectId", n.title, n.cells,
        n.faults
      from jsonb_to_recordset(${JSON.stringify(page)}::jsonb)
        as n (row integer, "objectId" integer, title text, cells text[], faults jsonb)`.execute(tx)
  }
}

const columns = sql`row, state, object_id as "objectId", title, cells, faults`

/** The next rows that are still waiting. */
export async function nextRows(db: Executor, jobId: number, limit: number): Promise<JobRowRecord[]> {
  const { rows } = await sql<JobRowRecord>`
    select ${columns} from background_job_rows where job_id = ${jobId} and state = 'waiting'
    order by row limit ${limit}`.execute(db)
  return rows
}

/**
 * Claims rows in the transaction of their effects. The result omits rows another runner has already taken.
 */
export async function takeRows(tx: Executor, jobId: number, rows: readonly number[]): Promise<Set<number>> {
  const taken = await sql<{ row: number }>`
    select row from background_job_rows
    where job_id = ${jobId} and row = any(${[...rows]}::int[]) and state = 'waiting'
    order by row for update`.execute(tx)
  return new Set(taken.rows.map(({ row }) => row))
}

/** The result of a row. */
export interface RowResult {
  row: number
  state: 'done' | 'unchanged' | 'failed'
  /** the device that was created; null keeps the row's current one */
  objectId: number | null
  faults: readonly CellFault[]
}

/** Stores the results of waiting rows. */
export async function noteRows(tx: Executor, jobId: number, results: readonly RowResult[]): Promise<void> {
  await sql`
    update background_job_rows r set state = n.state, object_id = coalesce(n."objectId", r.object_id), faults = n.faults
    from jsonb_to_recordset(${JSON.stringify(results)}::jsonb)
      as n (row integer, state text, "objectId" integer, faults jsonb)
    where r.job_id = ${jobId} and r.row = n.row and r.state = 'waiting'`.execute(tx)
}

/** Counts rows by state; failed ones also by their first fault. */
export async function countRows(db: Executor, jobId: number): Promise<Record<string, number>> {
  const { rows } = await sql<{ state: RowState; code: string | null; count: number }>`
    select state, faults -> 0 ->> 'code' as code, count(*)::int as count
    from background_job_rows where job_id = ${jobId} and state <> 'waiting' group by 1, 2`.execute(db)
  const counts: Record<string, number> = {}
  const add = (key: string, count: number) => {
    counts[key] = (counts[key] ?? 0) + count
  }
  for (const { state, code, count } of rows) {
    add(state, count)
    if (state === 'failed' && code !== null) add(`failed:${code}`, count)
  }
  return counts
}

/** Sets failed rows back to waiting, and removes them from the counts of the job. */
export async function reopenRows(tx: Executor, jobId: number): Promise<void> {
  await sql`
    update background_job_rows set state = 'waiting', faults = '[]'
    where job_id = ${jobId} and state = 'failed'`.execute(tx)
  await sql`
    update background_jobs set
      done = (select count(*) from background_job_rows where job_id = ${jobId} and state <> 'waiting'),
      result = (select coalesce(jsonb_object_agg(key, value), '{}') from jsonb_each(result) where key !~ '^failed')
    where id = ${jobId}`.execute(tx)
}

/** The visible rows of a job, in order. */
export async function listRows(
  db: Executor,
  jobId: number,
  filter: { states?: readonly RowState[] | undefined; offset: number; limit: number },
): Promise<{ items: JobRowRecord[]; total: number }> {
  const states = filter.states ? sql`and state = any(${[...filter.states]}::text[])` : sql``
  const counted = await sql<{ total: number }>`
    select count(*)::int as total from background_job_rows where job_id = ${jobId} ${states}`.execute(db)
  const { rows } = await sql<JobRowRecord>`
    select ${columns} from background_job_rows where job_id = ${jobId} ${states}
    order by row limit ${filter.limit} offset ${filter.offset}`.execute(db)
  return { items: rows, total: counted.rows[0]?.total ?? 0 }
}

/** Failed rows after a given row, in order. */
export async function readFailedRows(
  db: Executor,
  jobId: number,
  after: number,
  limit: number,
): Promise<JobRowRecord[]> {
  const { rows } = await sql<JobRowRecord>`
    select ${columns} from background_job_rows where job_id = ${jobId} and state = 'failed' and row > ${after}
    order by row limit ${limit}`.execute(db)
  return rows
}
