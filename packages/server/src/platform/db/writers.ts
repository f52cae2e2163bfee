import type { Database } from './index.ts'

type Primary = Pick<Database, 'query'>

/** Older notes are useless: no replica in use is further behind, see `DATABASE_READ_LAG_SECONDS`. */
const keptMinutes = 10

const prefix = 'written.'

/** Notes that somebody has written, with the position of the log after it, for all processes. */
export async function noteWriter(primary: Primary, key: string): Promise<void> {
  // Two writes of a caller may be noted in another order than they were made.
  await primary.query(
    `insert into settings as kept (key, value)
    values ($1, to_jsonb((pg_current_wal_insert_lsn() - '0/0')::text))
    on conflict (key) do update set updated_at = now(),
      value = to_jsonb(greatest((kept.value #>> '{}')::numeric, (excluded.value #>> '{}')::numeric)::text)`,
    [prefix + key],
  )
}

/** The position after what somebody wrote last, as text; null if that is long ago. */
export async function readWriter(primary: Primary, key: string): Promise<string | null> {
  const { rows } = await primary.query(`select value #>> '{}' as position from settings where key = $1`, [
    prefix + key,
  ])
  return rows[0]?.position ?? null
}

/** Deletes notes that nobody needs any more. */
export async function deleteOldWriters(primary: Primary): Promise<void> {
  await primary.query(
    'delete from settings where starts_with(key, $1) and updated_at < now() - make_interval(mins => $2)',
    [prefix, keptMinutes],
  )
}
