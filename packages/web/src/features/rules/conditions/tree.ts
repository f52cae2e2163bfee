import type { Branch, Condition, ConditionOp, Operand } from '@leitstand/contract/rules'
import { conditionKind, conditionKinds, isConditionOp } from './index.ts'
import type { Comparison, ComparisonOp, Words } from './types.ts'

/** Maximum depth and nodes of a tree, and nodes that look back; the server rejects more. */
export const conditionLimits = { depthMax: 12, nodesMax: 200, rememberingMax: 20 } as const

/**
 * Position of a node: the indices of children from the top down. `not` has child 0, `when` has 0 (if) and 1
 * (then).
 */
export type Path = readonly number[]

/** Children of a node in their order. */
export function childrenOf(condition: Condition): readonly Condition[] {
  return conditionKind(condition).children(condition)
}

function withChildren(condition: Condition, children: readonly Condition[]): Condition {
  return conditionKind(condition).withChildren(condition, children) ?? condition
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
 * The tree without the node at `path`. Removing the child of a `not` or `when` removes the node too, as does
 * emptying a group. Null if nothing remains.
 */
export function removeAt(condition: Condition, path: Path): Condition | null {
  const [index, ...rest] = path
  if (index === undefined) return null
  const children: Condition[] = []
  for (const [at, child] of childrenOf(condition).entries()) {
    const kept = at === index ? removeAt(child, rest) : child
    if (kept) children.push(kept)
  }
  return conditionKind(condition).withChildren(condition, children)
}

/** The group at `path` with one more child at its end. */
export function appendAt(condition: Condition, path: Path, child: Condition): Condition {
  const group = nodeAt(condition, path)
  if (!group || conditionKind(group).nested === undefined) return condition
  return replaceAt(condition, path, withChildren(group, [...childrenOf(group), child]))
}

/** A place in a group: before the child at `index`, or behind the last one. */
export interface Gap {
  group: Path
  index: number
}

/** The places that the node at `from` can be moved to, in reading order. */
export function gapsFor(condition: Condition, from: Path, group: Path = []): Gap[] {
  if (isWithin(group, from)) return []
  const children = childrenOf(condition)
  const isList = conditionKind(condition).nested !== undefined
  const inner = children.flatMap((child, index) => [
    ...(isList ? [{ group, index }] : []),
    ...gapsFor(child, from, [...group, index]),
  ])
  return isList ? [...inner, { group, index: children.length }] : inner
}

/** Whether a path is that of a node or below it. */
function isWithin(path: Path, node: Path): boolean {
  return node.every((each, at) => path[at] === each)
}

/** Where a node is in a tree, by identity; null: nowhere. */
export function pathOf(condition: Condition, node: Condition): Path | null {
  if (condition === node) return []
  for (const [index, child] of childrenOf(condition).entries()) {
    const below = pathOf(child, node)
    if (below !== null) return [index, ...below]
  }
  return null
}

/**
 * The tree with the node at `from` moved into a group, before the child at `index`, or behind the last one. A group that is
 * left empty disappears. Unchanged when the group is in the node itself, or no list.
 */
export function moveTo(condition: Condition, from: Path, { group, index }: Gap): Condition {
  const node = nodeAt(condition, from)
  const target = nodeAt(condition, group)
  if (!node || !target || isWithin(group, from) || conditionKind(target).nested === undefined)
    return condition
  const children = childrenOf(target)
  const added = withChildren(target, [...children.slice(0, index), node, ...children.slice(index)])
  // The node itself is one place further down when it follows the new one.
  const depth = group.length
  const follows = isWithin(from, group) && (from[depth] ?? -1) >= index
  const before = follows ? from.map((each, at) => (at === depth ? each + 1 : each)) : from
  return removeAt(replaceAt(condition, group, added), before) ?? condition
}

export function nodeAt(condition: Condition, path: Path): Condition | undefined {
  const [index, ...rest] = path
  if (index === undefined) return condition
  const child = childrenOf(condition)[index]
  return child && nodeAt(child, rest)
}

/**
 * Converts a node to another kind and keeps its content: a comparison moves into the new group, groups change
 * their operator.
 */
export function convert(condition: Condition, op: ConditionOp, fresh: Comparison): Condition {
  const children = childrenOf(condition)
  return conditionKinds[op].convert(condition, children.length > 0 ? children : [condition], fresh)
}

export function countNodes(condition: Condition): number {
  return 1 + childrenOf(condition).reduce((sum, child) => sum + countNodes(child), 0)
}

export function depthOf(condition: Condition): number {
  return 1 + Math.max(0, ...childrenOf(condition).map(depthOf))
}

/** The tree as a list, from the top down. */
function nodesOf(condition: Condition): Condition[] {
  return [condition, ...childrenOf(condition).flatMap(nodesOf)]
}

/** Problems with the nodes themselves: keys below `rules.faults`, each once. */
export function faultsOf(condition: Condition): string[] {
  const nodes = nodesOf(condition)
  const faults = nodes.flatMap((node) => conditionKind(node).fault?.(node) ?? [])
  const remembering = nodes.filter((node) => conditionKind(node).reasons !== undefined).length
  if (remembering > conditionLimits.rememberingMax) faults.push('tooManyLookBack')
  return [...new Set(faults)]
}

/** Distinct aliases used in a tree. */
export function aliasesOf(condition: Condition): string[] {
  const operands = nodesOf(condition).flatMap((node) => conditionKind(node).operands?.(node) ?? [])
  return [...new Set(operands.flatMap((operand) => ('metric' in operand ? [operand.metric] : [])))]
}

/** The tree after a metric was renamed. */
export function renameAlias(condition: Condition, from: string, to: string): Condition {
  const kind = conditionKind(condition)
  const operands = kind.operands?.(condition) ?? []
  const renamed = operands.map(
    (operand): Operand => ('metric' in operand && operand.metric === from ? { metric: to } : operand),
  )
  const own = kind.withOperands?.(condition, renamed) ?? condition
  return withChildren(
    own,
    childrenOf(own).map((child) => renameAlias(child, from, to)),
  )
}

/** A condition in words: `Temperatur ist größer als 30 und (Fenster ist gleich ja oder …)`. */
export function sentence(condition: Condition, words: Words, nested = false): string {
  const inner = (child: Condition) => sentence(child, words, isPart(condition))
  return conditionKind(condition).sentence(condition, words, inner, nested)
}

/** A list with one item is shown as that item. */
function isPart(condition: Condition): boolean {
  return !('conditions' in condition) || condition.conditions.length > 1
}

/** Whether a stored branch matches this condition's structure; otherwise the rule has changed since. */
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
 * The deciding comparisons, as sentences with their values at that time: of an unmet `and` the unmet ones, of
 * a met `or` the met ones, and so on.
 * @param condition the rule's condition if its structure still matches the branch; names the metrics
 */
export function reasons(branch: Branch, condition: Condition | null, words: Words): string[] {
  const known = condition && matches(branch, condition) ? condition : null
  const nodes = known ? childrenOf(known) : []
  const children = (branch.children ?? []).map((child, index) => ({ child, node: nodes[index] ?? null }))
  const { op, met } = branch
  const kind = isConditionOp(op) ? conditionKind({ op }) : null
  const inner = () => {
    const deciding = kind ? kind.decided(branch.children ?? [], met) : (branch.children ?? [])
    return children
      .filter(({ child }) => deciding.includes(child))
      .flatMap(({ child, node }) => reasons(child, node, words))
  }
  if (kind?.reasons) {
    const [first] = nodes
    return [...kind.reasons(branch, first ? sentence(first, words) : null, words, inner(), known)]
  }
  if (branch.children !== undefined) return inner()
  if (op === 'script') return [words.text(met ? 'rules.scriptMet' : 'rules.scriptNotMet')]
  const comparison = known && 'left' in known ? known : null
  const left = words.valued(comparison?.left, branch.left)
  const right = words.valued(comparison?.right, branch.right)
  return [
    met
      ? words.compareWas(op as ComparisonOp, left, right)
      : words.compareNot(op as ComparisonOp, left, right),
  ]
}

/** Parses the API's `branch`, which is untyped JSON. */
export function asBranch(value: unknown): Branch | null {
  if (typeof value !== 'object' || value === null) return null
  const node = value as { op?: unknown; met?: unknown; children?: unknown }
  if (typeof node.op !== 'string' || typeof node.met !== 'boolean') return null
  return value as Branch
}
