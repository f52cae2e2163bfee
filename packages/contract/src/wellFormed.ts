/**
 * Whether a text can be stored: PostgreSQL text cannot contain NUL, and half of a surrogate pair is not a
 * character. The API refuses such texts anywhere in an input, including field names.
 */
export function isWellFormed(text: string): boolean {
  return !text.includes('\u0000') && text.isWellFormed()
}

/** Error for a text that cannot be stored. */
export const illFormed = 'holds NUL or half of a surrogate pair'

/** The same as a JSON Schema pattern; JSON parsed as Unicode has no half surrogates. */
export const wellFormedPattern = '^[^\\u0000]*$'
