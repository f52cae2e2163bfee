import { recordEffects } from './actions/index.ts'
import type { Step, StepInput } from './step.ts'
import { isQuiet, type NewExecution, type RunRule } from './store/pipeline.ts'
import type { Wake } from './wakes.ts'

/** One completed evaluation. */
export interface RuleRun {
  rule: RunRule
  wake: Wake
  input: StepInput
  outcome: Step
  durationUs: number
}

/**
 * The executions to record for a batch of evaluations: of the quiet ones only the last of each kind per rule and twin.
 * @param runs in the order they happened
 */
export function collectRuns(runs: readonly RuleRun[]): NewExecution[] {
  const lastQuiet = new Map<string, RuleRun>()
  for (const run of runs) {
    if (isQuiet(run.outcome.result))
      lastQuiet.set(`${run.rule.id} ${run.rule.twinId} ${run.outcome.result}`, run)
  }
  const kept = new Set(lastQuiet.values())
  return runs
    .filter((run) => !isQuiet(run.outcome.result) || kept.has(run))
    .map((run) => ({
      ruleId: run.rule.id,
      twinId: run.rule.twinId,
      eventId: run.wake.eventId,
      at: run.wake.at,
      result: run.outcome.result,
      inputs: run.input.inputs,
      branch: run.outcome.branch,
      actions: recordEffects(run.outcome.effects),
      error: run.outcome.error,
      durationUs: run.durationUs,
      cause: run.wake.cause,
      woken: run.wake.woken ?? null,
    }))
}
