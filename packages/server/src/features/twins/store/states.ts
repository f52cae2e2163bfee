import type { JsonValue } from '@leitstand/contract/common'
import { parseSearch, type Search, type SearchWord } from '@leitstand/contract/search'
import type { PositionAxis, State } from '@leitstand/contract/states'
import { type RawBuilder, sql } from 'kysely'
import type { Executor } from '../../../platform/db/index.ts'
import { isIndexed, wordMatches } from '../../../platform/db/textFilter.ts'
import { viewOf } from '../../objects/index.ts'
import { type Category, categories, type ScopesByCategory } from '../policy.ts'
import { hasText, textsWith } from '../texts/store.ts'
import { all, type Condition, inScopes, inScopesByCategory, ints } from './filters.ts'

type RowOf<S> = S extends State ? Omit<S, 'time'> & { time: Date | null } : never
type StateRow = RowOf<State>

const columns = sql`s.id, s.twin_id as "twinId", s.key, s.title, s.unit, s.icon, s.source,
  s.source_settings as "sourceSettings", s.value_type as "valueType", s.transformer, s.lower_bound as "lowerBound",
  s.upper_bound as "upperBound", s.decimals, s.visualization,
  s.position_axis as "positionAxis", s.position, c.time,
  coalesce(to_jsonb(c.num), to_jsonb(c.txt), to_jsonb(c.bool), c.json) as value, s.fixed, s.version`

const toState = (row: StateRow): State => ({ ...row, time: row.time?.toISOString() ?? null })

/** States of a twin or device in their order, with their current values. */
export async function listStates(db: Executor, scopes: ScopesByCategory, twinId: number): Promise<State[]> {
  const { rows } = await sql<StateRow>`
    select ${columns} from states s join twins t on t.id = s.twin_id left join state_current c on c.state_id = s.id
    where s.twin_id = ${twinId} and ${inScopesByCategory(scopes)}
    order by s.position, s.id`.execute(db)
  return rows.map(toState)
}

/** One state with its current value, if it is visible. */
export async function findState(
  db: Executor,
  scopes: ScopesByCategory,
  id: number,
): Promise<State | undefined> {
  const { rows } = await sql<StateRow>`
    select ${columns} from states s join twins t on t.id = s.twin_id left join state_current c on c.state_id = s.id
    where s.id = ${id} and ${inScopesByCategory(scopes)}`.execute(db)
  return rows[0] && toState(rows[0])
}

/** A state and its twin, with the data needed for changes. */
export interface StateOwner {
  stateId: number
  key: string
  title: string
  unit: string
  source: State['source']
  valueType: State['valueType']
  fixed: boolean
  version: number
  twinId: number
  twinTitle: string
  category: Category
  accountId: number
  scopeId: number
}

/** Owner of a visible state; `lock` locks the state until the end of the transaction. */
export async function findOwner(
  db: Executor,
  scopes: ScopesByCategory,
  stateId: number,
  options: { lock?: boolean } = {},
): Promise<StateOwner | undefined> {
  const { rows } = await sql<StateOwner>`
    select s.id as "stateId", s.key, s.title, s.unit, s.source, s.value_type as "valueType", s.fixed, s.version, t.id as "twinId",
      t.title as "twinTitle", t.category, t.account_id as "accountId", t.scope_id as "scopeId"
    from states s join twins t on t.id = s.twin_id
    where s.id = ${stateId} and ${inScopesByCategory(scopes)} ${options.lock ? sql`for update of s` : sql``}`.execute(
    db,
  )
  return rows[0]
}

/** The title of another state that is linked to a part of the position of a twin. */
export async function findLinkedTo(
  db: Executor,
  twinId: number,
  axis: PositionAxis,
  exceptId: number | null,
): Promise<string | undefined> {
  const { rows } = await sql<{ title: string }>`
    select title from states
    where twin_id = ${twinId} and position_axis = ${axis} and id is distinct from ${exceptId}::int limit 1`.execute(
    db,
  )
  return rows[0]?.title
}

