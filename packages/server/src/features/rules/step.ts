import type {
  Branch,
  ExecutionTimes,
  Metric,
  RuleAction,
  RuleConditions,
  ruleResults,
} from '@leitstand/contract/rules'
import { type Effect, runActions } from './actions/index.ts'
import { type Evaluation, evaluate, type Memory, noMemory } from './conditions/evaluate.ts'
import { isScript, scriptBranch } from './conditions/script.ts'
import type { Inputs } from './conditions/types.ts'
import { isHoliday } from './executionTimes/holidays.ts'
import { isOpen, nextOpening, searchDaysMax } from './executionTimes/open.ts'

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
  /** null: it runs at any time */
  executionTimes?: ExecutionTimes | null
  throttleHours: number
  actions: readonly RuleAction[]
  /** ids of states of the twin that actions name by key; absent: there are none */
  ownStates?: ReadonlyMap<string, number>
}

const none: ReadonlyMap<string, number> = new Map()

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
 *
 * Outside of its execution times a rule fires nothing and raises nothing, but its conditions go on remembering, and what
 * has ended ends. If they are met when the next time begins, it is evaluated then.
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
  const { title: ruleTitle, twinTitle, timeZone, decimals, actions, ownStates = none } = rule
  const { inputs } = input
  const moment = { ruleTitle, twinTitle, timeZone, decimals, at, inputs, met: branch.met, ownStates }
  const lasting = runActions(actions, 'lasting', moment)
  const opensAt = openingOf(rule, at)
  if (opensAt !== null) {
    const [effects, due] = branch.met ? [[], earlier(dueAt, opensAt)] : [lasting, dueAt]
    return { result: 'outside_times', branch, error: null, effects, state: { ...state, dueAt: due } }
  }
  if (!branch.met) return { result: 'not_met', branch, error: null, effects: lasting, state }
  if (isThrottled(rule.throttleHours, lastFiredAt, at)) {
    return { result: 'throttled', branch, error: null, effects: lasting, state }
  }
  const effects = [...lasting, ...runActions(actions, 'messages', moment)]
  return { result: 'fired', branch, error: null, effects, state: { ...state, lastFiredAt: at } }
}

/** The last opening that was looked for, by the times of a rule: it is the same until it comes. */
const openings = new WeakMap<ExecutionTimes, { timeZone: string; fromMs: number; due: Date }>()

/** When a rule outside of its execution times must be looked at again; null: it is not outside. */
function openingOf({ executionTimes = null, timeZone }: StepRule, at: Date): Date | null {
  if (executionTimes === null) return null
  const { holidays } = executionTimes
  const calendar = {
    timeZone,
    isHoliday: (day: string) => holidays !== null && isHoliday(holidays, day),
  }
  if (isOpen(executionTimes, at, calendar)) return null
  const known = openings.get(executionTimes)
  if (known?.timeZone === timeZone && known.fromMs <= at.getTime() && at < known.due) return known.due
  const latest = new Date(at.getTime() + searchDaysMax * 24 * msPerHour)
  const due = nextOpening(executionTimes, at, calendar) ?? latest
  openings.set(executionTimes, { timeZone, fromMs: at.getTime(), due })
  return due
}

function earlier(one: Date | null, other: Date): Date {
  return one !== null && one < other ? one : other
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
