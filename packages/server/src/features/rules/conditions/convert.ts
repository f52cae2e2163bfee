import { type Condition, Operand, type RuleConditions } from '@leitstand/contract/rules'
import { type Expression, type Node, parse } from 'acorn'
import { AppError } from '../../../platform/errors.ts'
import { isIdentifier } from '../../../platform/scripts/index.ts'
import { conditionKind } from './index.ts'
import { isScript } from './script.ts'

/** Maximum length of a script that is read or written. */
const scriptLengthMax = 100_000
/** How deep the calls of a script may be nested. */
const depthMax = 100
/** A list longer than this is written on several lines. */
const lineLengthMax = 90

/** Helpers at the end of a script, in this order, with those they call. */
const helpers: Readonly<Record<string, { calls: readonly string[]; source: string }>> = {
  and: {
    calls: [],
    source: `function and(...all) {
  return all.includes(false) ? false : all.includes(null) ? null : true
}`,
  },
  or: {
    calls: [],
    source: `function or(...all) {
  return all.includes(true) ? true : all.includes(null) ? null : false
}`,
  },
  not: {
    calls: [],
    source: `function not(condition) {
  return condition === null ? null : !condition
}`,
  },
  when: {
    calls: ['or', 'not'],
    source: `function when(condition, implies) {
  return or(not(condition), implies)
}`,
  },
  gt: { calls: ['compare'], source: comparisonSource('gt', '>') },
  gte: { calls: ['compare'], source: comparisonSource('gte', '>=') },
  lt: { calls: ['compare'], source: comparisonSource('lt', '<') },
  lte: { calls: ['compare'], source: comparisonSource('lte', '<=') },
  eq: {
    calls: ['compare'],
    source: `function eq(a, b) {
  if (typeof a === 'number' || typeof b === 'number') return compare(a, b, (x, y) => x === y)
  return a === null || typeof a === 'object' || typeof a !== typeof b ? null : a === b
}`,
  },
  none: {
    calls: [],
    source: `function none(a, b) {
  return a === null && b === null
}`,
  },
  compare: {
    calls: [],
    source: `function compare(a, b, test) {
  const isNumber = typeof a === 'number' || typeof b === 'number'
  const fits = (value) => typeof value === 'number' || typeof value === 'boolean'
  return isNumber && fits(a) && fits(b) ? test(Number(a), Number(b)) : null
}`,
  },
}

const note = '// A missing value makes a comparison unknown (null): neither met nor not met.'

function comparisonSource(name: string, operator: string): string {
  return `function ${name}(a, b) {
  return compare(a, b, (x, y) => x ${operator} y)
}`
}

/**
 * The same conditions as a script if they are a tree, and as a tree if they are a script.
 * @throws AppError DDR_CONDITIONS_NOT_CONVERTIBLE with the reason and, of a script, line and column
 */
export function convertConditions(conditions: RuleConditions): RuleConditions {
  return isScript(conditions) ? toTree(conditions.script) : { op: 'script', script: toScript(conditions) }
}

/** Why conditions cannot be converted; the console has a text for each. */
type Reason = 'looksBack' | 'tooLong' | 'syntax' | 'otherForm'

function refuse(reason: Reason, details: object = {}): AppError {
  return new AppError('DDR_CONDITIONS_NOT_CONVERTIBLE', { reason, ...details })
}

/** Readable JavaScript that is met whenever the tree is: calls of helpers, which follow it. */
export function toScript(tree: Condition): string {
  const used = new Set<string>()
  const text = `return ${write(tree, used, '')}`
  const source = [text, '', note, ...neededFor(used).map((name) => helpers[name]?.source ?? '')].join('\n')
  if (source.length > scriptLengthMax) throw refuse('tooLong', { max: scriptLengthMax })
  return source
}

/** Helpers and the ones they call, in the order of the list. */
function neededFor(used: ReadonlySet<string>): string[] {
  const needed = new Set<string>()
  const add = (name: string): void => {
    needed.add(name)
    for (const called of helpers[name]?.calls ?? []) add(called)
  }
  for (const name of used) add(name)
  return Object.keys(helpers).filter((name) => needed.has(name))
}

function write(condition: Condition, used: Set<string>, indent: string): string {
  const kind = conditionKind(condition)
  if (kind.remembers !== undefined) throw refuse('looksBack', { op: condition.op })
  const name = isNothingAsked(condition) ? 'none' : condition.op
  used.add(name)
  const operands = kind.operands(condition).map(({ part }) => writeOperand(part))
  if (operands.length > 0) return `${name}(${operands.join(', ')})`
  const inner = kind.conditions(condition).map(({ part }) => write(part, used, `${indent}  `))
  const line = `${name}(${inner.join(', ')})`
  if (indent.length + line.length <= lineLengthMax && !line.includes('\n')) return line
  return `${name}(\n${inner.map((each) => `${indent}  ${each},\n`).join('')}${indent})`
}

