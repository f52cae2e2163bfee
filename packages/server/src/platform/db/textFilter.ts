import { parseSearch, type Search, type SearchWord } from '@leitstand/contract/search'
import { type RawBuilder, sql } from 'kysely'

type Column = RawBuilder<unknown>

/** A filter for keys and values: `key`, or `key=value` where the value is a search of its own. */
export function parseKeyValueFilter(typed: string | undefined): { key: string; value: Search | null } | null {
  const trimmed = typed?.trim() ?? ''
  const at = trimmed.indexOf('=')
  const key = (at < 0 ? trimmed : trimmed.slice(0, at)).trim().replace(/^"(.*)"$/s, '$1')
  if (key === '') return null
  return { key, value: at < 0 ? null : parseSearch(trimmed.slice(at + 1)) }
}

/** Escapes `%`, `_` and `\` for `like`. */
function escaped(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&')
}

/** The patterns for `like` that find a word in a folded column. */
export function likePatterns({ forms, exact }: Pick<SearchWord, 'forms' | 'exact'>): string[] {
  return forms.map((form) => (exact ? `%\n${escaped(form)}\n%` : `%${escaped(form)}%`))
}

/** Condition that a word is in any of these folded columns. Trigram indexes serve it. */
export function wordMatches(columns: readonly Column[], word: SearchWord): RawBuilder<boolean> {
  const parts = columns.flatMap((column) =>
    likePatterns(word).map((pattern) => sql<boolean>`${column} like ${pattern}`),
  )
  return sql<boolean>`(${sql.join(parts, sql` or `)})`
}

/** Condition that a search finds a row: each word is in any of these folded columns. */
export function matches(columns: readonly Column[], search: Search): RawBuilder<boolean> {
  return sql<boolean>`(${sql.join(
    search.map((word) => wordMatches(columns, word)),
    sql` and `,
  )})`
}

/**
 * Condition that a search finds texts that no column holds in their folded form, for few rows: no index supports it.
 * @param long a text of more than a few hundred characters: folding takes a microsecond per character, so it is
 *   compared as it was typed, without case
 */
export function matchesTexts(
  fields: readonly Column[],
  search: Search,
  long: Column = sql`null`,
): RawBuilder<boolean> {
  const lines = fields.map((field) => sql`coalesce(${field}, '') || e'\\n'`)
  const words = search.map((word) => {
    const pattern = `%${escaped(word.typed.toLowerCase())}%`
    return sql<boolean>`(${wordMatches([sql`given.folded`], word)} or coalesce(given.long like ${pattern}, false))`
  })
  // The subquery folds the texts of a row once, not once per pattern.
  return sql<boolean>`exists (select from (
    select fold(e'\\n' || ${sql.join(lines, sql` || `)}) as folded, lower(${long}::text collate "und-x-icu") as long offset 0) as given
    where ${sql.join(words, sql` and `)})`
}

/** Whether the trigram index can look up a word. Others are faster to compare while reading. */
export function isIndexed({ forms }: Pick<SearchWord, 'forms'>): boolean {
  return forms.every((form) => /[\p{L}\p{N}]{3}/u.test(form))
}

/** The id that was typed into a search; null if it is not one. */
export function searchedId(typed: string | undefined): number | null {
  const text = typed?.trim().replace(/^"(.*)"$/s, '$1') ?? ''
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : null
}
