import type { Branch, Condition, RuleAction, ruleResults } from '@leitstand/contract/rules'
import { type Effect, runActions } from './actions/index.ts'
import { evaluate } from './conditions/evaluate.ts'
import type { Inputs } from './conditions/types.ts'

export type RuleResult = (typeof ruleResults)[number]

/** The fields of a rule that a step needs. */
export interface StepRule {
  title: string
  twinTitle: string
  timeZone: string
  /** of the states that the metrics show in texts, by alias */
  decimals: ReadonlyMap<string, number>
  conditions: Condition
  throttleHours: number
  actions: readonly RuleAction[]
}

/** What a rule stores between evaluations. */
export interface RuleState {
  lastFiredAt: Date | null
}

/**
 * Input of an evaluation: the values by alias, the metric that aborted it because it had no value, or an
 * error.
 */
export type StepInput =
  | { kind: 'values'; inputs: Inputs }
  | { kind: 'aborted'; inputs: Inputs; alias: string }
  | { kind: 'error'; inputs: Inputs; code: 'SCRIPT_ERROR' | 'VALIDATION_ERROR'; message: string }

export interface Step {
  result: RuleResult
  /** null when the conditions were not evaluated */
  branch: Branch | null
  error: string | null
  effects: Effect[]
  state: RuleState
}

const msPerHour = 3_600_000

/**
 * One evaluation of a rule, pure.
 *
 * The throttle counts from the last time the rule fired and suppresses messages. Lasting actions, such as an
 * alarm, are states: they hold while the conditions are met, throttled or not, and end when they no longer
 * are. If the conditions could not be evaluated (aborted, error), they stay unchanged.
 * @param at time of the evaluation
 */
export function step(rule: StepRule, state: RuleState, input: StepInput, at: Date): Step {
  if (input.kind === 'aborted') {
    return { result: 'aborted', branch: null, error: `no value for ${input.alias}`, effects: [], state }
  }
  if (input.kind === 'error') {
    return { result: 'error', branch: null, error: input.message, effects: [], state }
  }
  const branch = evaluate(rule.conditions, input.inputs)
  const { title: ruleTitle, twinTitle, timeZone, decimals, actions } = rule
  const moment = { ruleTitle, twinTitle, timeZone, decimals, at, inputs: input.inputs, met: branch.met }
  const lasting = runActions(actions, 'lasting', moment)
  if (!branch.met) return { result: 'not_met', branch, error: null, effects: lasting, state }
  if (isThrottled(rule.throttleHours, state.lastFiredAt, at)) {
    return { result: 'throttled', branch, error: null, effects: lasting, state }
  }
  const effects = [...lasting, ...runActions(actions, 'messages', moment)]
  return { result: 'fired', branch, error: null, effects, state: { lastFiredAt: at } }
}

/** Whether a rule that fired at `lastFiredAt` is still throttled; 0 hours never throttle. */
export function isThrottled(throttleHours: number, lastFiredAt: Date | null, at: Date): boolean {
  if (throttleHours <= 0 || lastFiredAt === null) return false
  return at.getTime() - lastFiredAt.getTime() < throttleHours * msPerHour
}
