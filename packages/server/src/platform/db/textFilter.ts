import { type RawBuilder, sql } from 'kysely'
import { contains } from './index.ts'

/** Text typed into a filter: part of the text to match, or in double quotes the whole text. */
export interface TextFilter {
  text: string
  exact: boolean
}

/**
 * Parses a filter: `123` also finds 1123, `"123"` only 123. Case-insensitive.
 * @returns null when there is nothing to filter by
 */
export function parseTextFilter(typed: string | undefined): TextFilter | null {
  const trimmed = typed?.trim() ?? ''
  const quoted = /^"(.*)"$/s.exec(trimmed)?.[1]
  const text = quoted ?? trimmed
  return text === '' ? null : { text, exact: quoted !== undefined }
}

/** A filter for keys and values: `key`, or `key=value` where the value is a text filter of its own. */
export function parseKeyValueFilter(
  typed: string | undefined,
): { key: string; value: TextFilter | null } | null {
  const trimmed = typed?.trim() ?? ''
  const at = trimmed.indexOf('=')
  const key = (at < 0 ? trimmed : trimmed.slice(0, at)).trim().replace(/^"(.*)"$/s, '$1')
  if (key === '') return null
  return { key, value: at < 0 ? null : parseTextFilter(trimmed.slice(at + 1)) }
}

/** The pattern for `ilike`. Trigram indexes serve both forms. */
export function likePattern(filter: TextFilter): string {
  const pattern = contains(filter.text)
  return filter.exact ? pattern.slice(1, -1) : pattern
}

/** Condition that a column matches a filter. */
export function matches(column: RawBuilder<unknown>, filter: TextFilter): RawBuilder<boolean> {
  return sql<boolean>`${column} ilike ${likePattern(filter)}`
}

/**
 * Condition that a column matches any of several filters, for scanning many rows: `ilike` would lower-case
 * text and pattern again for each comparison. No index supports it.
 */
export function matchesWhileReading(
  column: RawBuilder<unknown>,
  filters: readonly TextFilter[],
): RawBuilder<boolean> {
  const patterns = sql.join(filters.map((filter) => sql`lower(${likePattern(filter)})`))
  return sql<boolean>`lower(${column}) like any(array[${patterns}])`
}

/** Below this length a trigram index does not help and a plain scan is faster. */
export const trigramLengthMin = 3
