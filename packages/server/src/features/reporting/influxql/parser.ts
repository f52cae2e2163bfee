import { IANAZone } from 'luxon'
import { matches, readPattern } from './pattern.ts'
import {
  type Column,
  type Comparison,
  type FieldName,
  type Fill,
  fieldNames,
  functionNames,
  measurement,
  QueryError,
  type Select,
  type Statement,
  type TagCondition,
  type TagName,
  type TimeCondition,
  tagNames,
  type Where,
} from './syntax.ts'

export const queryLimits = {
  /** maximum characters of `q` */
  lengthMax: 50_000,
  /** maximum statements in one request */
  statementsMax: 50,
  /** maximum nesting of brackets in a condition */
  depthMax: 50,
  /** maximum comparisons in a condition */
  conditionsMax: 1_000,
  /** maximum columns of a SELECT */
  columnsMax: 20,
} as const

/** A comparison, before time and tags are separated. */
type Condition =
  | { kind: 'and' | 'or'; of: Condition[] }
  | { kind: 'time'; time: TimeCondition }
  | { kind: 'tag'; tag: TagCondition }

const units: Readonly<Record<string, number>> = {
  ns: 1e-6,
  u: 1e-3,
  µ: 1e-3,
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
}
const nsOfMs = 1_000_000n

/**
 * Parses the statements of a query, separated by `;`.
 * @throws QueryError with the position of the error; never throws anything else, whatever the text
 */
export function parseQuery(text: string): Statement[] {
  if (text.length > queryLimits.lengthMax)
    throw new QueryError(`a query may have ${queryLimits.lengthMax} characters`)
  const reader = new Reader(text)
  const statements: Statement[] = []
  for (;;) {
    while (reader.sign(';'));
    if (reader.isAtEnd()) break
    if (statements.length === queryLimits.statementsMax)
      throw new QueryError(`a request may have ${queryLimits.statementsMax} statements`)
    statements.push(new StatementReader(reader).read())
    if (!reader.isAtEnd() && !reader.sign(';')) throw reader.expected('";" or the end of the query')
  }
  if (statements.length === 0) throw new QueryError('there is no statement in the query')
  return statements
}

/** Reads words, names and literals from left to right. */
class Reader {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  isAtEnd(): boolean {
    this.#skipSpace()
    return this.#at >= this.#text.length
  }

  /** A syntax error at the current position, with what was expected. */
  expected(what: string): QueryError {
    this.#skipSpace()
    const found = this.#text.slice(this.#at, this.#at + 20) || 'the end'
    return new QueryError(`expected ${what} at character ${this.#at + 1}, found ${JSON.stringify(found)}`)
  }

