import type { Branch, Metric, RuleAction, RuleConditions, ruleResults } from '@leitstand/contract/rules'
import { type Effect, runActions } from './actions/index.ts'
import { type Evaluation, evaluate, type Memory, noMemory } from './conditions/evaluate.ts'
import { isScript, scriptBranch } from './conditions/script.ts'
import type { Inputs } from './conditions/types.ts'

export type RuleResult = (typeof ruleResults)[number]

/** The fields of a rule that a step needs. */
export interface StepRule {
  title: string
  twinTitle: string
  timeZone: string
  /** of the states that the metrics show in texts, by alias */
  decimals: ReadonlyMap<string, number>
  metrics: readonly Metric[]
  conditions: RuleConditions
  throttleHours: number
  actions: readonly RuleAction[]
}

/** What a rule stores between evaluations. */
export interface RuleState {
  lastFiredAt: Date | null
  /** of its conditions */
  memory: Memory
  /** when it must be evaluated again without a new value; null: not needed */
  dueAt: Date | null
}

/** The state of a rule that was never evaluated. */
export const newState: RuleState = { lastFiredAt: null, memory: {}, dueAt: null }

/**
 * Input of an evaluation: the values by alias, the metric that aborted it because it had no value, or an
 * error. `scriptMet`: what a script instead of a condition tree has answered.
 */
export type StepInput =
  | { kind: 'values'; inputs: Inputs; scriptMet?: boolean }
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

/** The moment of an evaluation. */
export interface Occasion {
  at: Date
  /** no new value: a condition only waited for time to pass */
  recheck?: boolean
}

/**
 * One evaluation of a rule, pure.
 *
 * The throttle counts from the last time the rule fired and suppresses messages. Lasting actions, such as an
 * alarm, are states: they hold while the conditions are met, throttled or not, and end when they no longer
 * are. If the conditions could not be evaluated (aborted, error), they stay unchanged, and so does what the
 * conditions remember.
 */
export function step(
  rule: StepRule,
  before: RuleState,
  input: StepInput,
  { at, recheck = false }: Occasion,
): Step {
  if (input.kind !== 'values') {
    const error = input.kind === 'aborted' ? `no value for ${input.alias}` : input.message
    return { result: input.kind, branch: null, error, effects: [], state: stillDue(before, at) }
  }
  const { lastFiredAt } = before
  const { branch, memory, dueAt } = answer(rule, before.memory, input, { at, recheck })
  const state = { lastFiredAt, memory, dueAt }
  const { title: ruleTitle, twinTitle, timeZone, decimals, actions } = rule
  const moment = { ruleTitle, twinTitle, timeZone, decimals, at, inputs: input.inputs, met: branch.met }
  const lasting = runActions(actions, 'lasting', moment)
  if (!branch.met) return { result: 'not_met', branch, error: null, effects: lasting, state }
  if (isThrottled(rule.throttleHours, lastFiredAt, at)) {
    return { result: 'throttled', branch, error: null, effects: lasting, state }
  }
  const effects = [...lasting, ...runActions(actions, 'messages', moment)]
  return { result: 'fired', branch, error: null, effects, state: { ...state, lastFiredAt: at } }
}

function answer(
  { conditions, metrics }: StepRule,
  memory: Memory,
  { inputs, scriptMet = false }: Extract<StepInput, { kind: 'values' }>,
  { at, recheck }: Required<Occasion>,
): Evaluation {
  if (isScript(conditions)) return { branch: scriptBranch(scriptMet), memory: noMemory, dueAt: null }
  return evaluate(conditions, inputs, { metrics, at, recheck, memory })
}

/** After an evaluation that failed: what was due by then is not tried again before the next value. */
function stillDue(state: RuleState, at: Date): RuleState {
  return state.dueAt !== null && state.dueAt <= at ? { ...state, dueAt: null } : state
}

/** Whether a rule that fired at `lastFiredAt` is still throttled; 0 hours never throttle. */
export function isThrottled(throttleHours: number, lastFiredAt: Date | null, at: Date): boolean {
  if (throttleHours <= 0 || lastFiredAt === null) return false
  return at.getTime() - lastFiredAt.getTime() < throttleHours * msPerHour
}
