/**
 * Checks the text of results before it is parsed. A script that gained control of its raw result could write
 * anything: more results than inputs, 60 000 nested arrays, 36 MB. Only text with exactly the expected number
 * of results, each within the limits, passes; it is scanned one character at a time, without recursion.
 */
import { LIMITS, type ScriptErrorCode } from './types.ts'

/** Error codes the sandbox itself may return. */
const CODES: ReadonlySet<string> = new Set<ScriptErrorCode>([
  'SCRIPT_SYNTAX',
  'SCRIPT_NO_FUNCTION',
  'SCRIPT_ERROR',
  'SCRIPT_TIMEOUT',
  'SCRIPT_MEMORY',
  'SCRIPT_CRASHED',
  'SCRIPT_OUTPUT_TOO_LARGE',
  'SCRIPT_OUTPUT_INVALID',
  'SCRIPT_INPUT_INVALID',
])

/** Truncated texts end with an ellipsis. */
const textMax = (chars: number): number => chars + 1

export interface Scanned {
  /** valid results before the first invalid one */
  readonly good: number
  /** why the next one is invalid; undefined when all are valid */
  readonly fault: string | undefined
}

/**
 * Scans `{…},{…}`, which must be `count` results in the format of `WireAnswer`.
 * @param from start of the results in the text, and `to` their end: extracting them first would be slow
 */
export function scanAnswers(text: string, count: number, from = 0, to = text.length): Scanned {
  const scanner = new Scanner(text, from)
  for (let good = 0; good < count; good++) {
    if (good > 0 && !scanner.take(COMMA)) return { good, fault: 'an answer is missing' }
    const fault = scanner.answer()
    if (fault !== undefined) return { good, fault }
  }
  return scanner.at === to
    ? { good: count, fault: undefined }
    : { good: Math.max(0, count - 1), fault: 'there are more answers than inputs' }
}

const QUOTE = 0x22
const COMMA = 0x2c
const MINUS = 0x2d
const POINT = 0x2e
const COLON = 0x3a
const OPEN_LIST = 0x5b
const BACKSLASH = 0x5c
const CLOSE_LIST = 0x5d
const OPEN = 0x7b
const CLOSE = 0x7d
const ZERO = 0x30

const isDigit = (code: number): boolean => code >= ZERO && code <= 0x39
const isHex = (code: number): boolean =>
  isDigit(code) || (code >= 0x61 && code <= 0x66) || (code >= 0x41 && code <= 0x46)
const ESCAPES = new Set([...'"\\/bfnrt'].map((each) => each.charCodeAt(0)))
/** A number this short is finite for any digits, if it has no exponent. */
const DIGITS_SAFE = 300

class Scanner {
  at: number
  private readonly text: string
  /** Nesting of the current value: one bit per level, the innermost lowest; 1 a record, 0 a list. */
  private levels = 0
  private depth = 0

  constructor(text: string, from: number) {
    this.text = text
    this.at = from
  }

  take(code: number): boolean {
    if (this.text.charCodeAt(this.at) !== code) return false
    this.at++
    return true
  }

  /** One result; returns the fault, if any. */
  answer(): string | undefined {
    if (!this.take(OPEN)) return 'it is no record'
    let seen = ''
    let kinds = 0
    do {
      const name = this.text[this.at + 1] ?? ''
      const isName = this.take(QUOTE) && this.at++ >= 0 && this.take(QUOTE) && this.take(COLON)
      if (!isName || seen.includes(name)) return 'it is not written as answers are'
      seen += name
      if (name === 'v' || name === 'u' || name === 'c') kinds++
      const fault = this.field(name)
      if (fault !== undefined) return fault
    } while (this.take(COMMA))
    if (!this.take(CLOSE)) return 'it does not end'
    return kinds === 1 ? undefined : 'it is neither a value nor an error'
  }

  private field(name: string): string | undefined {
    switch (name) {
      case 'v':
        return this.value()
      case 'u':
        return this.take(0x31) ? undefined : 'it is not written as answers are'
      case 'c':
        return this.code()
      case 'e':
        return this.shortText(textMax(LIMITS.errorChars))
      case 's':
        return this.shortText(textMax(LIMITS.stackChars))
      case 'w':
        return this.texts(LIMITS.consoleLines, textMax(LIMITS.errorChars))
      case 'l':
        return this.texts(LIMITS.consoleLines + 1, textMax(LIMITS.consoleLineChars))
      default:
        return 'it has a field that answers do not have'
    }
  }

  private code(): string | undefined {
    const from = this.at
    if (this.string() < 0) return 'its code is no text'
    return CODES.has(this.text.slice(from + 1, this.at - 1)) ? undefined : 'its code is not known'
  }

  private shortText(max: number): string | undefined {
    const length = this.string()
    return length < 0 || length > max ? 'a text of it is no text, or too long' : undefined
  }