/** A state as pickers and other features show it. */
export interface FoundState {
  id: number
  key: string
  title: string
  unit: string
  valueType: State['valueType']
  twinId: number
  twinTitle: string
  category: Category
  accountId: number
  value: JsonValue | null
  time: string | null
}

type FoundRow = Omit<FoundState, 'time'> & { time: Date | null }

const foundColumns = sql`s.id, s.key, s.title, s.unit, s.value_type as "valueType", t.id as "twinId",
  t.title as "twinTitle", t.category, t.account_id as "accountId",
  coalesce(to_jsonb(c.num), to_jsonb(c.txt), to_jsonb(c.bool), c.json) as value, c.time`

const toFound = (row: FoundRow): FoundState => ({ ...row, time: row.time?.toISOString() ?? null })

/** The visible states, in the order of the ids. */
export async function findStates(
  db: Executor,
  scopes: ScopesByCategory,
  stateIds: readonly number[],
): Promise<FoundState[]> {
  if (stateIds.length === 0) return []
  const { rows } = await sql<FoundRow>`
    select ${foundColumns} from unnest(${ints(stateIds)}) with ordinality as wanted (id, place)
    join states s on s.id = wanted.id join twins t on t.id = s.twin_id
    left join state_current c on c.state_id = s.id
    where ${inScopesByCategory(scopes)} order by wanted.place`.execute(db)
  return rows.map(toFound)
}

export interface StateFilter {
  search?: string | undefined
  dtwinId?: number | undefined
  category?: Category | undefined
}

/**
 * States by title, key or the title of their twin, in the order of twins and then of states.
 * Each category is read separately through its index, and the pages are merged.
 */
export async function searchStates(
  db: Executor,
  scopes: ScopesByCategory,
  filter: StateFilter,
  page: { offset: number; limit: number },
): Promise<{ items: FoundState[]; total: number }> {
  const wanted = filter.category ? [filter.category] : [...categories]
  const ofTwin = filter.dtwinId === undefined ? [] : [sql<boolean>`s.twin_id = ${filter.dtwinId}`]
  const search = parseSearch(filter.search)
  if (!search) {
    const counts = wanted.map(
      (category) =>
        sql`(select count(*) from states s where ${all([countedIn(scopes, category), ...ofTwin])})`,
    )
    const counting = sql<{ total: number }>`select (${sql.join(counts, sql` + `)})::int as total`.execute(db)
    const [counted, items] = await Promise.all([counting, readPage(db, scopes, wanted, ofTwin, page)])
    return { items, total: counted.rows[0]?.total ?? 0 }
  }
  const words = await stateSearch(db, search)
  // One scan for both categories, and before the page: looking for a page without hits reads everything.
  const { rows } = await sql<{ total: number }>`
    select count(*)::int as total from states s where ${all([
      sql<boolean>`(${sql.join(
        wanted.map((category) => countedIn(scopes, category)),
        sql` or `,
      )})`,
      ...ofTwin,
      ...words.map(({ counted }) => counted),
    ])}`.execute(db)
  const total = rows[0]?.total ?? 0
  if (total <= page.offset) return { items: [], total }
  const conditions = [...ofTwin, ...words.map(({ paged }) => paged)]
  return { items: await readPage(db, scopes, wanted, conditions, page), total }
}

/** `states s` have copies of category and scope, so counting reads no twins. */
function countedIn(scopes: ScopesByCategory, category: Category): Condition {
  return all([
    sql<boolean>`s.of_device = ${category === 'virtualDevice'}`,
    sql<boolean>`s.scope_id = any(${ints(scopes[category])})`,
  ])
}

