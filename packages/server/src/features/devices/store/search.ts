import { parseSearch } from '@leitstand/contract/search'
import { sql } from 'kysely'
import type { Executor } from '../../../platform/db/index.ts'
import { isIndexed, matches, searchedId } from '../../../platform/db/textFilter.ts'
import { ints } from '../../twins/index.ts'
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
  if (search.some(isIndexed)) {
    // The ids themselves: looking for a long text in the index takes most of the time, so it is done once.
    const { rows } = await sql<{ ids: number[] | null }>`
      select array_agg(h.twin_id) as ids from (
        select f.twin_id from virtual_devices f where ${matches([sql`f.search`], search)} limit ${manyHits}) as h`.execute(
      db,
    )
    const ids = rows[0]?.ids ?? []
    if (ids.length < manyHits) {
      const all = id === null ? ids : [...ids, id]
      return { where: sql<boolean>`d.twin_id = any(${ints(all)})`, of: ['device'] }
    }
  }
  const found = matches([sql`d.search`], search)
  return { where: id === null ? found : sql<boolean>`(${found} or d.twin_id = ${id})`, of: ['device'] }
}