  private texts(countMax: number, max: number): string | undefined {
    if (!this.take(OPEN_LIST)) return 'a list of it is no list'
    if (this.take(CLOSE_LIST)) return undefined
    let count = 0
    do {
      const fault = this.shortText(max)
      if (fault !== undefined) return fault
      if (++count > countMax) return 'a list of it is too long'
    } while (this.take(COMMA))
    return this.take(CLOSE_LIST) ? undefined : 'a list of it does not end'
  }

  /** Any JSON value of at most `outputDepth` levels and `outputChars` characters. */
  private value(): string | undefined {
    const from = this.at
    this.levels = 0
    this.depth = 0
    for (;;) {
      const code = this.text.charCodeAt(this.at)
      if (code === OPEN || code === OPEN_LIST) {
        const fault = this.open(code === OPEN)
        if (fault !== undefined) return fault
        if (!this.isEmpty()) {
          if (this.inRecord && !this.key()) return BAD_KEY
          continue
        }
      } else if (!this.scalar(code)) return 'it is no JSON'
      this.closeAll()
      if (this.at - from > LIMITS.outputChars) return 'it is too long'
      if (this.depth === 0) return undefined
      if (!this.next()) return 'what follows a value of it is not right'
    }
  }

  /** Moves from one value of a list or record to the next. */
  private next(): boolean {
    return this.take(COMMA) && (!this.inRecord || this.key())
  }

  private get inRecord(): boolean {
    return (this.levels & 1) === 1
  }

  private open(isRecord: boolean): string | undefined {
    this.at++
    this.levels = (this.levels << 1) | (isRecord ? 1 : 0)
    return ++this.depth > LIMITS.outputDepth ? 'it is nested too deep' : undefined
  }

  /** Whether the list or record just opened is empty; it counts as a value then. */
  private isEmpty(): boolean {
    return this.text.charCodeAt(this.at) === (this.inRecord ? CLOSE : CLOSE_LIST)
  }

  /** Closes every list and record that ends after a value. */
  private closeAll(): void {
    while (this.depth > 0 && this.take(this.inRecord ? CLOSE : CLOSE_LIST)) {
      this.levels >>>= 1
      this.depth--
    }
  }

  private key(): boolean {
    const from = this.at
    const length = this.string()
    if (length < 0 || !this.take(COLON)) return false
    if (length !== PROTO.length) return true
    // Written with escapes it is the same key.
    const quoted = this.text.slice(from, this.at - 1)
    return quoted.length === PROTO.length + 2
      ? quoted.slice(1, -1) !== PROTO
      : (JSON.parse(quoted) as string) !== PROTO
  }

  private scalar(code: number): boolean {
    if (code === QUOTE) return this.string() >= 0
    if (code === MINUS || isDigit(code)) return this.number()
    for (const word of WORDS)
      if (this.text.startsWith(word, this.at)) {
        this.at += word.length
        return true
      }
    return false
  }

  private digits(): boolean {
    const from = this.at
    while (isDigit(this.text.charCodeAt(this.at))) this.at++
    return this.at > from
  }

  /** A number that is finite once parsed. */
  private number(): boolean {
    const from = this.at
    this.take(MINUS)
    if (!this.take(ZERO) && !this.digits()) return false
    if (this.take(POINT) && !this.digits()) return false
    const exponent = this.text.charCodeAt(this.at) | 0x20
    const hasExponent = exponent === 0x65
    if (hasExponent) {
      this.at++
      const sign = this.text.charCodeAt(this.at)
      if (sign === MINUS || sign === 0x2b) this.at++
      if (!this.digits()) return false
    }
    if (!hasExponent && this.at - from < DIGITS_SAFE) return true
    return Number.isFinite(Number(this.text.slice(from, this.at)))
  }

  /** Length of a string once parsed, or -1. */
  private string(): number {
    const { text } = this
    if (text.charCodeAt(this.at) !== QUOTE) return -1
    let at = this.at + 1
    let escapes = 0
    for (;;) {
      const code = text.charCodeAt(at)
      if (code === QUOTE) break
      if (code === BACKSLASH) {
        const length = this.escape(at)
        if (length === 0) return -1
        at += length
        escapes += length - 1
      } else if (code >= 0x20) at++
      else return -1 // A control character, or (NaN) the end of the text.
    }
    const length = at - this.at - 1 - escapes
    this.at = at + 1
    return length
  }

  private escape(at: number): number {
    const code = this.text.charCodeAt(at + 1)
    if (ESCAPES.has(code)) return 2
    if (code !== 0x75) return 0
    for (let i = 2; i < 6; i++) if (!isHex(this.text.charCodeAt(at + i))) return 0
    return 6
  }
}

const BAD_KEY = 'a key of it is not right'
const PROTO = '__proto__'
const WORDS = ['true', 'false', 'null'] as const
