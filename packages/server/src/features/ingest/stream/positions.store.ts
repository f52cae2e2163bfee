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

/** Remembers positions. One that is known to be further stays: the node before may be late to say how far it came. */
export async function writePositions(
  db: Executor,
  stream: string,
  positions: ReadonlyMap<number, number>,
): Promise<void> {
  const [partitions, seqs] = [[...positions.keys()], [...positions.values()]]
  await sql`
    insert into stream_positions (partition, stream, seq)
    select partition, ${stream}, seq from unnest(${partitions}::integer[], ${seqs}::bigint[]) as new (partition, seq)
    order by partition
    on conflict (partition) do update
    set stream = excluded.stream,
      seq = case when stream_positions.stream = excluded.stream
        then greatest(stream_positions.seq, excluded.seq) else excluded.seq end`.execute(db)
}
