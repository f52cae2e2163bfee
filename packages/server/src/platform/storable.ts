/**
 * NUL, which PostgreSQL's text cannot hold, and unpaired surrogates, which its JSON rejects. An escaped
 * backslash does not start an escape.
 */
const unstorable =
  /(?<!\\)((?:\\\\)*)\\u(?:(d[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2})|0000|d[89a-f][0-9a-f]{2})/gi

/**
 * JSON text → JSON text that PostgreSQL can hold as `jsonb` and as text taken from it: escapes of NUL and
 * of unpaired surrogates become the replacement character. Everything else, including invalid JSON, is
 * unchanged.
 */
export function storableJson(json: string): string {
  if (!json.includes('\\u')) return json
  return json.replace(unstorable, (all, before: string, pair: string | undefined) =>
    pair === undefined ? `${before}\\ufffd` : all,
  )
}

/** Text that PostgreSQL can hold: without NUL and unpaired surrogates. */
export function storableText(text: string): string {
  return text.replaceAll('\u0000', '\ufffd').toWellFormed()
}
