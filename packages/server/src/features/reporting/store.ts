import { sql } from 'kysely'
import type { Executor } from '../../platform/db/index.ts'
import type { TaggedState } from './tags.ts'

/**
 * States in some scopes, at most `max`.
 * @param narrowed only states of these twins, and with these identifiers; null: all
 */
export async function readStates(
  db: Executor,
  scopeIds: readonly number[],
  narrowed: { twinIds: readonly number[] | null; keys: readonly string[] | null },
  max: number,
): Promise<TaggedState[]> {
  const { twinIds, keys } = narrowed
  const { rows } = await sql<{ id: number; twin_id: number; title: string; key: string }>`
    select s.id, t.id as twin_id, t.title, s.key
    from states s join twins t on t.id = s.twin_id
    where t.scope_id = any(${[...scopeIds]}::int[])
      and (${twinIds === null}::boolean or t.id = any(${[...(twinIds ?? [])]}::int[]))
      and (${keys === null}::boolean or s.key = any(${[...(keys ?? [])]}::text[]))
    order by s.id limit ${max}`.execute(db)
  return rows.map((row) => ({
    id: row.id,
    tags: { dtwin_id: String(row.twin_id), dtwin_title: row.title, state_identifier: row.key },
  }))
}
