import type { Condition, Operand } from '@leitstand/contract/rules'
import type { Issue } from '../types.ts'
import { conditionKind } from './index.ts'

/** Maximum depth and number of nodes of a condition tree, and of those that remember something. */
export const conditionLimits = { depthMax: 12, nodesMax: 200, rememberingMax: 20 } as const

/** Checks a tree against its limits and the defined metrics. */
export function checkConditions(conditions: Condition, aliases: ReadonlySet<string>): Issue[] {
  const { depthMax, nodesMax, rememberingMax } = conditionLimits
  const issues: Issue[] = []
  let nodes = 0
  let deepest = 0
  let remembering = 0
  const visit = (condition: Condition, path: string[], depth: number): void => {
    nodes++
    deepest = Math.max(deepest, depth)
    if (nodes > nodesMax || depth > depthMax) return
    const kind = conditionKind(condition)
    if (kind.remembers !== undefined) remembering++
    for (const issue of kind.check?.(condition) ?? []) {
      issues.push({ ...issue, path: [...path, ...issue.path] })
    }
    for (const { path: at, part } of kind.operands(condition)) {
      issues.push(...checkOperand(part, aliases, [...path, ...at]))
    }
    for (const { path: at, part } of kind.conditions(condition)) visit(part, [...path, ...at], depth + 1)
  }
  visit(conditions, ['conditions'], 1)
  if (nodes > nodesMax || deepest > depthMax) {
    issues.push({ path: ['conditions'], message: `at most ${nodesMax} nodes and ${depthMax} levels` })
  }
  if (remembering > rememberingMax) {
    issues.push({ path: ['conditions'], message: `at most ${rememberingMax} that look back` })
  }
  return issues
}

export function checkOperand(operand: Operand, aliases: ReadonlySet<string>, path: string[]): Issue[] {
  if (!('metric' in operand) || aliases.has(operand.metric)) return []
  return [{ path, message: `there is no metric ${operand.metric}` }]
}
