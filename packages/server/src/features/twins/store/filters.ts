import { type RawBuilder, sql } from 'kysely'
import {
  likePattern,
  matches,
  parseKeyValueFilter,
  parseTextFilter,
} from '../../../platform/db/textFilter.ts'
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

/** Filters that twins and devices have in common; absent ones do not filter. */
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

/** Conditions on `twins t`. Lists mean any of them. */
export function objectConditions(category: Category, filter: ObjectFilter): Condition[] {
  return [sql<boolean>`t.category = ${category}`, ...filterConditions(category, filter)]
}

/** Those of them that the filter asks for. */
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
    if (pair.value)
      conditions.push(sql<boolean>`t.key_values ->> ${pair.key} ilike ${likePattern(pair.value)}`)
  }
  return conditions
}

/** Title, or the id itself. */
export function titleSearch(typed: string | undefined): Condition[] {
  const filter = parseTextFilter(typed)
  if (!filter) return []
  const byTitle = matches(sql`t.title`, filter)
  const id = idOf(filter.text)
  return [id === null ? byTitle : sql<boolean>`(${byTitle} or t.id = ${id})`]
}

/** A text that can be an id. */
export function idOf(text: string): number | null {
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : null
}

/** A column lists can be sorted by. Rows without a value come last, whatever the direction. */
export interface OrderColumn {
  column: RawBuilder<unknown>
  nullable?: boolean
}

/**
 * What follows `order by`, with the id as the last word so that pages never overlap.
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
  // Without need it stays away: an index is only used when its place for nulls is the same.
  const nulls = order.nullable ? (backwards ? sql`nulls first` : sql`nulls last`) : sql``
  return sql`${order.column} ${direction} ${nulls}, t.id ${direction}`
}

/** The rows of a page as the database is asked for them. */
export interface Stretch {
  readonly backwards: boolean
  readonly offset: number
  readonly limit: number
}

/** A page of `total` rows: one in the second half is read from the end, so that the last page costs as little as the first. */
export function stretchOf(page: { offset: number; limit: number }, total: number): Stretch {
  const limit = Math.min(page.limit, total - page.offset)
  const after = total - page.offset - limit
  return after < page.offset
    ? { backwards: true, offset: after, limit }
    : { backwards: false, offset: page.offset, limit }
}

/** Rows of a stretch in the order of their page. */
export function inPageOrder<T>(rows: readonly T[], { backwards }: Stretch): T[] {
  return backwards ? rows.toReversed() : [...rows]
}

/** Titles in the order of people. */
export const titleOrder = sql`t.title collate natural_order`
