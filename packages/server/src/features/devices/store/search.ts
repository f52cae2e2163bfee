import { parseSearch } from '@leitstand/contract/search'
import { sql } from 'kysely'
import type { Executor } from '../../../platform/db/index.ts'
import { isIndexed, matches, searchedId } from '../../../platform/db/textFilter.ts'
import type { Held } from './tables.ts'

/** From this many hits, checking every device is cheaper than collecting the hits first. */
const manyHits = 5_000

/**
 * The condition for a search in titles, external ids and ids; null for an empty search. How devices are found
 * depends on their number: few are looked up in the index, many are compared while the list is read in order.
 */
export async function searchDevices(db: Executor, typed: string | undefined): Promise<Held | null> {
  const search = parseSearch(typed)
  if (!search) return null
  const id = searchedId(typed)
  const hits = sql`select f.twin_id from virtual_devices f where ${matches([sql`f.search`], search)}`
  if (search.some(isIndexed)) {
    const { rows } = await sql<{ hits: number }>`
      select count(*) as hits from (${hits} limit ${manyHits}) as h`.execute(db)
    if ((rows[0]?.hits ?? 0) < manyHits) {
      // `union`, not `union all`: it tells the planner that ids are unique, and how many to expect.
      return { where: sql<boolean>`d.twin_id in (${hits} union select ${id}::int)`, of: ['device'] }
    }
  }
  const found = matches([sql`d.search`], search)
  return { where: id === null ? found : sql<boolean>`(${found} or d.twin_id = ${id})`, of: ['device'] }
}
