import type { Branch, Condition, Operand } from '@leitstand/contract/rules'

export type Comparison = Extract<Condition, { left: Operand }>
export type ComparisonOp = Comparison['op']
export type GroupOp = 'and' | 'or'

export const comparisonOps: readonly ComparisonOp[] = ['gt', 'gte', 'lt', 'lte', 'eq']

/** Depth and nodes a tree may have; the server refuses more. */
export const conditionLimits = { depthMax: 12, nodesMax: 200 } as const

/** Where a node is: the indices of children from the top down. `not` has child 0, `when` has 0 (if) and 1 (then). */
export type Path = readonly number[]

/** Children of a node in their order. */
export function childrenOf(condition: Condition): readonly Condition[] {
  if ('conditions' in condition) return condition.conditions
  if (condition.op === 'not') return [condition.condition]
  if (condition.op === 'when') return [condition.condition, condition.implies]
  return []
}

function withChildren(condition: Condition, children: Condition[]): Condition {
  if ('conditions' in condition) return { ...condition, conditions: children }
  const [first, second] = children
  if (condition.op === 'not' && first) return { op: 'not', condition: first }
  if (condition.op === 'when' && first && second) return { op: 'when', condition: first, implies: second }
  return condition
}

/** The tree with the node at `path` replaced. */
export function replaceAt(condition: Condition, path: Path, next: Condition): Condition {
  const [index, ...rest] = path
  if (index === undefined) return next
  return withChildren(
    condition,
    childrenOf(condition).map((child, at) => (at === index ? replaceAt(child, rest, next) : child)),
  )
}

/**
 * The tree without the node at `path`. A `not` or `when` goes with its child; of a group that becomes empty nothing is
 * left. Null when nothing remains at all.
 */
export function removeAt(condition: Condition, path: Path): Condition | null {
  const [index, ...rest] = path
  if (index === undefined) return null
  const children: Condition[] = []
  for (const [at, child] of childrenOf(condition).entries()) {
    const kept = at === index ? removeAt(child, rest) : child
    if (kept) children.push(kept)
  }
  if ('conditions' in condition) return children.length > 0 ? { ...condition, conditions: children } : null
  if (condition.op === 'when' && children.length === 1) return children[0] ?? null
  return children.length === childrenOf(condition).length ? withChildren(condition, children) : null
}

/** The group at `path` with one more child at its end. */
export function appendAt(condition: Condition, path: Path, child: Condition): Condition {
  const group = nodeAt(condition, path)
  if (!group || !('conditions' in group)) return condition
  return replaceAt(condition, path, { ...group, conditions: [...group.conditions, child] })
}

export function nodeAt(condition: Condition, path: Path): Condition | undefined {
  const [index, ...rest] = path
  if (index === undefined) return condition
  const child = childrenOf(condition)[index]
  return child && nodeAt(child, rest)
}

/** Turns a node into another kind and keeps what it holds: a comparison goes into the new group, groups change their word. */
export function convert(condition: Condition, op: GroupOp | 'not' | 'when', fresh: Comparison): Condition {
  const children = childrenOf(condition)
  const inner = children.length > 0 ? children : [condition]
  if (op === 'and' || op === 'or') return { op, conditions: [...inner] }
  if (op === 'not') return { op, condition: 'conditions' in condition ? condition : (inner[0] ?? fresh) }
  return { op, condition: inner[0] ?? fresh, implies: inner[1] ?? fresh }
}

export function countNodes(condition: Condition): number {
  return 1 + childrenOf(condition).reduce((sum, child) => sum + countNodes(child), 0)
}

export function depthOf(condition: Condition): number {
  return 1 + Math.max(0, ...childrenOf(condition).map(depthOf))
}

/** Aliases a tree speaks of, each once. */
export function aliasesOf(condition: Condition): string[] {
  const own =
    'left' in condition
      ? [condition.left, condition.right].flatMap((side) => ('metric' in side ? [side.metric] : []))
      : []
  return [...new Set([...own, ...childrenOf(condition).flatMap(aliasesOf)])]
}

