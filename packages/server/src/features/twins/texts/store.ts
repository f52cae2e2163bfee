import type { SearchWord } from '@leitstand/contract/search'
import { type RawBuilder, sql } from 'kysely'
import type { Executor } from '../../../platform/db/index.ts'
import { wordMatches } from '../../../platform/db/textFilter.ts'

/**
 * The different texts of states, `state_texts`: triggers add those of new and changed states.
 * @returns ids of the texts with a word, in folded form; `max` of them mean that there may be more
 */
export async function textsWith(db: Executor, word: SearchWord, max: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select x.id from state_texts x where ${wordMatches([sql`x.search`], word)} limit ${max}`.execute(db)
  return rows.map(({ id }) => id)
}

/** Condition that a state of `states f` has one of these texts; an index serves it. */
export function hasText(ids: readonly string[]): RawBuilder<boolean> {
  return sql<boolean>`state_text_id(f.search) = any(${[...ids]}::uuid[])`
}

/** Texts looked at with one statement, so that none takes long. */
const textsAtOnce = 2_000
/** Longest wait this causes for transactions that add states. */
const lockTimeout = '200ms'

/**
 * Deletes unused and duplicate texts.
 * @returns how many
 * @throws the database's error 55P03 if transactions that add states do not end in time
 */
export async function deleteUnusedTexts(db: Executor): Promise<number> {
  let deleted = 0
  let after = '00000000-0000-0000-0000-000000000000'
  for (;;) {
    const { rows } = await sql<{ id: string; kept: boolean }>`
      select x.id, count(*) = 1 and exists (select from states s where state_text_id(s.search) = x.id) as kept
      from (select id from state_texts where id > ${after}::uuid order by id limit ${textsAtOnce}) as x
      group by x.id order by x.id`.execute(db)
    const unused = rows.flatMap(({ id, kept }) => (kept ? [] : [id]))
    if (unused.length > 0) deleted += await deleteTexts(db, unused)
    const last = rows.at(-1)
    if (last === undefined) return deleted
    after = last.id
  }
}

/** Deletes those of the texts that still have no state, and all but one of each of the others. */
function deleteTexts(db: Executor, ids: readonly string[]): Promise<number> {
  return db.transaction().execute(async (tx) => {
    await sql`set local lock_timeout = ${sql.lit(lockTimeout)}`.execute(tx)
    // A transaction that has found a text here, and whose states are not visible yet, must end first.
    await sql`lock table state_texts in share row exclusive mode`.execute(tx)
    const { numAffectedRows } = await sql`
      delete from state_texts x using (
        select ctid, id, row_number() over (partition by id order by ctid) as place
        from state_texts where id = any(${[...ids]}::uuid[])) as d
      where x.ctid = d.ctid and (d.place > 1
        or not exists (select from states s where state_text_id(s.search) = d.id))`.execute(tx)
    return Number(numAffectedRows ?? 0)
  })
}
