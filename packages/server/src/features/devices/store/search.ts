import { type RawBuilder, sql } from 'kysely'
import type { Executor } from '../../../platform/db/index.ts'
import {
  likePattern,
  matches,
  matchesWhileReading,
  parseTextFilter,
  type TextFilter,
  trigramLengthMin,
} from '../../../platform/db/textFilter.ts'
import { type Condition, idOf, ints } from '../../twins/index.ts'
import type { Held } from './tables.ts'

/** From this many hits, checking every device is cheaper than collecting the hits first. */
const manyHits = 5_000

/**
 * The condition for a search in titles, external ids and ids; null for an empty search. It depends on the
 * number of hits: rare texts are looked up in the indexes, common ones are compared while the list is read in
 * order.
 */
export async function searchDevices(
  db: Executor,
  typed: string | undefined,
  scopeIds: readonly number[],
): Promise<Held | null> {
  const text = parseTextFilter(typed)
  if (!text) return null
  if (text.text.length < trigramLengthMin) return { where: shortSearch(text), of: ['twin'] }
  const titles = titlesLike(text, scopeIds)
  const externals = externalsLike(text)
  const { rows } = await sql<{ titles: number; externals: number }>`
    select (select count(*) from (${titles} limit ${manyHits}) as h) as titles,
      (select count(*) from (${externals} limit ${manyHits}) as h) as externals`.execute(db)
  const isMany = (hits: number | undefined) => (hits ?? 0) >= manyHits
  if (isMany(rows[0]?.externals)) {
    const external = matchesWhileReading(sql`d.external_id`, externalForms(text))
    const both = isMany(rows[0]?.titles)
    const title = both ? matchesWhileReading(sql`t.title`, [text]) : sql`d.twin_id in (${titles})`
    // The most frequent match comes first, so that the others are rarely evaluated.
    const where = sql<boolean>`(${external} or ${title} or d.twin_id = ${idOf(text.text)})`
    return { where, of: both ? ['twin', 'device'] : ['device'] }
  }
  if (isMany(rows[0]?.titles)) {
    return {
      where: sql<boolean>`(${matchesWhileReading(sql`t.title`, [text])} or t.id in (${externals}) or t.id = ${idOf(text.text)})`,
      of: ['twin'],
    }
  }
  // `union`, not `union all`: it tells the planner that ids are unique, and how many to expect.
  const found = sql`${titles} union ${externals} union select ${idOf(text.text)}::int`
  return { where: sql<boolean>`t.id in (${found})`, of: ['twin'] }
}

function titlesLike(text: TextFilter, scopeIds: readonly number[]): RawBuilder<unknown> {
  return sql`select f.id from twins f
    where f.category = 'virtualDevice' and f.scope_id = any(${ints(scopeIds)}) and ${matches(sql`f.title`, text)}`
}

function externalsLike(text: TextFilter): RawBuilder<unknown> {
  const forms = externalForms(text).map((form) => matches(sql`f.external_id`, form))
  return sql`select f.twin_id from virtual_devices f where ${sql.join(forms, sql` or `)}`
}

/**
 * Search forms of an external id. EUIs may be typed with separators but are stored without, so that form
 * comes first.
 */
function externalForms(text: TextFilter): TextFilter[] {
  const compact = text.text.replace(/[\s:.-]/g, '')
  const isEui = /^[0-9a-f]{4,16}$/i.test(compact) && compact !== text.text
  return isEui ? [{ ...text, text: compact }, text] : [text]
}

/**
 * For texts too short for the trigram indexes: checks every title. External ids must match exactly, because
 * searching 100 000 of them for one letter takes too long and matches nearly all.
 */
function shortSearch(text: TextFilter): Condition {
  const whole = likePattern({ ...text, exact: true })
  return sql<boolean>`(${matchesWhileReading(sql`t.title`, [text])} or t.id = ${idOf(text.text)}
    or t.id in (select f.twin_id from virtual_devices f where f.external_id ilike ${whole}))`
}
