import { sql } from 'kysely'
import type { Executor } from '../db/index.ts'

/** What the nodes remember about things outside of the database, to notice that they were replaced. */
export async function readMark<T>(db: Executor, name: string): Promise<T | null> {
  const row = await db
    .selectFrom('settings')
    .select('value')
    .where('key', '=', `nodes.${name}`)
    .executeTakeFirst()
  return row === undefined ? null : (row.value as T)
}

export async function writeMark(db: Executor, name: string, value: object): Promise<void> {
  await sql`
    insert into settings (key, value) values (${`nodes.${name}`}, ${JSON.stringify(value)}::jsonb)
    on conflict (key) do update set value = excluded.value, updated_at = now()
    where settings.value is distinct from excluded.value`.execute(db)
}