/** `eq` with a constant null asks whether there is a value. */
function isNothingAsked(condition: Condition): boolean {
  return condition.op === 'eq' && [condition.left, condition.right].some(isNull)
}

function isNull(operand: Operand): boolean {
  return 'value' in operand && operand.value === null
}

function writeOperand(operand: Operand): string {
  if ('value' in operand) return Object.is(operand.value, -0) ? '-0' : JSON.stringify(operand.value)
  const { metric } = operand
  return isIdentifier(metric) && helpers[metric] === undefined ? metric : `metrics[${JSON.stringify(metric)}]`
}

/**
 * Reads a script of the form that `toScript` writes; spaces, comments and the order of the helpers may differ.
 */
export function toTree(script: string): Condition {
  if (script.length > scriptLengthMax) throw refuse('tooLong', { max: scriptLengthMax })
  const [first, ...rest] = bodyOf(script)
  if (first?.type !== 'ReturnStatement' || !first.argument) throw otherForm(first)
  const declared = new Set<string>()
  for (const statement of rest) {
    if (statement.type !== 'FunctionDeclaration') throw otherForm(statement)
    const { name } = statement.id
    const known = Object.hasOwn(helpers, name) ? helpers[name]?.source : undefined
    if (script.slice(statement.start, statement.end) !== known) throw otherForm(statement)
    declared.add(name)
  }
  const used = new Set<string>()
  const tree = readCondition(first.argument, used)
  if (neededFor(used).some((name) => !declared.has(name))) throw otherForm(first)
  return tree
}

function bodyOf(script: string) {
  try {
    return parse(script, {
      ecmaVersion: 'latest',
      sourceType: 'script',
      allowReturnOutsideFunction: true,
      locations: true,
    }).body
  } catch (error) {
    // A script that is nested too deeply overflows the stack of the parser.
    if (!(error instanceof SyntaxError)) throw refuse('otherForm', { line: 1, column: 1 })
    const { loc } = error as SyntaxError & { loc?: { line: number; column: number } }
    throw refuse('syntax', { line: loc?.line, column: (loc?.column ?? 0) + 1 })
  }
}

function otherForm(node: Node | undefined): AppError {
  const { line, column } = node?.loc?.start ?? { line: 1, column: 0 }
  return refuse('otherForm', { line, column: column + 1 })
}

function readCondition(node: Expression, used: Set<string>, depth = 1): Condition {
  if (depth > depthMax || node.type !== 'CallExpression' || node.callee.type !== 'Identifier')
    throw otherForm(node)
  const { name } = node.callee
  const given: Expression[] = []
  for (const argument of node.arguments) {
    if (argument.type === 'SpreadElement') throw otherForm(argument)
    given.push(argument)
  }
  used.add(name)
  const inner = (each: Expression) => readCondition(each, used, depth + 1)
  const [first, second] = given
  if (name === 'and' || name === 'or') {
    if (given.length === 0) throw otherForm(node)
    return { op: name, conditions: given.map(inner) }
  }
  if (name === 'not' && first && given.length === 1) return { op: name, condition: inner(first) }
  if (!first || !second || given.length !== 2) throw otherForm(node)
  if (name === 'when') {
    return { op: name, condition: inner(first), implies: inner(second) }
  }
  const sides = { left: readOperand(first), right: readOperand(second) }
  const asksForNothing = isNull(sides.left) || isNull(sides.right)
  if (name === 'none' && asksForNothing) return { op: 'eq', ...sides }
  // In a tree, `eq` with null is what `none` is in a script.
  if (name === 'eq' && !asksForNothing) return { op: name, ...sides }
  if (name === 'gt' || name === 'gte' || name === 'lt' || name === 'lte') return { op: name, ...sides }
  throw otherForm(node)
}

function readOperand(node: Expression): Operand {
  const operand = Operand.safeParse(operandOf(node))
  if (!operand.success) throw otherForm(node)
  return operand.data
}

function operandOf(node: Expression): unknown {
  if (node.type === 'Identifier') {
    return isIdentifier(node.name) && !Object.hasOwn(helpers, node.name) ? { metric: node.name } : undefined
  }
  if (node.type === 'MemberExpression') {
    const { object, property, computed } = node
    const isOfMetrics = object.type === 'Identifier' && object.name === 'metrics'
    if (!isOfMetrics || !computed || property.type !== 'Literal') return undefined
    return { metric: property.value }
  }
  if (node.type === 'UnaryExpression' && node.operator === '-') {
    const { argument } = node
    return argument.type === 'Literal' && typeof argument.value === 'number'
      ? { value: -argument.value }
      : undefined
  }
  return node.type === 'Literal' ? { value: node.value } : undefined
}
