import type { TraceStep } from '@leitstand/contract/traces'

/** A step with the steps that follow from it. */
export interface Node {
  step: TraceStep
  next: Node[]
}

/** The steps as a tree; the first of `steps` are before those that follow from them. */
export function treeOf(steps: readonly TraceStep[]): Node[] {
  const nodes = new Map<string, Node>()
  const roots: Node[] = []
  for (const step of steps) {
    const node: Node = { step, next: [] }
    nodes.set(step.key, node)
    const before = step.after === null ? undefined : nodes.get(step.after)
    if (before === undefined) roots.push(node)
    else before.next.push(node)
  }
  return roots
}

/** The steps one below the other until they fork, and the branches there. */
export function lineOf(first: Node): { line: TraceStep[]; branches: Node[] } {
  const line = [first.step]
  let { next } = first
  for (let [only] = next; only !== undefined && next.length === 1; [only] = next) {
    line.push(only.step)
    next = only.next
  }
  return { line, branches: next }
}
