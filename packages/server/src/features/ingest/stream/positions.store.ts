import { sql } from 'kysely'
import type { Executor } from '../../../platform/db/index.ts'

/**
 * Up to which message of the stream each partition is committed; partitions of which nothing is known are missing.
 * @param stream when the stream was made: positions in another one say nothing
 */
export async function readPositions(db: Executor, stream: string): Promise<Map<number, number>> {
  const rows = await db
    .selectFrom('stream_positions')
    .select(['partition', 'seq'])
    .where('stream', '=', stream)
    .execute()
  return new Map(rows.map(({ partition, seq }) => [partition, Number(seq)]))
}

/** A received message of the stream: number of the stream's message, and its place in that. */
export interface Place {
  seq: number
  index: number
}

/** Where a reader begins, and what is known of those before. */
export interface Beginning {
  /** number of the stream's message up to which everything is committed */
  seq: number
  /** readers that have ended here without a word, one after the other */
  died: number
  /** what the last of them has stored alone when it ended */
  alone: Place | null
}

/** Notes that a reader begins. */
export async function beginReading(db: Executor, stream: string, partition: number): Promise<Beginning> {
  const { rows } = await sql<{
    seq: string
    starts: number
    alone_seq: string | null
    alone_index: number | null
  }>`
    insert into stream_positions (partition, stream, seq, starts) values (${partition}, ${stream}, 0, 1)
    on conflict (partition) do update
    set stream = excluded.stream,
      seq = case when stream_positions.stream = excluded.stream then stream_positions.seq else 0 end,
      starts = case when stream_positions.stream = excluded.stream then stream_positions.starts + 1 else 1 end,
      alone_seq = case when stream_positions.stream = excluded.stream then stream_positions.alone_seq end,
      alone_index = case when stream_positions.stream = excluded.stream then stream_positions.alone_index end
    returning seq, starts, alone_seq, alone_index`.execute(db)
  const [row] = rows
  if (row === undefined) throw new Error('the row of a partition was neither made nor changed')
  const { alone_seq: seq, alone_index: index } = row
  return {
    seq: Number(row.seq),
    died: row.starts - 1,
    alone: seq === null || index === null ? null : { seq: Number(seq), index },
  }
}

/** Notes what is about to be stored alone; committed when it resolves. */
export async function noteAlone(db: Executor, partition: number, { seq, index }: Place): Promise<void> {
  await db
    .updateTable('stream_positions')
    .set({ alone_seq: seq, alone_index: index })
    .where('partition', '=', partition)
    .execute()
}

/** How far a partition is. */
export interface Position {
  seq: number
  /** nothing that was read is left to store, or the reader has ended as it should */
  isIdle: boolean
}

/**
 * Remembers positions. One that is known to be further stays: the node before may be late to say how far it came. Where a reader got
 * further, or has nothing to do, those before it are forgotten.
 */
export async function writePositions(
  db: Executor,
  stream: string,
  positions: ReadonlyMap<number, Position>,
): Promise<void> {
  const [partitions, all] = [[...positions.keys()], [...positions.values()]]
  const [seqs, idle] = [all.map(({ seq }) => seq), all.map(({ isIdle }) => isIdle)]
  // Of a new row `starts` says whether the reader is at work.
  const isWell = sql`(excluded.starts = 0 or stream_positions.stream <> excluded.stream or excluded.seq > stream_positions.seq)`
  await sql`
    insert into stream_positions (partition, stream, seq, starts)
    select partition, ${stream}, seq, case when is_idle then 0 else 1 end
    from unnest(${partitions}::integer[], ${seqs}::bigint[], ${idle}::boolean[]) as new (partition, seq, is_idle)
    order by partition
    on conflict (partition) do update
    set stream = excluded.stream,
      seq = case when stream_positions.stream = excluded.stream
        then greatest(stream_positions.seq, excluded.seq) else excluded.seq end,
      starts = case when ${isWell} then 0 else stream_positions.starts end,
      alone_seq = case when ${isWell} then null else stream_positions.alone_seq end,
      alone_index = case when ${isWell} then null else stream_positions.alone_index end`.execute(db)
}
