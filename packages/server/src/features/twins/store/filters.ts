import { parseSearch } from '@leitstand/contract/search'
import { type RawBuilder, sql } from 'kysely'
import { matches, matchesTexts, parseKeyValueFilter, searchedId } from '../../../platform/db/textFilter.ts'
import type { Category, ScopesByCategory } from '../policy.ts'

export type Condition = RawBuilder<boolean>

/** Joins conditions with and. */
export function all(conditions: readonly Condition[]): Condition {
  return conditions.length === 0 ? sql<boolean>`true` : sql<boolean>`(${sql.join(conditions, sql` and `)})`
}

/** An array as one parameter. */
export function ints(values: readonly number[]): RawBuilder<number[]> {
  return sql`${[...values]}::int[]`
}

export function texts(values: readonly string[]): RawBuilder<string[]> {
  return sql`${[...values]}::text[]`
}

/** Rows of `twins t` in these scopes. */
export function inScopes(scopeIds: readonly number[]): Condition {
  return sql<boolean>`t.scope_id = any(${ints(scopeIds)})`
}

/** Rows of `twins t` in the scopes of their category. */
export function inScopesByCategory(scopes: ScopesByCategory): Condition {
  const of = (category: Category) =>
    sql<boolean>`(t.category = ${category} and ${inScopes(scopes[category])})`
  return sql<boolean>`(${of('digitalTwin')} or ${of('virtualDevice')})`
}

/** Filters common to twins and devices; absent ones are ignored. */
export interface ObjectFilter {
  accountIds?: readonly number[] | undefined
  tags?: readonly string[] | undefined
  zones?: readonly string[] | undefined
  /** `key` or `key=value` */
  keyValue?: string | undefined
  /** direct children only */
  parentId?: number | undefined
  ids?: readonly number[] | undefined
  disabled?: boolean | undefined
  /** only favourites of this user */
  favoritesOf?: number | null | undefined
}

/** Conditions on `twins t`. A list matches any of its items. */
export function objectConditions(category: Category, filter: ObjectFilter): Condition[] {
  return [sql<boolean>`t.category = ${category}`, ...filterConditions(category, filter)]
}

/** Conditions of the filter, without the category. */
export function filterConditions(category: Category, filter: ObjectFilter): Condition[] {
  const conditions: Condition[] = []
  if (filter.accountIds) conditions.push(sql<boolean>`t.account_id = any(${ints(filter.accountIds)})`)
  if (filter.tags) conditions.push(sql<boolean>`t.tags && ${texts(filter.tags)}`)
  if (filter.zones) conditions.push(sql<boolean>`t.zones && ${texts(filter.zones)}`)
  if (filter.parentId !== undefined) conditions.push(sql<boolean>`t.parent_id = ${filter.parentId}`)
  if (filter.ids) conditions.push(sql<boolean>`t.id = any(${ints(filter.ids)})`)
  if (filter.disabled !== undefined) conditions.push(sql<boolean>`t.disabled = ${filter.disabled}`)
  if (filter.favoritesOf !== undefined) {
    conditions.push(sql<boolean>`t.id in (
      select object_id from favorites where user_id = ${filter.favoritesOf} and type = ${category})`)
  }
  const pair = parseKeyValueFilter(filter.keyValue)
  if (pair) {
    conditions.push(sql<boolean>`t.key_values ? ${pair.key}`)
    if (pair.value) conditions.push(matchesTexts([sql`t.key_values ->> ${pair.key}`], pair.value))
  }
  return conditions
}

/** Rows of `twins t`: the twin itself and everything below it. */
export function isInTree(twinId: number): Condition {
  return sql<boolean>`t.id in (
    with recursive down as (
      select id from twins where id = ${twinId} and category = 'digitalTwin'
      union
      select c.id from twins c join down on c.parent_id = down.id where c.category = 'digitalTwin')
    select id from down)`
}

/** Search by title or exact id. */
export function titleSearch(typed: string | undefined): Condition[] {
  const search = parseSearch(typed)
  if (!search) return []
  const byTitle = matches([sql`t.search`], search)
  const id = searchedId(typed)
  return [id === null ? byTitle : sql<boolean>`(${byTitle} or t.id = ${id})`]
}

/** A sortable column. Rows without a value come last in both directions. */
export interface OrderColumn {
  column: RawBuilder<unknown>
  nullable?: boolean
}

/**
 * Builds the `order by` terms; the id is the tie-breaker, so that pages never overlap.
 * @param backwards from the last row to the first one
 */
export function orderOf(
  columns: Readonly<Record<string, OrderColumn>>,
  orderBy: string,
  backwards = false,
): RawBuilder<unknown> {
  const descending = orderBy.startsWith('-')
  const order = columns[descending ? orderBy.slice(1) : orderBy]
  if (!order) throw new Error(`unknown order ${orderBy}`)
  const direction = descending === backwards ? sql`asc` : sql`desc`
  // Only for nullable columns: an index is used only if its order of nulls matches.
  const nulls = order.nullable ? (backwards ? sql`nulls first` : sql`nulls last`) : sql``
  return sql`${order.column} ${direction} ${nulls}, t.id ${direction}`
}

/** The offset and direction for reading the rows of a page. */
export interface Stretch {
  readonly backwards: boolean
  readonly offset: number
  readonly limit: number
}

/**
 * The stretch for a page of `total` rows; pages in the second half are read backwards to keep the offset
 * small.
 */
export function stretchOf(page: { offset: number; limit: number }, total: number): Stretch {
  const limit = Math.min(page.limit, total - page.offset)
  const after = total - page.offset - limit
  return after < page.offset
    ? { backwards: true, offset: after, limit }
    : { backwards: false, offset: page.offset, limit }
}

/** Rows of a stretch in page order. */
export function inPageOrder<T>(rows: readonly T[], { backwards }: Stretch): T[] {
  return backwards ? rows.toReversed() : [...rows]
}

/** Titles in natural order. */
export const titleOrder = sql`t.title collate natural_order`
