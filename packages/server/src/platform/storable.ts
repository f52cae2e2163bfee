/**
 * NUL, which PostgreSQL's text does not have, and halves of surrogate pairs, which its JSON does not take. A backslash
 * that is escaped itself begins nothing.
 */
const unstorable =
  /(?<!\\)((?:\\\\)*)\\u(?:(d[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2})|0000|d[89a-f][0-9a-f]{2})/gi

/**
 * JSON text → JSON text that PostgreSQL can hold as `jsonb` and as texts made of it: escapes of NUL and of halves of
 * surrogate pairs become the replacement character. Anything else, also what is no JSON, stays as it is.
 */
export function storableJson(json: string): string {
  if (!json.includes('\\u')) return json
  return json.replace(unstorable, (all, before: string, pair: string | undefined) =>
    pair === undefined ? `${before}\\ufffd` : all,
  )
}

/** Text that PostgreSQL can hold: without NUL and halves of surrogate pairs. */
export function storableText(text: string): string {
  return text.replaceAll('\u0000', '\ufffd').toWellFormed()
}
