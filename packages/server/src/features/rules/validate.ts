import type { Condition, Metric, Operand, RuleAction } from '@leitstand/contract/rules'
import { fixedPlaceholders, placeholdersOf } from './render.ts'

/** What is wrong with a draft, and where: `['metrics', '2', 'alias']`. */
export interface Issue {
  path: string[]
  message: string
}

/** The part of a rule that can be checked by itself. */
export interface RuleDraft {
  metrics: readonly Metric[]
  conditions: Condition
  actions?: readonly RuleAction[]
}

/** Deepest nesting and number of nodes of a condition tree. */
export const conditionLimits = { depthMax: 12, nodesMax: 200 } as const

/** Checks a draft against everything that can be told without the database; all problems at once. */
export function checkDraft(draft: RuleDraft): Issue[] {
  const aliases = new Set(draft.metrics.map(({ alias }) => alias))
  return [
    ...checkMetrics(draft.metrics),
    ...checkConditions(draft.conditions, aliases),
    ...checkActions(draft.actions ?? [], draft.metrics, aliases),
  ]
}

function checkMetrics(metrics: readonly Metric[]): Issue[] {
  const issues: Issue[] = []
  const seen = new Set<string>()
  for (const [index, metric] of metrics.entries()) {
    const path = ['metrics', String(index)]
    if (seen.has(metric.alias)) issues.push({ path: [...path, 'alias'], message: 'alias is used twice' })
    seen.add(metric.alias)
    // `{{time}}` in a text must have one meaning.
    if (metric.alias === 'time') issues.push({ path: [...path, 'alias'], message: 'time is a reserved name' })
    const hasWindow = metric.lastValues !== undefined || metric.lastMinutes !== undefined
    if (metric.operation !== 'latest' && !hasWindow) {
      issues.push({
        path: [...path, 'operation'],
        message: `${metric.operation} needs the last values or the last minutes`,
      })
    }
  }
  return issues
}

function checkConditions(conditions: Condition, aliases: ReadonlySet<string>): Issue[] {
  const issues: Issue[] = []
  let nodes = 0
  const visit = (condition: Condition, path: string[]): void => {
    nodes++
    // 'conditions' and index alternate in the path: two entries are one level.
    if (nodes > conditionLimits.nodesMax || path.length > conditionLimits.depthMax * 2) return
    switch (condition.op) {
      case 'and':
      case 'or':
        for (const [index, child] of condition.conditions.entries()) {
          visit(child, [...path, 'conditions', String(index)])
        }
        return
      case 'not':
        visit(condition.condition, [...path, 'condition', 'not'])
        return
      case 'when':
        visit(condition.condition, [...path, 'condition', 'when'])
        visit(condition.implies, [...path, 'implies', 'when'])
        return
      default:
        for (const side of ['left', 'right'] as const) {
          issues.push(...checkOperand(condition[side], aliases, [...path, side]))
        }
    }
  }
  visit(conditions, ['conditions'])
  if (nodes > conditionLimits.nodesMax || depthOf(conditions) > conditionLimits.depthMax) {
    const { depthMax, nodesMax } = conditionLimits
    issues.push({ path: ['conditions'], message: `at most ${nodesMax} nodes and ${depthMax} levels` })
  }
  return issues
}

function depthOf(condition: Condition): number {
  switch (condition.op) {
    case 'and':
    case 'or':
      return 1 + Math.max(...condition.conditions.map(depthOf))
    case 'not':
      return 1 + depthOf(condition.condition)
    case 'when':
      return 1 + Math.max(depthOf(condition.condition), depthOf(condition.implies))
    default:
      return 1
  }
}

function checkOperand(operand: Operand, aliases: ReadonlySet<string>, path: string[]): Issue[] {
  if (!('metric' in operand) || aliases.has(operand.metric)) return []
  return [{ path, message: `there is no metric ${operand.metric}` }]
}

function checkActions(
  actions: readonly RuleAction[],
  metrics: readonly Metric[],
  aliases: ReadonlySet<string>,
): Issue[] {
  const inputs = new Set(metrics.map(({ stateId }) => stateId))
  const targets = new Set<number>()
  const issues: Issue[] = []
  let alarms = 0
  for (const [index, action] of actions.entries()) {
    const path = ['actions', String(index)]
    if (action.kind === 'email') {
      issues.push(...checkText(action.subject, aliases, [...path, 'subject']))
      issues.push(...checkText(action.body, aliases, [...path, 'body']))
    }
    if (action.kind === 'alarm') {
      if (++alarms > 1) issues.push({ path, message: 'a rule raises one alarm' })
      issues.push(...checkText(action.message, aliases, [...path, 'message']))
    }
    if (action.kind === 'set-state') {
      issues.push(...checkOperand(action.value, aliases, [...path, 'value']))
      if ('value' in action.value && action.value.value === null) {
        issues.push({ path: [...path, 'value'], message: 'a value is needed' })
      }
      if (inputs.has(action.stateId)) {
        issues.push({ path: [...path, 'stateId'], message: 'the rule would set a state it is woken by' })
      }
      if (targets.has(action.stateId)) {
        issues.push({ path: [...path, 'stateId'], message: 'the state is set twice' })
      }
      targets.add(action.stateId)
    }
  }
  return issues
}

function checkText(text: string, aliases: ReadonlySet<string>, path: string[]): Issue[] {
  const known = new Set<string>([...aliases, ...fixedPlaceholders])
  return placeholdersOf(text)
    .filter((name) => !known.has(name))
    .map((name) => ({ path, message: `there is nothing called {{${name}}}` }))
}
