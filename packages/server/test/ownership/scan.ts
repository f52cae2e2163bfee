import { stripTypeScriptTypes } from 'node:module'
import { type AnyNode, type Expression, parse, type SpreadElement } from 'acorn'
import { hole, isDynamic, readSql, type SqlFunction, type TableUse } from './sqlText.ts'

/** A place in a source that writes or reads a table. */
export interface Access extends TableUse {
  line: number
}

/** The tables of the schema, and the functions of the database by name. */
export interface Schema {
  tables: ReadonlySet<string>
  functions: ReadonlyMap<string, SqlFunction>
}

const kyselyWrites = new Set(['insertInto', 'updateTable', 'deleteFrom', 'mergeInto', 'replaceInto'])
const kyselyReads = new Set(['selectFrom', 'from', 'using', 'innerJoin', 'leftJoin', 'rightJoin', 'fullJoin'])
for (const kind of ['crossJoin', 'innerJoinLateral', 'leftJoinLateral', 'crossJoinLateral'])
  kyselyReads.add(kind)
/** Functions of `sql` that put a name into SQL. */
const namesInSql = new Set(['table', 'ref', 'id', 'raw', 'lit'])
/** A string without the tag `sql` counts as SQL if it begins like a statement. */
const statement =
  /^\s*(\/\*[\s\S]*?\*\/\s*)?(with|select|insert into|update|delete from|merge into|truncate|copy|alter table|drop table)\b/i

/**
 * The tables a module writes and reads: by Kysely's builder and by SQL in templates and strings, including
 * the database functions it calls. A table name computed at run time may be any table named by a string or
 * key of the file; `unknown` if there is none.
 */
export function accessesOf(source: string, schema: Schema): Access[] {
  const scan = new Scan(schema)
  // AST positions match the source: types are replaced by spaces.
  scan.walk(
    parse(stripTypeScriptTypes(source), { ecmaVersion: 'latest', sourceType: 'module', locations: true }),
  )
  return scan.accesses()
}

class Scan {
  readonly #schema: Schema
  readonly #found: Access[] = []
  readonly #named = new Set<string>()

  constructor(schema: Schema) {
    this.#schema = schema
  }

  walk(node: AnyNode): void {
    if (node.type === 'CallExpression') this.#noteCall(node.callee, node.arguments, lineOf(node))
    if (node.type === 'Property') this.#noteName(nameOf(node.key) ?? '')
    const isTagged = node.type === 'TaggedTemplateExpression' && nameOf(node.tag) === 'sql'
    const text = textOf(node.type === 'TaggedTemplateExpression' ? node.quasi : node)
    if (text !== undefined) {
      this.#noteName(text)
      this.#noteSql(text, lineOf(node), isTagged || statement.test(text))
    }
    for (const child of childrenOf(node)) this.walk(child)
  }

  accesses(): Access[] {
    const resolved = this.#found.flatMap((access) => {
      if (!isDynamic(access.table)) return [access]
      return this.#possible(access.table).map((table) => ({ ...access, table }))
    })
    const byKey = new Map(
      resolved.map((access) => [`${access.table} ${access.writes} ${access.line}`, access]),
    )
    return [...byKey.values()].sort((a, b) => a.line - b.line)
  }

  #possible(pattern: string): string[] {
    const fits = new RegExp(`^${pattern.replaceAll(hole, '\\w*')}$`)
    const fitting = [...(pattern === hole ? this.#named : this.#schema.tables)].filter((table) =>
      fits.test(table),
    )
    return fitting.length === 0 ? ['unknown'] : fitting
  }

  #noteName(name: string): void {
    if (this.#schema.tables.has(tableOf(name))) this.#named.add(tableOf(name))
  }

  #noteCall(callee: AnyNode, [first]: (Expression | SpreadElement)[], line: number): void {
    if (callee.type !== 'MemberExpression' || !first) return
    const method = nameOf(callee.property) ?? ''
    const writes = kyselyWrites.has(method)
    if (!writes && !kyselyReads.has(method)) return
    const sources = first.type === 'ArrayExpression' ? first.elements : [first]
    for (const source of sources) {
      const name = source ? textOf(source) : undefined
      if (name !== undefined) this.#note({ table: tableOf(name), writes }, line)
      // For other calls, an unknown name need not be a table: `Array.from(values)`.
      else if (source && (writes || method === 'selectFrom') && !isQuery(source))
        this.#note({ table: hole, writes }, line)
    }
  }

  #noteSql(text: string, line: number, isSql: boolean): void {
    const { uses, called } = readSql(text)
    for (const use of uses) {
      // The source of a read is often another piece of SQL.
      if (use.table === hole && !(isSql && use.writes)) continue
      if (isSql || use.writes) this.#note(use, line + lineBreaks(text.slice(0, placeOf(text, use.table))))
    }
    if (isSql) for (const name of called) this.#noteFunction(name, line)
  }

  #noteFunction(name: string, line: number, seen = new Set<string>()): void {
    const called = this.#schema.functions.get(name)
    if (!called || seen.has(name)) return
    seen.add(name)
    for (const use of called.uses) this.#note(use, line)
    for (const next of called.called) this.#noteFunction(next, line, seen)
  }

  #note(use: TableUse, line: number): void {
    if (isDynamic(use.table) || this.#schema.tables.has(use.table)) this.#found.push({ ...use, line })
  }
}

const lineOf = (node: AnyNode) => node.loc?.start.line ?? 0
const lineBreaks = (text: string) => text.split('\n').length - 1
const placeOf = (text: string, table: string) => Math.max(0, text.toLowerCase().indexOf(table))

/** `public.users as u` → `users` */
const tableOf = (name: string) => name.replace(/^public\./, '').replace(/\s.*$/s, '')

const isQuery = (node: AnyNode) =>
  /Function|CallExpression|TaggedTemplate/.test(node.type) &&
  !(node.type === 'CallExpression' && isTableCall(node))
const isTableCall = (node: { callee: AnyNode }) =>
  node.callee.type === 'MemberExpression' && nameOf(node.callee.property) === 'table'

function nameOf(node: AnyNode): string | undefined {
  if (node.type === 'CallExpression') return nameOf(node.callee)
  return node.type === 'Identifier' || node.type === 'PrivateIdentifier' ? node.name : undefined
}

/**
 * The text of a literal, a template or a concatenation, with holes for unknown parts; undefined: not a
 * string.
 */
function textOf(node: AnyNode): string | undefined {
  if (node.type === 'Literal') return typeof node.value === 'string' ? node.value : undefined
  if (node.type === 'TemplateLiteral')
    return node.quasis
      .map(({ value }, index) => {
        const put = node.expressions[index]
        return (value.cooked ?? value.raw) + (put ? (putIn(put) ?? hole) : '')
      })
      .join('')
  if (node.type !== 'BinaryExpression' || node.operator !== '+') return undefined
  const [left, right] = [textOf(node.left), textOf(node.right)]
  return left === undefined && right === undefined ? undefined : (left ?? hole) + (right ?? hole)
}

/** An interpolated value: a string, or `sql.table('users')`. */
function putIn(node: Expression): string | undefined {
  const [first] = node.type === 'CallExpression' ? node.arguments : []
  const isName =
    node.type === 'CallExpression' &&
    node.callee.type === 'MemberExpression' &&
    namesInSql.has(nameOf(node.callee.property) ?? '')
  return isName && first ? textOf(first) : textOf(node)
}

function childrenOf(node: AnyNode): AnyNode[] {
  return Object.values(node)
    .flat()
    .filter((one: unknown): one is AnyNode => typeof one === 'object' && one !== null && 'type' in one)
}
