import type { Calculated } from '@leitstand/contract/parsers'
import { type Expression, type Node, parse, parseExpressionAt } from 'acorn'
import { AppError } from '../../../platform/errors.ts'
import { analyse } from '../../../platform/scripts/index.ts'

/** A calculated variable that is read: what it needs and how it is called. */
export interface Formula {
  key: string
  expression: string
  /** outermost names that are variables or begin the name of one (`air` of `air.temperature`) */
  roots: string[]
  /** what is written with dots from a root on, e.g. `air.temperature.toFixed`; a variable is one of its beginnings */
  chains: string[]
  /** the same of names behind `variables`, which may be missing */
  asked: string[]
}

/** Names available to expressions besides the packet's variables. */
export const given = ['variables', 'meta', 'fPort', 'time'] as const
const globals = new Set(
  (
    'Math Number String Boolean Array Object JSON Date BigInt RegExp Map Set Buffer _ ' +
    'parseInt parseFloat isNaN isFinite undefined NaN Infinity'
  ).split(' '),
)

type AnyNode = Node & Readonly<Record<string, unknown>>

/**
 * Reads calculated variables and puts them in an order in which each comes after those it needs.
 * @throws AppError CALCULATED_INVALID with `field`, `key`, `line`, `column`; CALCULATED_CYCLE with `keys`
 */
export function readFormulas(calculated: readonly Calculated[]): Formula[] {
  const formulas = calculated.map(readFormula)
  const byKey = new Map(formulas.map((formula) => [formula.key, formula]))
  const sorted: Formula[] = []
  const done = new Set<string>()
  const visit = (formula: Formula, above: readonly string[]): void => {
    if (done.has(formula.key)) return
    const begun = above.indexOf(formula.key)
    if (begun >= 0) {
      const keys = [...above.slice(begun), formula.key]
      const way = keys.join(' → ')
      throw new AppError(
        'CALCULATED_CYCLE',
        { keys, way },
        `The calculated variables need each other: ${way}`,
      )
    }
    for (const chain of [...formula.chains, ...formula.asked]) {
      for (const name of beginnings(chain)) {
        const needed = byKey.get(name)
        if (needed) visit(needed, [...above, formula.key])
      }
    }
    done.add(formula.key)
    sorted.push(formula)
  }
  for (const formula of formulas) visit(formula, [])
  return sorted
}

/** `a.b.c` → `a`, `a.b`, `a.b.c`. */
function beginnings(chain: string): string[] {
  const parts = chain.split('.')
  return parts.map((_part, index) => parts.slice(0, index + 1).join('.'))
}

function readFormula({ key, expression }: Calculated, index: number): Formula {
  const tree = parseOne(key, expression, index)
  const free = analyse(`(\n${expression}\n)`)?.free ?? new Set<string>()
  const chains = new Set<string>()
  const asked = new Set<string>()
  const roots = new Set<string>()
  const note = (chain: readonly string[]): void => {
    const [root = '', ...rest] = chain
    if (root === 'variables' && rest.length > 0) asked.add(rest.join('.'))
    if (!free.has(root) || globals.has(root) || given.some((name) => name === root)) return
    roots.add(root)
    chains.add(chain.join('.'))
  }
  walk(tree, note)
  return { key, expression, roots: [...roots], chains: [...chains], asked: [...asked] }
}

/** The one expression a text holds; nothing may stand behind it. */
function parseOne(key: string, expression: string, index: number): Expression {
  const refuse = (reason: string, place: object = {}): never => {
    const details = { field: `calculated.${index}.expression`, key, reason, ...place }
    throw new AppError('CALCULATED_INVALID', details, `${key}: ${reason}`)
  }
  try {
    const tree = parseExpressionAt(expression, 0, { ecmaVersion: 'latest', preserveParens: true })
    const rest = expression.slice(tree.end).trim()
    // Comments may follow.
    return isEmpty(rest) ? tree : refuse(`${rest.slice(0, 40)} is too much: one expression is expected`)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    const { line, column } = (error as SyntaxError & { loc?: { line: number; column: number } }).loc ?? {}
    const place = line === undefined || column === undefined ? {} : { line, column: column + 1 }
    return refuse(error.message.replace(/ \(\d+:\d+\)$/, ''), place)
  }
}

function isEmpty(rest: string): boolean {
  try {
    return parse(rest, { ecmaVersion: 'latest' }).body.length === 0
  } catch {
    return false
  }
}

/** Tells every name, with the properties that are written behind it. */
function walk(value: unknown, note: (chain: readonly string[]) => void): void {
  if (Array.isArray(value)) {
    for (const item of value) walk(item, note)
    return
  }
  if (!isNode(value)) return
  const chain = chainOf(value)
  if (chain !== null) {
    note(chain)
    return
  }
  for (const [name, child] of Object.entries(value)) {
    const isName = (name === 'property' || name === 'key') && value.computed !== true
    if (!isName) walk(child, note)
  }
}

/** `a.b['c']` → a, b, c; null for anything else. */
function chainOf(node: AnyNode): string[] | null {
  if (node.type === 'Identifier') return [String(node.name)]
  if (node.type === 'ChainExpression' && isNode(node.expression)) return chainOf(node.expression)
  if (node.type !== 'MemberExpression' || !isNode(node.object) || !isNode(node.property)) return null
  const { property } = node
  const name =
    node.computed !== true
      ? String(property.name)
      : typeof property.value === 'string'
        ? property.value
        : undefined
  const before = chainOf(node.object)
  return before === null || name === undefined ? null : [...before, name]
}

function isNode(value: unknown): value is AnyNode {
  return typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string'
}