  /** Consumes a sign if it is next. */
  sign(sign: string): boolean {
    this.#skipSpace()
    if (!this.#text.startsWith(sign, this.#at)) return false
    this.#at += sign.length
    return true
  }

  demand(sign: string): void {
    if (!this.sign(sign)) throw this.expected(`"${sign}"`)
  }

  /** Consumes words, ignoring case, if all of them are next. */
  words(...words: string[]): boolean {
    const before = this.#at
    for (const word of words) {
      if (this.#take(/[A-Za-z_]\w*/y)?.toLowerCase() === word) continue
      this.#at = before
      return false
    }
    return true
  }

  demandWords(...words: string[]): void {
    if (!this.words(...words)) throw this.expected(words.join(' ').toUpperCase())
  }

  /** A name, quoted or not; null when there is none. */
  name(): string | null {
    const quoted = this.#take(/"(?:[^"\\\n]|\\.)*"/y)
    if (quoted !== null) return quoted.slice(1, -1).replace(/\\(.)/g, '$1')
    return this.#take(/[A-Za-z_]\w*/y)
  }

  string(): string | null {
    return (
      this.#take(/'(?:[^'\\]|\\[\s\S])*'/y)
        ?.slice(1, -1)
        .replace(/\\([\s\S])/g, '$1') ?? null
    )
  }

  pattern(): string | null {
    // A slash ends the expression; an escaped slash is literal.
    return (
      this.#take(/\/(?:[^/\\\n]|\\.)*\//y)
        ?.slice(1, -1)
        .replaceAll('\\/', '/') ?? null
    )
  }

  /** Milliseconds of e.g. `1h30m`, without a sign. */
  duration(): number | null {
    const text = this.#take(/(?:\d{1,19}(?:ns|ms|u|µ|s|m|h|d|w))+(?![A-Za-z0-9_])/y)
    if (text === null) return null
    let ms = 0
    for (const [, digits = '', unit = ''] of text.matchAll(/(\d+)(ns|ms|u|µ|s|m|h|d|w)/g))
      ms += unit === 'ns' ? msOfNs(BigInt(digits)) : Number(digits) * (units[unit] ?? 0)
    return ms
  }

  /** Digits without a unit. */
  digits(): string | null {
    return this.#take(/\d{1,19}(?![\w.])/y)
  }

  number(): number | null {
    const text = this.#take(/-?\d{1,19}(?:\.\d{1,19})?(?![\w.])/y)
    return text === null ? null : Number(text)
  }

  #skipSpace(): void {
    const space = /\s*/y
    space.lastIndex = this.#at
    space.exec(this.#text)
    this.#at = space.lastIndex
  }

  #take(form: RegExp): string | null {
    this.#skipSpace()
    form.lastIndex = this.#at
    const found = form.exec(this.#text)
    if (found === null) return null
    this.#at = form.lastIndex
    return found[0]
  }
}

/** Current times in nanoseconds exceed the safe integers of a number. */
function msOfNs(ns: bigint): number {
  return Number(ns / nsOfMs) + Number(ns % nsOfMs) / 1e6
}

class StatementReader {
  readonly #reader: Reader
  #conditions = 0

  constructor(reader: Reader) {
    this.#reader = reader
  }

  read(): Statement {
    if (this.#reader.words('select')) return this.#select()
    if (this.#reader.words('show')) return this.#show()
    throw this.#reader.expected('SELECT or SHOW')
  }

  #show(): Statement {
    const reader = this.#reader
    if (reader.words('databases')) return { kind: 'databases', ...this.#ending() }
    if (reader.words('retention', 'policies')) {
      this.#on()
      return { kind: 'policies', ...this.#ending() }
    }
    if (reader.words('measurements')) return this.#measurements()
    if (reader.words('field', 'keys')) return { kind: 'fieldKeys', ...this.#source() }
    if (reader.words('tag', 'keys')) return { kind: 'tagKeys', ...this.#source() }
    if (!reader.words('tag', 'values'))
      throw reader.expected('DATABASES, RETENTION POLICIES, MEASUREMENTS, TAG KEYS, TAG VALUES or FIELD KEYS')
    this.#on()
    const isKnown = reader.words('from') ? this.#from() : true
    const keys = this.#keys()
    return { kind: 'tagValues', keys, isKnown, ...this.#whereAndEnding() }
  }

  #measurements(): Statement {
    const reader = this.#reader
    this.#on()
    let isKnown = true
    if (reader.words('with', 'measurement')) {
      if (reader.sign('=~')) isKnown = this.#isMatched(measurement)
      else {
        reader.demand('=')
        isKnown = this.#nameOf('a measurement') === measurement
      }
    }
    return { kind: 'measurements', isKnown, ...this.#whereAndEnding() }
  }

  #isMatched(text: string): boolean {
    const source = this.#reader.pattern()
    if (source === null) throw this.#reader.expected('a regular expression')
    const pattern = readPattern(source)
    return matches(pattern, text)
  }

  #keys(): TagName[] {
    const reader = this.#reader
    reader.demandWords('with', 'key')
    const named: string[] = []
    if (reader.words('in')) {
      reader.demand('(')
      do named.push(this.#nameOf('a tag'))
      while (reader.sign(','))
      reader.demand(')')
    } else {
      reader.demand('=')
      named.push(this.#nameOf('a tag'))
    }
    return tagNames.filter((tag) => named.includes(tag))
  }

  #source(): { isKnown: boolean; where: Where; limit: number | null; offset: number } {
    this.#on()
    const isKnown = this.#reader.words('from') ? this.#from() : true
    return { isKnown, ...this.#whereAndEnding() }
  }

  #on(): void {
    if (this.#reader.words('on')) this.#nameOf('a database')
  }

  #whereAndEnding(): { where: Where; limit: number | null; offset: number } {
    const where = this.#where()
    return { where, limit: this.#count('limit'), offset: this.#count('offset') ?? 0 }
  }

  #ending() {
    const [limit, offset] = [this.#count('limit'), this.#count('offset') ?? 0]
    return { isKnown: true, where: { tags: null, times: [] }, limit, offset }
  }

  /**
   * Parses FROM. Returns whether the measurement exists, with or without its database and retention policy.
   */
  #from(): boolean {
    let name = this.#nameOf('a measurement')
    for (let parts = 1; parts < 3 && this.#reader.sign('.'); parts++) {
      // `db..measurement` omits the policy.
      if (parts === 1 && this.#reader.sign('.')) parts++
      name = this.#nameOf('a measurement')
    }
    return name === measurement
  }

  #select(): Select {
    const reader = this.#reader
    const columns = this.#columns()
    reader.demandWords('from')
    const isKnown = this.#from()
    const where = this.#where()
    const { interval, groupBy } = this.#groupBy()
    const fill = this.#fill()
    const descending = this.#orderBy()
    const [limit, offset] = [this.#count('limit'), this.#count('offset') ?? 0]
    const [seriesLimit, seriesOffset] = [this.#count('slimit'), this.#count('soffset') ?? 0]
    const timeZone = this.#timeZone()
    return {
      kind: 'select',
      columns: withOwnNames(columns),
      isKnown,
      where,
      interval,
      groupBy,
      fill,
      descending,
      limit,
      offset,
      seriesLimit,
      seriesOffset,
      timeZone,
    }
  }

  #columns(): Column[] {
    const reader = this.#reader
    if (reader.sign('*')) {
      const tags = tagNames.map((tag): Column => ({ kind: 'tag', tag, as: tag }))
      return [...tags, ...fieldNames.map((field): Column => ({ kind: 'field', field, as: field }))]
    }
    const columns: Column[] = []
    do {
      const column = this.#column()
      // Every result includes the time anyway.
      if (column !== null) columns.push(column)
      if (columns.length > queryLimits.columnsMax)
        throw new QueryError(`a SELECT may have ${queryLimits.columnsMax} columns`)
    } while (reader.sign(','))
    return columns
  }

  #column(): Column | null {
    const reader = this.#reader
    const name = this.#nameOf('a field or a function')
    if (!reader.sign('(')) {
      this.#kindOfName()
      const as = this.#alias() ?? name
      if (name === 'time') return null
      const tag = tagNames.find((one) => one === name)
      if (tag !== undefined) return { kind: 'tag', tag, as }
      return { kind: 'field', field: fieldOf(name), as }
    }
    const called = functionNames.find((one) => one === name.toLowerCase())
    if (called === undefined)
      throw new QueryError(
        `there is no function ${name}(); there are ${functionNames.map((one) => one.toUpperCase()).join(', ')}`,
      )
    const field = fieldOf(this.#nameOf('a field'))
    this.#kindOfName()
    reader.demand(')')
    if (field === 'value_string' && called !== 'count' && called !== 'first' && called !== 'last')
      throw new QueryError(`${called.toUpperCase()} needs numbers; value_string has COUNT, FIRST and LAST`)
    return { kind: 'function', name: called, field, as: this.#alias() ?? called }
  }

  #alias(): string | null {
    return this.#reader.words('as') ? this.#nameOf('a name') : null
  }

  /** `::tag`, `::field` and types after a name are redundant. */
  #kindOfName(): void {
    if (this.#reader.sign('::')) this.#nameOf('tag, field or a type')
  }

  #nameOf(what: string): string {
    const name = this.#reader.name()
    if (name === null) throw this.#reader.expected(what)
    return name
  }

  #where(): Where {
    if (!this.#reader.words('where')) return { tags: null, times: [] }
    return divide(this.#either(0))
  }

  #either(depth: number): Condition {
    const of = [this.#both(depth)]
    while (this.#reader.words('or')) of.push(this.#both(depth))
    return of.length === 1 ? (of[0] as Condition) : { kind: 'or', of }
  }

  #both(depth: number): Condition {
    const of = [this.#single(depth)]
    while (this.#reader.words('and')) of.push(this.#single(depth))
    return of.length === 1 ? (of[0] as Condition) : { kind: 'and', of }
  }

  #single(depth: number): Condition {
    const reader = this.#reader
    if (reader.sign('(')) {
      if (depth === queryLimits.depthMax)
        throw new QueryError(`a condition may have ${queryLimits.depthMax} brackets within each other`)
      const inner = this.#either(depth + 1)
      reader.demand(')')
      return inner
    }
    if (++this.#conditions > queryLimits.conditionsMax)
      throw new QueryError(`a condition may have ${queryLimits.conditionsMax} comparisons`)
    const name = this.#nameOf('a tag or time')
    this.#kindOfName()
    if (name.toLowerCase() === 'time') return { kind: 'time', time: this.#time() }
    const tag = tagNames.find((one) => one === name)
    if (tag === undefined)
      throw new QueryError(
        fieldNames.some((field) => field === name)
          ? `conditions on fields such as ${name} are not supported`
          : `there is no tag ${name}; there are ${tagNames.join(', ')}`,
      )
    return { kind: 'tag', tag: this.#tagCondition(tag) }
  }

  #tagCondition(tag: TagName): TagCondition {
    const reader = this.#reader
    const [isMatched, isUnmatched] = [reader.sign('=~'), reader.sign('!~')]
    if (isMatched || isUnmatched) {
      const source = reader.pattern()
      if (source === null) throw reader.expected('a regular expression')
      return { kind: 'matches', tag, pattern: readPattern(source), negated: isUnmatched }
    }
    const negated = reader.sign('!=') || reader.sign('<>')
    if (!negated) reader.demand('=')
    const value = reader.string()
    if (value === null) throw reader.expected("a text in '…'")
    return { kind: 'is', tag, value, negated }
  }

  #time(): TimeCondition {
    const reader = this.#reader
    const comparison = (['<=', '>=', '<', '>', '='] as const).find((sign): sign is Comparison =>
      reader.sign(sign),
    )
    if (comparison === undefined) throw reader.expected('<, <=, >, >= or =')
    const { fromNow, ms: base } = this.#moment()
    let ms = base
    for (;;) {
      const sign = reader.sign('+') ? 1 : reader.sign('-') ? -1 : 0
      if (sign === 0) break
      const duration = reader.duration()
      if (duration === null) throw reader.expected('a duration such as 1h')
      ms += sign * duration
    }
    return { comparison, fromNow, ms }
  }

  #moment(): { fromNow: boolean; ms: number } {
    const reader = this.#reader
    if (reader.words('now')) {
      reader.demand('(')
      reader.demand(')')
      return { fromNow: true, ms: 0 }
    }
    const text = reader.string()
    if (text !== null) return { fromNow: false, ms: timeOf(text) }
    const sign = reader.sign('-') ? -1 : 1
    const since = reader.duration()
    if (since !== null) return { fromNow: false, ms: sign * since }
    const digits = reader.digits()
    if (digits === null) throw reader.expected('a time')
    return { fromNow: false, ms: sign * msOfNs(BigInt(digits)) }
  }

  #groupBy(): Pick<Select, 'interval' | 'groupBy'> {
    const reader = this.#reader
    let interval: Select['interval'] = null
    const tags: TagName[] = []
    if (!reader.words('group', 'by')) return { interval, groupBy: tags }
    do {
      if (reader.sign('*')) tags.push(...tagNames)
      else if (reader.words('time')) {
        if (interval !== null) throw new QueryError('GROUP BY can have one time()')
        interval = this.#interval()
      } else tags.push(this.#groupTag())
    } while (reader.sign(','))
    return { interval, groupBy: tagNames.filter((tag) => tags.includes(tag)) }
  }

  #groupTag(): TagName {
    const name = this.#nameOf('time(…), a tag or *')
    this.#kindOfName()
    const tag = tagNames.find((one) => one === name)
    if (tag === undefined) throw new QueryError(`there is no tag ${name}; there are ${tagNames.join(', ')}`)
    return tag
  }

  #interval(): { lengthMs: number; offsetMs: number } {
    const reader = this.#reader
    reader.demand('(')
    const lengthMs = reader.duration()
    if (lengthMs === null) throw reader.expected('a duration such as 1h')
    if (!Number.isInteger(lengthMs) || lengthMs < 1 || lengthMs > 366 * 86_400_000)
      throw new QueryError('an interval has whole milliseconds, and at most 366 days')
    let offsetMs = 0
    if (reader.sign(',')) {
      const sign = reader.sign('-') ? -1 : 1
      const given = reader.duration()
      if (given === null || !Number.isInteger(given)) throw reader.expected('whole milliseconds')
      offsetMs = sign * (given % lengthMs)
    }
    reader.demand(')')
    return { lengthMs, offsetMs }
  }

  #fill(): Fill | undefined {
    const reader = this.#reader
    if (!reader.words('fill')) return undefined
    reader.demand('(')
    const fill = this.#filling()
    reader.demand(')')
    return fill
  }

  #filling(): Fill {
    const kind = (['null', 'none', 'previous'] as const).find((word) => this.#reader.words(word))
    if (kind !== undefined) return { kind }
    const value = this.#reader.number()
    if (value === null) throw this.#reader.expected('null, none, previous or a number')
    return { kind: 'value', value }
  }

  #orderBy(): boolean {
    const reader = this.#reader
    if (!reader.words('order', 'by')) return false
    reader.demandWords('time')
    if (reader.words('desc')) return true
    reader.words('asc')
    return false
  }

  #count(word: string): number | null {
    if (!this.#reader.words(word)) return null
    const digits = this.#reader.digits()
    if (digits === null) throw this.#reader.expected('a number')
    return Math.min(Number(digits), Number.MAX_SAFE_INTEGER)
  }

  #timeZone(): string {
    const reader = this.#reader
    if (!reader.words('tz')) return 'UTC'
    reader.demand('(')
    const zone = reader.string()
    if (zone === null || !IANAZone.isValidZone(zone))
      throw reader.expected('a time zone such as Europe/Berlin')
    reader.demand(')')
    return zone
  }
}

function fieldOf(name: string): FieldName {
  const field = fieldNames.find((one) => one === name)
  if (field === undefined)
    throw new QueryError(`there is no field ${name}; there are ${fieldNames.join(', ')}`)
  return field
}

/** Columns with the same name are numbered: `mean`, `mean_1`. */
function withOwnNames(columns: readonly Column[]): Column[] {
  const taken = new Set<string>(['time'])
  return columns.map((column) => {
    let as = column.as
    for (let number = 1; taken.has(as); number++) as = `${column.as}_${number}`
    taken.add(as)
    return { ...column, as }
  })
}

/** A UTC time in InfluxQL syntax: a date, a date and a time, or RFC 3339. */
function timeOf(text: string): number {
  const form =
    /^(\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d:\d\d(?:\.\d{1,9})?)(Z|[+-]\d\d:\d\d)?)?$/.exec(text) ?? undefined
  const [, date, time = '00:00:00', zone = 'Z'] = form ?? []
  const ms = date === undefined ? Number.NaN : Date.parse(`${date}T${time}${zone}`)
  if (Number.isNaN(ms)) throw new QueryError(`"${text.slice(0, 40)}" is no time such as 2026-05-04T10:00:00Z`)
  return ms
}

/** Time conditions apply to the whole statement, so they can only be combined with AND. */
function divide(condition: Condition): Where {
  const times: TimeCondition[] = []
  const tags: TagCondition[] = []
  const visit = (each: Condition): void => {
    if (each.kind === 'time') times.push(each.time)
    else if (each.kind === 'and') for (const one of each.of) visit(one)
    else tags.push(tagsOf(each))
  }
  visit(condition)
  const [first] = tags
  if (first === undefined) return { tags: null, times }
  return { tags: tags.length === 1 ? first : { kind: 'and', of: tags }, times }
}

function tagsOf(condition: Condition): TagCondition {
  switch (condition.kind) {
    case 'tag':
      return condition.tag
    case 'time':
      throw new QueryError('a condition on time cannot be part of an OR')
    default:
      return { kind: condition.kind, of: condition.of.map(tagsOf) }
  }
}
