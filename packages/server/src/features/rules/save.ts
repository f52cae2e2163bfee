import type { Metric, RuleAction, RuleConditions, TemplateRuleAction } from '@leitstand/contract/rules'
import type { Context } from '../../platform/context.ts'
import type { Executor } from '../../platform/db/index.ts'
import { AppError } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/caller.ts'
import type { ScriptError } from '../../platform/scripts/index.ts'
import { lockLinks, readScopes, requireWrite, stateScopes } from '../twins/index.ts'
import { actionScripts, checkActionStates, startedRulesOf } from './actions/index.ts'
import { isScript } from './conditions/script.ts'
import { fenceIssues } from './fences/check.ts'
import { refuseIssues } from './issues.ts'
import {
  findLoop,
  findRule,
  findStates,
  isWatched,
  type LoopEnds,
  type RuleFields,
  type RuleStateRow,
} from './store/definitions.ts'
import { wakingStatesOf, watchedRulesOf } from './triggers/index.ts'
import { targetsOf, usesOfRule } from './uses.ts'
import { checkDraft } from './validate.ts'

/**
 * Compiles the transformers of a draft and the scripts of its actions, charged to an account.
 * @throws AppError SCRIPT_SYNTAX, SCRIPT_NO_FUNCTION with the alias or the index of the action, and the position
 */
export async function checkScripts(
  scripts: Context['scripts'],
  metrics: readonly Pick<Metric, 'alias' | 'transformer'>[],
  account: number,
  actions: readonly (RuleAction | TemplateRuleAction)[] = [],
): Promise<void> {
  for (const { alias, transformer } of metrics) {
    if (!transformer?.trim()) continue
    await checkScript(scripts, { source: transformer, kind: 'transformer', account }, { alias })
  }
  const parameters = metrics.map(({ alias }) => alias)
  for (const { index, script: source } of actionScripts(actions))
    await checkScript(scripts, { source, kind: 'value', account, parameters }, { action: index })
}

async function checkScript(
  scripts: Context['scripts'],
  script: Parameters<Context['scripts']['check']>[0],
  place: { alias: string } | { action: number },
): Promise<void> {
  const check = await scripts.check(script)
  if (check.ok) return
  const name = 'alias' in place ? place.alias : `actions.${place.action}`
  throw refusedScript(check.error, name, place)
}

/**
 * Compiles conditions that are a script, charged to an account.
 * @throws AppError SCRIPT_SYNTAX with the position
 */
export async function checkConditionScript(
  scripts: Context['scripts'],
  { conditions, metrics }: { conditions: RuleConditions; metrics: readonly Pick<Metric, 'alias'>[] },
  account: number,
): Promise<void> {
  if (!isScript(conditions)) return
  const parameters = metrics.map(({ alias }) => alias)
  const check = await scripts.check({ source: conditions.script, kind: 'condition', parameters, account })
  if (!check.ok) throw refusedScript(check.error, 'conditions', { alias: 'conditions', field: 'conditions' })
}

function refusedScript(
  { code, message, line, column }: ScriptError,
  name: string,
  place: Readonly<Record<string, string | number>>,
): AppError {
  const known = code === 'SCRIPT_SYNTAX' || code === 'SCRIPT_NO_FUNCTION' ? code : 'SCRIPT_ERROR'
  return new AppError(known, { ...place, line, column }, `${name}: ${message}`)
}

/**
 * Validates a draft, and checks it against the states it refers to as the caller sees them.
 * @param db the transaction of the change: rules and aggregates that set states are locked until its end
 * @param ruleId the rule being changed; null for a new one
 * @throws AppError DTWIN_STATE_NOT_FOUND for states the caller may not see, NO_PERMISSION for states it may
 * not set, VALIDATION_ERROR with every other problem
 */
export async function checkRule(
  db: Executor,
  caller: Caller,
  ruleId: number | null,
  fields: RuleFields,
): Promise<void> {
  const named = usesOfRule(fields).flatMap(({ kind, id }) => (kind === 'state' ? [id] : []))
  const targets = targetsOf(fields.actions)
  const states = await findStates(db, named, stateScopes(caller))
  const hidden = named.find((id) => !states.has(id))
  if (hidden !== undefined) throw new AppError('DTWIN_STATE_NOT_FOUND', { stateId: hidden })
  for (const id of targets) {
    const { category, scopeId } = states.get(id) as RuleStateRow
    requireWrite(caller, category, scopeId)
  }

  const issues = [...checkDraft(fields), ...checkActionStates(fields.actions, states)]
  const watched = watchedRulesOf(fields)
  for (const id of watched) {
    if ((await findRule(db, id, readScopes(caller, 'digitalTwin'))) === undefined)
      throw new AppError('DDR_NOT_FOUND', { id })
  }
  issues.push(...(await fenceIssues(db, caller, fields)))
  const started = startedRulesOf(fields.actions)
  const wakesOthers =
    targets.length > 0 || started.length > 0 || (ruleId !== null && (await isWatched(db, ruleId)))
  if (issues.length === 0 && wakesOthers) {
    await lockLinks(db)
    const loop = await findLoop(db, ruleId, { states: targets, rules: started }, endsOf(fields))
    if (isLoop(loop)) {
      const titles = loop.states.map((id) => states.get(id)?.title ?? String(id)).join(', ')
      issues.push({
        path: ['actions'],
        message: `the rule would wake itself again: ${titles}`,
        ...(titles === '' ? { text: 'rulesLoop' } : { text: 'ruleLoop', params: { states: titles } }),
      })
    }
  }
  refuseIssues(issues)
}

/** @throws AppError AGGREGATE_LOOP */
export async function requireStraight(
  tx: Executor,
  ruleId: number | null,
  fields: RuleFields,
): Promise<void> {
  const begins = { states: targetsOf(fields.actions), rules: startedRulesOf(fields.actions) }
  const loop = await findLoop(tx, ruleId, begins, endsOf(fields))
  if (isLoop(loop)) throw new AppError('AGGREGATE_LOOP')
}

function endsOf(fields: RuleFields): LoopEnds {
  return { states: wakingStatesOf(fields), rules: watchedRulesOf(fields) }
}

function isLoop({ states, rules }: LoopEnds): boolean {
  return states.length > 0 || rules.length > 0
}
