import { sql } from 'kysely'
import type { Db } from './index.ts'

/**
 * Reserves the next turn of something that the whole installation may do at a limited rate, however many
 * processes it has.
 * @param intervalMs between two turns
 * @param waitMaxMs no turn is reserved later than this
 * @returns milliseconds until the turn, or null if too many are waiting
 */
export async function reserveTurn(
  db: Db,
  name: string,
  { intervalMs, waitMaxMs }: { intervalMs: number; waitMaxMs: number },
): Promise<number | null> {
  // `value`: when the turn after the last one begins, in milliseconds since 1970, by the clock of the database.
  const { rows } = await sql<{ waitMs: number }>`
    with clock as (select extract(epoch from clock_timestamp()) * 1000 as now)
    insert into settings as kept (key, value)
    select ${`pace.${name}`}, to_jsonb(now + ${intervalMs}::float8) from clock
    on conflict (key) do update set
      value = to_jsonb(greatest(kept.value::float8, (select now from clock)) + ${intervalMs}::float8),
      updated_at = now()
    where kept.value::float8 <= (select now from clock) + ${waitMaxMs}::float8
    returning greatest(0, kept.value::float8 - ${intervalMs}::float8 - (select now from clock)) as "waitMs"`.execute(
    db,
  )
  return rows[0]?.waitMs ?? null
}
