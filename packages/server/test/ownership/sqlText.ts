/** Use of a table in a piece of SQL. `table` is `dynamic` if its name is computed at run time. */
export interface TableUse {
  table: string
  writes: boolean
}

/** Placeholder for an interpolation: a character that SQL does not use. */
export const hole = '§'

/** A name that is only partly known, or not at all: `state_rollups_` and a hole. */
export const isDynamic = (name: string) => name.includes(hole)

/** Before `update`, these make it a lock, part of `on conflict`, or a trigger event. */
const noUpdate = new Set(['for', 'key', 'do', 'on', 'or', 'after', 'before'])
const beforeTable = new Set(['only', 'table', 'if', 'exists', 'lateral'])
const endsAlias = new Set([
  'where',
  'join',
  'left',
  'right',
  'inner',
  'cross',
  'on',
  'order',
  'group',
  'limit',
])

const token = /--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|"([^"]+)"|([a-z_§][\w§]*)|[.,();]/giu

/** Words in lower case and punctuation, without comments and literals. */
function tokensOf(sql: string): string[] {
  return [...sql.matchAll(token)].flatMap(([text, quoted, word]) => {
    if (quoted !== undefined) return [quoted]
    if (word !== undefined) return [word.toLowerCase()]
    return /^(--|\/\*|')/.test(text) ? [] : [text]
  })
}

class Reader {
  readonly uses: TableUse[] = []
  readonly called: string[] = []
  readonly #tokens: string[]

  constructor(sql: string) {
    this.#tokens = tokensOf(sql)
    for (const [at, word] of this.#tokens.entries()) this.#read(word, at)
  }

  #at(index: number): string {
    return this.#tokens[index] ?? ''
  }

  #read(word: string, at: number): void {
    const next = this.#at(at + 1)
    const follows = (expected: string) => next === expected
    if ((word === 'insert' || word === 'merge') && follows('into')) this.#table(at + 2, true)
    else if (word === 'delete' && follows('from')) this.#table(at + 2, true)
    else if (word === 'update' && !noUpdate.has(this.#at(at - 1))) this.#update(at + 1)
    else if (word === 'truncate') this.#list(at + 1, true)
    else if ((word === 'alter' || word === 'drop') && follows('table')) this.#list(at + 2, true)
    else if (word === 'copy') this.#copy(at + 1)
    else if (word === 'from' && this.#at(at - 1) !== 'delete') this.#list(at + 1, false)
    else if (word === 'join' || word === 'using') this.#list(at + 1, false)
    else if (follows('(')) this.called.push(word)
  }

  /** Records the table at a position and returns the position after its name. */
  #table(start: number, writes: boolean): number {
    let at = start
    while (beforeTable.has(this.#at(at))) at++
    if (this.#at(at + 1) === '.') at += 2
    const table = this.#at(at) || hole
    if (/^[\w§]/.test(table)) this.uses.push({ table, writes })
    return at + 1
  }

  /** `a, b as c, d e`: the tables after `from`, up to something that is not a table. */
  #list(start: number, writes: boolean): void {
    let at = this.#table(start, writes)
    for (;;) {
      if (this.#at(at) === 'as') at++
      if (/^\w/.test(this.#at(at)) && !endsAlias.has(this.#at(at))) at++
      if (this.#at(at) !== ',') return
      at = this.#table(at + 1, writes)
    }
  }

  /** Only a statement if followed by `set`: an English sentence may contain `update states`. */
  #update(start: number): void {
    let at = start
    while (beforeTable.has(this.#at(at)) || this.#at(at + 1) === '.') at++
    if (this.#at(at) === '.') at++
    const isStatement = [1, 2, 3].some(
      (ahead) => this.#at(at + ahead) === 'set' || isHoleFor(this.#at(at + ahead)),
    )
    if (isStatement) this.#table(at, true)
  }

  #copy(start: number): void {
    let at = start + 1
    while (this.#at(at) !== '' && !['from', 'to'].includes(this.#at(at))) at++
    if (this.#at(at) !== '') this.#table(start, this.#at(at) === 'from')
  }
}

/** `update states ${…}`: the interpolation may be the rest of the statement. */
const isHoleFor = (word: string) => word === hole

/**
 * The tables a piece of SQL writes and reads, and the functions it calls. Includes local names, such as those
 * of CTEs.
 */
export function readSql(sql: string): { uses: TableUse[]; called: string[] } {
  const { uses, called } = new Reader(sql)
  return { uses, called }
}

/** A database function: the table uses of its body. */
export interface SqlFunction {
  uses: TableUse[]
  called: string[]
}

/** A trigger: the function it runs when its table changes. */
export interface Trigger {
  table: string
  runs: string
}

/** The functions and triggers after all migrations, in order; a later definition replaces an earlier one. */
export function readMigrations(files: readonly string[]): {
  functions: Map<string, SqlFunction>
  triggers: Trigger[]
} {
  const functions = new Map<string, SqlFunction>()
  const triggers = new Map<string, Trigger>()
  const definition =
    /create (?:or replace )?function (\w+)\s*\([\s\S]*?\sas\s+(\$\w*\$)([\s\S]*?)\2|create (?:or replace )?(?:constraint )?trigger (\w+) [^;]*?\son (\w+)\s[^;]*?execute (?:function|procedure) (\w+)|drop (function|trigger) (?:if exists )?(\w+)/giu
  for (const file of files)
    for (const [, name, , body, trigger, table, runs, dropped, gone = ''] of file
      .replaceAll(/--[^\n]*/g, '')
      .matchAll(definition)) {
      if (name !== undefined && body !== undefined) functions.set(name, readSql(body))
      else if (trigger !== undefined && table !== undefined && runs !== undefined)
        triggers.set(trigger, { table, runs })
      else if (dropped === 'function') functions.delete(gone)
      else triggers.delete(gone)
    }
  return { functions, triggers: [...triggers.values()] }
}
