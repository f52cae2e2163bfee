/**
 * Whether a text can be kept: PostgreSQL has no NUL in its texts, and half of a surrogate pair is no character. Every text
 * of an input has to be so; the API refuses others wherever they stand, also as names of fields.
 */
export function isWellFormed(text: string): boolean {
  return !text.includes('\u0000') && text.isWellFormed()
}

/** What a text that cannot be kept is answered with. */
export const illFormed = 'holds NUL or half of a surrogate pair'

/** The same as a pattern of JSON Schema; half surrogates do not exist in JSON that is read as Unicode. */
export const wellFormedPattern = '^[^\\u0000]*$'