async function readPage(
  db: Executor,
  scopes: ScopesByCategory,
  wanted: readonly Category[],
  conditions: readonly Condition[],
  { offset, limit }: { offset: number; limit: number },
): Promise<FoundState[]> {
  const parts = wanted.map((category) => {
    const where = all([sql<boolean>`t.category = ${category}`, inScopes(scopes[category]), ...conditions])
    return sql`(select s.id, t.title as "twinTitle", t.id as "twinId", s.position
      from twins t join states s on s.twin_id = t.id where ${where}
      order by t.title collate natural_order, t.id, s.position, s.id limit ${offset + limit})`
  })
  const { rows } = await sql<{ id: number }>`
    select id from (${sql.join(parts, sql` union all `)}) as found
    order by "twinTitle" collate natural_order, "twinId", position, id limit ${limit} offset ${offset}`.execute(
    db,
  )
  return findStates(
    db,
    scopes,
    rows.map(({ id }) => id),
  )
}

/** From this many hits, comparing states while reading is cheaper than collecting the hits first. */
const manyHits = 5_000

/** A word as a condition on `states s` alone and on `states s join twins t`. */
export interface WordConditions {
  counted: Condition
  paged: Condition
}

/**
 * Each word must be in the title or key of a state or in the title of its twin. Rare words are looked up in
 * the indexes; the others are compared while reading.
 */
export async function stateSearch(db: Executor, search: Search): Promise<WordConditions[]> {
  const found: { word: SearchWord; texts: string[] | null }[] = []
  for (const word of search) found.push({ word, texts: await rareTexts(db, word) })
  const isNarrow = found.some(({ texts }) => texts !== null)
  return found.map(({ word, texts }) => {
    const twins = twinsWith(word)
    if (texts !== null) {
      const hits = sql`${statesWith(texts)} union select f.id from states f where f.twin_id in (${twins})`
      const condition = sql<boolean>`s.id in (${hits})`
      return { counted: condition, paged: condition }
    }
    const inTwin = isNarrow ? sql`exists (${twins} and o.id = s.twin_id)` : sql`s.twin_id in (${twins})`
    return {
      counted: sql<boolean>`(${wordMatches([sql`s.search`], word)} or ${inTwin})`,
      paged: wordMatches([sql`s.search`, sql`t.search`], word),
    }
  })
}

function statesWith(textIds: readonly string[]): RawBuilder<unknown> {
  return sql`select f.id from states f where ${hasText(textIds)}`
}

function twinsWith(word: SearchWord): RawBuilder<unknown> {
  return sql`select o.id from twins o where ${wordMatches([sql`o.search`], word)}`
}

/**
 * The texts of states that have a word, if so few states have it, themselves or by their twin, that they are collected first;
 * else null. A statement of its own, so that the planner knows which texts it looks for.
 */
async function rareTexts(db: Executor, word: SearchWord): Promise<string[] | null> {
  if (!isIndexed(word)) return null
  const texts = await textsWith(db, word, manyHits)
  if (texts.length === manyHits) return null
  const { rows } = await sql<{ states: number; twins: number }>`
    select (select count(*) from (${statesWith(texts)} limit ${manyHits}) as h) as states,
      (select count(*) from (${twinsWith(word)} limit ${manyHits}) as h) as twins`.execute(db)
  const [hits] = rows
  return hits !== undefined && hits.states < manyHits && hits.twins < manyHits ? texts : null
}

/** Locks the states of a twin until the end of the transaction. */
export async function lockStates(tx: Executor, twinId: number): Promise<void> {
  await sql`select from states where twin_id = ${twinId} order by id for update`.execute(tx)
}

/** Keys of a twin's states. */
export async function listKeys(db: Executor, twinId: number): Promise<Set<string>> {
  const rows = await db.selectFrom('states').select('key').where('twin_id', '=', twinId).execute()
  return new Set(rows.map(({ key }) => key))
}

/** A connector in these scopes; states may only use connectors their editor may use. */
export async function findConnector(
  db: Executor,
  scopeIds: readonly number[],
  connectorId: number,
): Promise<{ id: number; accountId: number; scopeId: number } | undefined> {
  return db
    .selectFrom(viewOf('connectors').as('connectors'))
    .select(['id', 'account_id as accountId', 'scope_id as scopeId'])
    .where('id', '=', connectorId)
    .where('receives', '=', true)
    .where('scope_id', '=', sql<number>`any(${ints(scopeIds)})`)
    .executeTakeFirst()
}
