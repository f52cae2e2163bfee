import type { NewAlarm } from '../alarms/index.ts'
import type { Wake } from './plan.ts'
import type { Effect, Step, StepInput } from './step.ts'
import { isQuiet, type NewExecution, type RecordedAction, type RunRule } from './store/pipeline.ts'

/** One evaluation that was done. */
export interface RuleRun {
  rule: RunRule
  wake: Wake
  input: StepInput
  outcome: Step
  durationUs: number
}

/** An alarm of a rule opens (`raise`) or is resolved (null). */
export interface AlarmTurn {
  ruleId: number
  at: Date
  raise: NewAlarm | null
}

/**
 * What a piece of evaluations leaves behind: executions to record, of the quiet ones only the last of each kind per
 * rule, and the turns of the alarms, of equal neighbours only the first.
 * @param runs in the order they happened
 */
export function collectRuns(runs: readonly RuleRun[]): { executions: NewExecution[]; turns: AlarmTurn[] } {
  const lastQuiet = new Map<string, RuleRun>()
  const turns: AlarmTurn[] = []
  const open = new Map<number, boolean>()
  for (const run of runs) {
    if (isQuiet(run.outcome.result)) lastQuiet.set(`${run.rule.id} ${run.outcome.result}`, run)
    const turn = turnOf(run)
    if (turn === null || open.get(turn.ruleId) === (turn.raise !== null)) continue
    open.set(turn.ruleId, turn.raise !== null)
    turns.push(turn)
  }
  const kept = new Set(lastQuiet.values())
  const executions = runs
    .filter((run) => !isQuiet(run.outcome.result) || kept.has(run))
    .map(
      (run): NewExecution => ({
        ruleId: run.rule.id,
        eventId: run.wake.eventId,
        at: run.wake.at,
        result: run.outcome.result,
        inputs: run.input.inputs,
        branch: run.outcome.branch,
        actions: run.outcome.effects.flatMap(toAction),
        error: run.outcome.error,
        durationUs: run.durationUs,
      }),
    )
  return { executions, turns }
}

/** The turns in rounds: in each round a rule turns at most once, and the rounds keep each rule's order. */
export function alarmRounds(turns: readonly AlarmTurn[]): AlarmTurn[][] {
  const rounds: AlarmTurn[][] = []
  const seen = new Map<number, number>()
  for (const turn of turns) {
    const index = seen.get(turn.ruleId) ?? 0
    seen.set(turn.ruleId, index + 1)
    const round = rounds[index] ?? []
    rounds[index] = round
    round.push(turn)
  }
  return rounds
}

function turnOf({ rule, wake, outcome }: RuleRun): AlarmTurn | null {
  for (const effect of outcome.effects) {
    if (effect.kind === 'alarm-resolve') return { ruleId: rule.id, at: wake.at, raise: null }
    if (effect.kind === 'alarm-raise') {
      const { severity, message } = effect
      const raise: NewAlarm = {
        ruleId: rule.id,
        twinId: rule.twinId,
        category: 'unknown',
        severity,
        message,
        raisedAt: wake.at,
      }
      return { ruleId: rule.id, at: wake.at, raise }
    }
  }
  return null
}

function toAction(effect: Effect): RecordedAction[] {
  switch (effect.kind) {
    case 'alarm-resolve':
      return []
    case 'alarm-raise':
      return [{ kind: 'alarm', ok: true, detail: effect.message }]
    case 'email':
      return [{ kind: 'email', ok: true, detail: effect.recipients.join(', ') }]
    case 'set-state': {
      const { stateId, value } = effect
      if (value === null) return [{ kind: 'set-state', ok: false, detail: 'no value', stateId }]
      return [{ kind: 'set-state', ok: false, detail: 'waiting', stateId, value, pending: true }]
    }
  }
}
