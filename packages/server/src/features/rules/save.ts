import type { Metric } from '@leitstand/contract/rules'
import type { Context } from '../../platform/context.ts'
import type { Executor } from '../../platform/db/index.ts'
import { AppError } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { toColumns } from '../series/index.ts'
import { lockLinks, requireWrite, stateScopes } from '../twins/index.ts'
import { findLoop, findStates, type RuleFields, type RuleStateRow } from './store/definitions.ts'
import { checkDraft, type Issue } from './validate.ts'

/** Sources whose values the platform computes itself: a value set by a rule would be overwritten at once. */
const computedSources = [
  'aggregate',
  'iothub-aggregate',
  'timeseries-aggregate',
  'virtual-device-aggregate',
  'random',
  'system',
]

/**
 * Compiles the transformers of a draft, at the expense of an account.
 * @throws AppError SCRIPT_SYNTAX, SCRIPT_NO_FUNCTION with the alias and the place
 */
export async function checkScripts(
  scripts: Context['scripts'],
  metrics: readonly Pick<Metric, 'alias' | 'transformer'>[],
  account: number,
): Promise<void> {
  for (const { alias, transformer } of metrics) {
    if (!transformer?.trim()) continue
    const check = await scripts.check({ source: transformer, kind: 'transformer', account })
    if (check.ok) continue
    const { code, message, line, column } = check.error
    const known = code === 'SCRIPT_SYNTAX' || code === 'SCRIPT_NO_FUNCTION' ? code : 'SCRIPT_ERROR'
    throw new AppError(known, { alias, line, column }, `${alias}: ${message}`)
  }
}

/**
 * Checks a draft against itself and against the states it names, as the caller sees them.
 * @param db the transaction of the change: what sets and computes states is locked until its end
 * @param ruleId the rule that is changed; null for a new one
 * @throws AppError DTWIN_STATE_NOT_FOUND for states the caller may not see, NO_PERMISSION for states it may not set,
 *   VALIDATION_ERROR with every other problem
 */
export async function checkRule(
  db: Executor,
  caller: Caller,
  ruleId: number | null,
  fields: RuleFields,
): Promise<void> {
  const triggers = fields.metrics.map(({ stateId }) => stateId)
  const targets = fields.actions.flatMap((action) => (action.kind === 'set-state' ? [action.stateId] : []))
  const states = await findStates(db, [...triggers, ...targets], stateScopes(caller))
  const hidden = [...triggers, ...targets].find((id) => !states.has(id))
  if (hidden !== undefined) throw new AppError('DTWIN_STATE_NOT_FOUND', { stateId: hidden })
  for (const id of targets) {
    const { category, scopeId } = states.get(id) as RuleStateRow
    requireWrite(caller, category, scopeId)
  }

  const issues = [...checkDraft(fields), ...checkTargets(fields, states)]
  if (issues.length === 0 && targets.length > 0) {
    await lockLinks(db)
    const loop = await findLoop(db, ruleId, targets, triggers)
    if (loop.length > 0) {
      const titles = loop.map((id) => states.get(id)?.title ?? String(id)).join(', ')
      issues.push({
        path: ['actions'],
        message: `the state that is set would wake the rule again: ${titles}`,
      })
    }
  }
  refuseIssues(issues)
}

/** @throws AppError VALIDATION_ERROR with the issues, if there are any */
export function refuseIssues(issues: readonly Issue[]): void {
  const first = issues[0]
  if (first) throw new AppError('VALIDATION_ERROR', { issues }, `${first.path.join('.')}: ${first.message}`)
}

/** Checks what a rule sets against the states it sets; all of them are in the map. */
export function checkTargets(
  { actions }: RuleFields,
  states: ReadonlyMap<number, Pick<RuleStateRow, 'title' | 'source' | 'valueType'>>,
): Issue[] {
  const issues: Issue[] = []
  for (const [index, action] of actions.entries()) {
    if (action.kind !== 'set-state') continue
    const state = states.get(action.stateId)
    if (state === undefined) continue
    const path = ['actions', String(index)]
    if (computedSources.includes(state.source)) {
      issues.push({ path: [...path, 'stateId'], message: `${state.title} is computed and cannot be set` })
    }
    if (!('value' in action.value) || action.value.value === null) continue
    if (toColumns(action.value.value, state.valueType) === null) {
      issues.push({ path: [...path, 'value'], message: `not a ${state.valueType}` })
    }
  }
  return issues
}
