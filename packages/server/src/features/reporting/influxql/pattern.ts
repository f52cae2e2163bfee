import { QueryError } from './syntax.ts'

/** One alternative of a pattern: literal characters, any character, any run of characters. */
interface Alternative {
  isStart: boolean
  isEnd: boolean
  parts: readonly Part[]
}
type Part = { char: string } | 'one' | 'run'

/**
 * A regular expression limited to safe forms; the cost of matching is at most proportional to the product of
 * the lengths.
 */
export interface Pattern {
  ignoresCase: boolean
  alternatives: readonly Alternative[]
  /** the complete texts that it matches, if only these; null when there are too many to list */
  literals: ReadonlySet<string> | null
}

const patternLengthMax = 4_000
const partsMax = 500
const special = new Set('.*+?()[]{}|^$\\'.split(''))

/**
 * Parses `/…/` without the slashes: literal text, `.`, `.*`, `.+`, `|`, one pair of brackets around
 * alternatives, `^`, `$` and `(?i)` at the beginning. These are the forms that Grafana generates for
 * variables; others are refused.
 * @throws QueryError
 */
export function readPattern(source: string): Pattern {
  if (source.length > patternLengthMax)
    throw new QueryError(`a regular expression may have ${patternLengthMax} characters`)
  const ignoresCase = source.startsWith('(?i)')
  const alternatives = readAlternatives(ignoresCase ? source.slice(4) : source, ignoresCase)
  const isLiteral = alternatives.every(
    ({ isStart, isEnd, parts }) => isStart && isEnd && parts.every((part) => typeof part === 'object'),
  )
  const literals = isLiteral && !ignoresCase ? new Set(alternatives.map(textOf)) : null
  return { ignoresCase, alternatives, literals }
}

/** Maximum comparisons to match a text of this length. */
export function costOf({ alternatives, literals }: Pattern, length: number): number {
  if (literals !== null) return 1
  return alternatives.reduce((sum, { parts }) => sum + (parts.length + 2) * (length + 1), 0)
}

/** Whether a text matches. */
export function matches(pattern: Pattern, text: string): boolean {
  if (pattern.literals !== null) return pattern.literals.has(text)
  const chars = [...(pattern.ignoresCase ? text.toLowerCase() : text)]
  return pattern.alternatives.some((alternative) => matchesOne(alternative, chars))
}

function readAlternatives(source: string, ignoresCase: boolean): Alternative[] {
  return split(source).flatMap((each) => {
    const isStart = each.startsWith('^')
    const isEnd = endsWithAnchor(each)
    const inner = each.slice(isStart ? 1 : 0, isEnd ? -1 : undefined)
    const group = inGroup(inner)
    const sources = group === null ? [inner] : split(group)
    return sources.map((one) => ({ isStart, isEnd, parts: readParts(one, ignoresCase) }))
  })
}

/** Splits at `|` outside of brackets. */
function split(source: string): string[] {
  const found: string[] = []
  let [from, depth] = [0, 0]
  for (let at = 0; at < source.length; at++) {
    const char = source[at]
    if (char === '\\') at++
    else if (char === '(') depth++
    else if (char === ')') depth--
    else if (char === '|' && depth === 0) {
      found.push(source.slice(from, at))
      from = at + 1
    }
  }
  return [...found, source.slice(from)]
}

function endsWithAnchor(source: string): boolean {
  if (!source.endsWith('$')) return false
  const escapes = /\\*$/.exec(source.slice(0, -1))?.[0].length ?? 0
  return escapes % 2 === 0
}

/** The content of brackets that enclose the whole text; null without them. */
function inGroup(source: string): string | null {
  if (!source.startsWith('(') || !source.endsWith(')')) return null
  const inner = source.slice(source.startsWith('(?:') ? 3 : 1, -1)
  return inner
}

function readParts(source: string, ignoresCase: boolean): Part[] {
  const parts: Part[] = []
  const chars = [...source]
  for (let at = 0; at < chars.length; ) {
    const { read, length } = readPart(chars[at] as string, chars[at + 1])
    for (const part of read) {
      if (typeof part === 'object' && ignoresCase)
        for (const char of part.char.toLowerCase()) parts.push({ char })
      else if (part !== 'run' || parts.at(-1) !== 'run') parts.push(part)
    }
    at += length
  }
  if (parts.length > partsMax)
    throw new QueryError(`an alternative of a regular expression may have ${partsMax} characters`)
  return parts
}

/** Reads one part, and returns how many characters it takes. */
function readPart(char: string, next: string | undefined): { read: Part[]; length: number } {
  if (char === '\\') {
    // `\d` and similar are classes; other escaped characters are literal.
    if (next === undefined || /[\p{L}\p{N}]/u.test(next)) throw unsafe(`\\${next ?? ''}`)
    return { read: [{ char: next }], length: 2 }
  }
  if (char === '.' && next === '*') return { read: ['run'], length: 2 }
  if (char === '.' && next === '+') return { read: ['one', 'run'], length: 2 }
  if (char === '.') return { read: ['one'], length: 1 }
  if (special.has(char)) throw unsafe(char)
  return { read: [{ char }], length: 1 }
}

function unsafe(what: string): QueryError {
  return new QueryError(
    `"${what}" cannot be used here in a regular expression: there are text, ".", ".*", ".+", "|", "^", "$" and one pair of brackets around alternatives`,
  )
}

function textOf({ parts }: Alternative): string {
  return parts.map((part) => (typeof part === 'object' ? part.char : '')).join('')
}

/**
 * Runs match as little as possible and grow when the rest does not match. Only the last run ever needs
 * backtracking.
 */
function matchesOne({ isStart, isEnd, parts }: Alternative, chars: readonly string[]): boolean {
  const all: Part[] = [...(isStart ? [] : ['run' as const]), ...parts, ...(isEnd ? [] : ['run' as const])]
  let [at, part] = [0, 0]
  let [runPart, runAt] = [-1, 0]
  while (at < chars.length) {
    const wanted = all[part]
    if (wanted === 'run') {
      runPart = part++
      runAt = at
    } else if (wanted === 'one' || (wanted !== undefined && wanted.char === chars[at])) {
      part++
      at++
    } else if (runPart >= 0) {
      part = runPart + 1
      at = ++runAt
    } else return false
  }
  while (all[part] === 'run') part++
  return part === all.length
}
