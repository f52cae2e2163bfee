import { sql } from 'kysely'
import type { Executor } from '../../platform/db/index.ts'

type Kind = 'rows' | 'file'

/** Stores a piece; one that a crash left behind is replaced. */
export async function storePiece(
  tx: Executor,
  jobId: number,
  { kind, number, content }: { kind: Kind; number: number; content: Uint8Array },
): Promise<void> {
  await sql`
    insert into export_pieces (job_id, kind, number, content)
    values (${jobId}, ${kind}, ${number}, ${Buffer.from(content)})
    on conflict (job_id, kind, number) do update set content = excluded.content`.execute(tx)
}

/** The pieces of a job in order, read one by one as the consumer takes them. */
export async function* readPieces(db: Executor, jobId: number, kind: Kind): AsyncGenerator<Buffer> {
  for (let number = 0; ; number++) {
    const { rows } = await sql<{ content: Buffer }>`
      select content from export_pieces
      where job_id = ${jobId} and kind = ${kind} and number = ${number}`.execute(db)
    const [row] = rows
    if (!row) return
    yield row.content
  }
}

/** Whether the file of a job is stored as it is, rather than made of its rows. */
export async function hasOwnFile(db: Executor, jobId: number): Promise<boolean> {
  const { rows } = await sql`
    select from export_pieces where job_id = ${jobId} and kind = 'file' limit 1`.execute(db)
  return rows.length > 0
}

export async function deletePieces(tx: Executor, jobId: number, kind?: Kind): Promise<void> {
  await sql`
    delete from export_pieces
    where job_id = ${jobId} ${kind === undefined ? sql`` : sql`and kind = ${kind}`}`.execute(tx)
}
