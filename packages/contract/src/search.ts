/**
 * What a search finds, once for the server and the console. Texts are compared in a folded form without case,
 * accents, sub- and superscripts and separators; the function `fold` of the database returns the same form,
 * which its indexes hold. The words of a search may stand in any order and in different fields.
 */

/** Letters that Unicode does not decompose; as in the database, see the migration with `fold`. */
const letters: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  þ: 'th',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  ħ: 'h',
  ł: 'l',
  ı: 'i',
  ŋ: 'n',
  ς: 'σ',
  μ: 'u',
  '\t': ' ',
}
const otherLetters = /[ßæœþøđðħłıŋςμ\t]/g
const marks = /[\u0300-\u036f]/g

/** The umlauts and similar letters, decomposed, that people also write as two letters. */
const twoLetters: readonly (readonly [RegExp, string])[] = [
  [/a\u0308/g, 'ae'],
  [/o\u0308/g, 'oe'],
  [/u\u0308/g, 'ue'],
  [/a\u030a/g, 'aa'],
  [/ø/g, 'oe'],
]

/** Characters inside of words that do not count: separators, apostrophes, invisible ones. */
const separators =
  /[\r\-_.:/\\'\u00ad\u00b7\u02bc\u200b-\u200d\u2010-\u2015\u2018\u2019\u2044\u2060\u2212\ufeff]/g

function simplify(decomposed: string): string {
  return decomposed
    .replace(marks, '')
    .replace(otherLetters, (letter) => letters[letter] ?? letter)
    .replace(separators, '')
}

function formsOf(text: string): [short: string, long: string] {
  const decomposed = text.normalize('NFKD').toLowerCase()
  const long = twoLetters.reduce((before, [letter, two]) => before.replace(letter, two), decomposed)
  return [simplify(decomposed), simplify(long)]
}

/**
 * The folded form of a text: `Straße` becomes `strasse`. Umlauts are written both ways, in two lines: `Büro`
 * becomes `buro` and `buero`.
 */
export function fold(text: string): string {
  const [short, long] = formsOf(text)
  return short === long ? short : `${short}\n${long}`
}

/** The folded form of a thing that is found by several fields, each in lines of its own. */
export function foldFields(...fields: readonly (string | null | undefined)[]): string {
  return fold(`\n${fields.map((field) => field ?? '').join('\n')}\n`)
}

/** A word that must be found: in any of these forms, each already folded. */
export interface SearchWord {
  readonly forms: readonly string[]
  /** whether the word is a whole field */
  readonly exact: boolean
  /** as it was typed, for texts that are not folded */
  readonly typed: string
}

/** All of these words must be found; never empty. */
export type Search = readonly SearchWord[]

/** Further words of a search do not narrow it. */
export const searchWordsMax = 8

/**
 * Parses what was typed into a search: words in any order, or in double quotes the whole text of a field.
 * @returns null when there is nothing to search for
 */
export function parseSearch(typed: string | undefined): Search | null {
  const trimmed = typed?.trim() ?? ''
  const quoted = /^"(.*)"$/s.exec(trimmed)?.[1]
  if (quoted !== undefined) {
    const forms = distinct([...formsOf(quoted.trim()), ...identifierForms(quoted.trim())])
    return forms.length === 0 ? null : [{ forms, exact: true, typed: quoted.trim() }]
  }
  const identifier = identifierForms(trimmed)
  if (identifier[0] !== undefined) return [{ forms: identifier, exact: false, typed: identifier[0] }]
  const words = new Map<string, SearchWord>()
  for (const part of trimmed.split(/\s+/)) {
    const forms = distinct([...formsOf(part), ...spacedForms(part)])
    if (forms[0] !== undefined) words.set(forms[0], { forms, exact: false, typed: part })
  }
  const search = [...words.values()].slice(0, searchWordsMax)
  return search.length === 0 ? null : search
}

/** Whether a search finds a text that `foldFields` folded. */
export function isFound(search: Search | null, folded: string): boolean {
  if (search === null) return true
  return search.every(({ forms, exact }) =>
    forms.some((form) => folded.includes(exact ? `\n${form}\n` : form)),
  )
}

/** Parses the search and filters by the fields of each item; all items when there is nothing to search for. */
export function filterFound<T>(
  items: readonly T[],
  typed: string,
  fieldsOf: (item: T) => readonly (string | null | undefined)[],
): T[] {
  const search = parseSearch(typed)
  if (search === null) return [...items]
  return items.filter((item) => isFound(search, foldFields(...fieldsOf(item))))
}

/** `70 B3 D5 7E`: pairs or quadruples of hexadecimal digits are one identifier, which is stored in one piece. */
function identifierForms(text: string): string[] {
  const groups = text.toLowerCase().split(/\s+/)
  const length = groups[0]?.length ?? 0
  const isIdentifier =
    groups.length >= 3 &&
    (length === 2 || length === 4) &&
    groups.every((group, index) => isHex(group) && (group.length === length || index === groups.length - 1))
  return isIdentifier ? [groups.join(''), groups.join(' ')] : []
}

function isHex(text: string): boolean {
  return /^[0-9a-f]{1,4}$/.test(text)
}

/** `temp-sensor` and `raum101` also find `Temp Sensor` and `Raum 101`. */
function spacedForms(word: string): string[] {
  const spaced = word
    .replace(/(?<=[\p{L}\p{N}])[-_.:/]+(?=[\p{L}\p{N}])/gu, ' ')
    .replace(/^(\p{L}{2,})(\p{N}+)$|^(\p{N}+)(\p{L}{2,})$/u, '$1$3 $2$4')
  // Identifiers have many separators; no text holds them with blanks.
  return spaced === word || spaced.split(' ').length > 3 ? [] : formsOf(spaced)
}

function distinct(forms: readonly string[]): string[] {
  return [...new Set(forms)].filter((form) => form.trim() !== '')
}
