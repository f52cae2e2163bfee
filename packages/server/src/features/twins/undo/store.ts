import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { type Executor, jsonb } from '../../../platform/db/index.ts'
import { inScopes } from '../store/filters.ts'
import { TwinChange } from './change.ts'

/** A change that can be undone. */
export interface UndoRecord {
  id: string
  /** the bulk edit; null: a change of one twin */
  jobId: number | null
  until: Date
}

/** Adds what can be undone; the twins of a bulk edit have it in common, which extends its time. */
export async function insertUndo(
  tx: Executor,
  { jobId, until }: Omit<UndoRecord, 'id'>,
  twinId: number,
  change: TwinChange,
): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    insert into twin_undos (id, job_id, until) values (${randomUUID()}, ${jobId}, ${until})
    on conflict (job_id) do update set until = excluded.until, taken = false
    returning id`.execute(tx)
  const id = rows[0]?.id
  if (id === undefined) throw new Error('an undo was not stored')
  await sql`
    insert into twin_undo_items (undo_id, twin_id, change) values (${id}, ${twinId}, ${jsonb(change)})
    on conflict (undo_id, twin_id) do update set change = excluded.change`.execute(tx)
  return id
}

/** A change that can still be undone. */
export async function findUndo(
  db: Executor,
  by: { id: string } | { jobId: number },
  now: Date,
): Promise<UndoRecord | undefined> {
  const { rows } = await sql<UndoRecord>`
    select id, job_id as "jobId", until from twin_undos
    where ${'id' in by ? sql`id = ${by.id}` : sql`job_id = ${by.jobId}`} and not taken and until > ${now}`.execute(
    db,
  )
  return rows[0]
}

/** Reserves a change for the caller who undoes it. @returns whether it could still be undone */
export async function takeUndo(tx: Executor, id: string, now: Date, until: Date): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update twin_undos set taken = true, until = ${until}
    where id = ${id} and not taken and until > ${now}`.execute(tx)
  return (numAffectedRows ?? 0n) > 0n
}

/** The twins of a change in these scopes. */
export async function listUndoTwins(
  db: Executor,
  scopeIds: readonly number[],
  undoId: string,
): Promise<{ id: number; title: string; scopeId: number; accountId: number }[]> {
  const { rows } = await sql<{ id: number; title: string; scopeId: number; accountId: number }>`
    select t.id, t.title, t.scope_id as "scopeId", t.account_id as "accountId"
    from twin_undo_items i join twins t on t.id = i.twin_id
    where i.undo_id = ${undoId} and ${inScopes(scopeIds)} order by t.id`.execute(db)
  return rows
}

/** Removes what was done to one twin, to undo it. */
export async function takeChange(
  tx: Executor,
  undoId: string,
  twinId: number,
): Promise<TwinChange | undefined> {
  const { rows } = await sql<{ change: unknown }>`
    delete from twin_undo_items where undo_id = ${undoId} and twin_id = ${twinId} returning change`.execute(
    tx,
  )
  return rows[0] && TwinChange.parse(rows[0].change)
}

export async function deleteUndo(tx: Executor, id: string): Promise<void> {
  await sql`delete from twin_undos where id = ${id}`.execute(tx)
}

/** Deletes a bulk edit that is undone; what its job could not undo stays, so that the job can try again. */
export async function deleteUndone(db: Executor, id: string): Promise<void> {
  await sql`
    delete from twin_undos u
    where u.id = ${id} and not exists (select from twin_undo_items i where i.undo_id = u.id)`.execute(db)
}

/** Deletes what can no longer be undone. */
export async function deleteOldUndos(db: Executor, now: Date): Promise<void> {
  await sql`delete from twin_undos where until < ${now}`.execute(db)
}
