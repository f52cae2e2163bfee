import type { JsonValue } from '@leitstand/contract/common'
import type { Branch, Condition, RuleAction, ruleResults } from '@leitstand/contract/rules'
import { evaluate, type Inputs, operandValue } from './evaluate.ts'
import { renderLine, renderText } from './render.ts'

export type RuleResult = (typeof ruleResults)[number]

/** What a step needs to know of a rule. */
export interface StepRule {
  title: string
  twinTitle: string
  timeZone: string
  conditions: Condition
  throttleHours: number
  actions: readonly RuleAction[]
}

/** What a rule remembers between evaluations. */
export interface RuleState {
  lastFiredAt: Date | null
}

/** What an evaluation looks at: the values by alias, the metric that stopped it for want of a value, or an error. */
export type StepInput =
  | { kind: 'values'; inputs: Inputs }
  | { kind: 'aborted'; inputs: Inputs; alias: string }
  | { kind: 'error'; inputs: Inputs; code: 'SCRIPT_ERROR' | 'VALIDATION_ERROR'; message: string }

export type Effect =
  | { kind: 'email'; recipients: readonly string[]; subject: string; body: string }
  | { kind: 'set-state'; stateId: number; value: JsonValue }
  | { kind: 'alarm-raise'; severity: 'warning' | 'error'; message: string }
  | { kind: 'alarm-resolve' }

export interface Step {
  result: RuleResult
  /** null when the conditions were not looked at */
  branch: Branch | null
  error: string | null
  effects: Effect[]
  state: RuleState
}

const msPerHour = 3_600_000

/**
 * One evaluation of a rule, pure.
 *
 * The throttle counts from the last time the rule fired and silences mails and set states. An alarm is not a message but
 * a state: it is open while the conditions are met, throttled or not, and resolved when they no longer are. Where the
 * conditions could not be looked at (aborted, error) the alarm stays as it is.
 * @param at moment of the evaluation
 */
export function step(rule: StepRule, state: RuleState, input: StepInput, at: Date): Step {
  if (input.kind === 'aborted') {
    return { result: 'aborted', branch: null, error: `no value for ${input.alias}`, effects: [], state }
  }
  if (input.kind === 'error') {
    return { result: 'error', branch: null, error: input.message, effects: [], state }
  }
  const branch = evaluate(rule.conditions, input.inputs)
  const alarms = alarmEffects(rule, branch.met, input.inputs, at)
  if (!branch.met) return { result: 'not_met', branch, error: null, effects: alarms, state }
  if (isThrottled(rule.throttleHours, state.lastFiredAt, at)) {
    return { result: 'throttled', branch, error: null, effects: alarms, state }
  }
  const effects = [...alarms, ...messageEffects(rule, input.inputs, at)]
  return { result: 'fired', branch, error: null, effects, state: { lastFiredAt: at } }
}

/** Whether a rule that fired at `lastFiredAt` is still silent; 0 hours never silence. */
export function isThrottled(throttleHours: number, lastFiredAt: Date | null, at: Date): boolean {
  if (throttleHours <= 0 || lastFiredAt === null) return false
  return at.getTime() - lastFiredAt.getTime() < throttleHours * msPerHour
}

function alarmEffects(rule: StepRule, met: boolean, inputs: Inputs, at: Date): Effect[] {
  const action = rule.actions.find(({ kind }) => kind === 'alarm')
  if (action?.kind !== 'alarm') return []
  if (!met) return [{ kind: 'alarm-resolve' }]
  const message = renderLine(action.message, { ...rule, ruleTitle: rule.title, inputs, at })
  return [{ kind: 'alarm-raise', severity: action.severity, message }]
}

function messageEffects(rule: StepRule, inputs: Inputs, at: Date): Effect[] {
  const values = { ...rule, ruleTitle: rule.title, inputs, at }
  const effects: Effect[] = []
  for (const action of rule.actions) {
    if (action.kind === 'email') {
      const subject = renderLine(action.subject, values)
      effects.push({
        kind: 'email',
        recipients: action.recipients,
        subject,
        body: renderText(action.body, values),
      })
    }
    if (action.kind === 'set-state') {
      effects.push({ kind: 'set-state', stateId: action.stateId, value: operandValue(action.value, inputs) })
    }
  }
  return effects
}