/** The tree after a metric was renamed. */
export function renameAlias(condition: Condition, from: string, to: string): Condition {
  if ('left' in condition) {
    const side = (operand: Operand): Operand =>
      'metric' in operand && operand.metric === from ? { metric: to } : operand
    return { ...condition, left: side(condition.left), right: side(condition.right) }
  }
  return withChildren(
    condition,
    childrenOf(condition).map((child) => renameAlias(child, from, to)),
  )
}

/** Words a sentence is made of; the screens take them from the locale files. */
export interface Words {
  compare(op: ComparisonOp, left: string, right: string): string
  /** the same of a past evaluation: "war größer als", "war nicht größer als" */
  compareWas(op: ComparisonOp, left: string, right: string): string
  compareNot(op: ComparisonOp, left: string, right: string): string
  and: string
  or: string
  not(inner: string): string
  when(condition: string, implies: string): string
  operand(operand: Operand): string
  /** a metric with the value it had: "Temperatur (31,2 °C)" */
  valued(operand: Operand | undefined, value: unknown): string
}

/** A condition in words: `Temperatur ist größer als 30 und (Fenster ist gleich ja oder …)`. */
export function sentence(condition: Condition, words: Words, nested = false): string {
  if ('left' in condition)
    return words.compare(condition.op, words.operand(condition.left), words.operand(condition.right))
  if (condition.op === 'not') return words.not(sentence(condition.condition, words, true))
  if (condition.op === 'when')
    return words.when(sentence(condition.condition, words, true), sentence(condition.implies, words, true))
  const parts = condition.conditions.map((child) => sentence(child, words, condition.conditions.length > 1))
  const text = parts.join(` ${condition.op === 'and' ? words.and : words.or} `)
  return nested && parts.length > 1 ? `(${text})` : text
}

/** Whether a kept branch belongs to a condition of this form; else the rule was changed since. */
export function matches(branch: Branch, condition: Condition): boolean {
  if (branch.op !== condition.op) return false
  const nodes = childrenOf(condition)
  const branches = branch.children ?? []
  return (
    nodes.length === branches.length &&
    nodes.every((node, index) => {
      const child = branches[index]
      return child !== undefined && matches(child, node)
    })
  )
}

/**
 * The comparisons that decided the answer, as sentences with the values of that moment: of an `and` that is not met the
 * unmet ones, of an `or` that is met the met ones, and so on.
 * @param condition the rule's condition when it still has the form of the branch; names the metrics
 */
export function reasons(branch: Branch, condition: Condition | null, words: Words): string[] {
  const known = condition && matches(branch, condition) ? condition : null
  const nodes = known ? childrenOf(known) : []
  const children = (branch.children ?? []).map((child, index) => ({ child, node: nodes[index] ?? null }))
  const of = (wanted: typeof children) => wanted.flatMap(({ child, node }) => reasons(child, node, words))
  const { op, met } = branch
  if (op === 'and') return of(met ? children : children.filter(({ child }) => !child.met))
  if (op === 'or') return of(met ? children.filter(({ child }) => child.met) : children)
  if (op === 'not') return of(children)
  if (op === 'when') return of(met ? children.filter(({ child }) => child.met).slice(-1) : children)
  const comparison = known && 'left' in known ? known : null
  const left = words.valued(comparison?.left, branch.left)
  const right = words.valued(comparison?.right, branch.right)
  return [
    met
      ? words.compareWas(op as ComparisonOp, left, right)
      : words.compareNot(op as ComparisonOp, left, right),
  ]
}

/** Reads the `branch` of the API, which is any JSON there. */
export function asBranch(value: unknown): Branch | null {
  if (typeof value !== 'object' || value === null) return null
  const node = value as { op?: unknown; met?: unknown; children?: unknown }
  if (typeof node.op !== 'string' || typeof node.met !== 'boolean') return null
  return value as Branch
}
