import { recordEffects } from './actions/index.ts'
import type { RuleResult, Step, StepInput } from './step.ts'
import type { NewExecution, RunRule } from './store/pipeline.ts'
import type { Wake } from './wakes.ts'

/** One completed evaluation. */
export interface RuleRun {
  rule: RunRule
  wake: Wake
  input: StepInput
  outcome: Step
  durationUs: number
}

/** An evaluation that did nothing. */
export type QuietExecution = Omit<NewExecution, 'actions'>

/** Results of which only the last one is kept. */
function isQuiet(result: RuleResult): boolean {
  return result === 'not_met' || result === 'aborted' || result === 'outside_times'
}

/** Of what the last evaluation is kept. */
export const quietKey = ({ ruleId, twinId, result }: Pick<NewExecution, 'ruleId' | 'twinId' | 'result'>) =>
  `${ruleId} ${twinId} ${result}`

/**
 * What to record of a batch of evaluations: those that did something, failed or were throttled, and of the others the last of
 * each result per rule and twin.
 * @param runs in the order they happened
 */
export function collectRuns(runs: readonly RuleRun[]): { kept: NewExecution[]; quiet: QuietExecution[] } {
  const kept: NewExecution[] = []
  const quiet = new Map<string, RuleRun>()
  for (const run of runs) {
    const { result, effects } = run.outcome
    if (isQuiet(result)) {
      const key = quietKey({ ruleId: run.rule.id, twinId: run.rule.twinId, result })
      // The order of the map is that of the last of each.
      quiet.delete(key)
      quiet.set(key, run)
    } else kept.push({ ...executionOf(run), actions: recordEffects(effects) })
  }
  return { kept, quiet: [...quiet.values()].map(executionOf) }
}

function executionOf({ rule, wake, input, outcome, durationUs }: RuleRun): QuietExecution {
  return {
    ruleId: rule.id,
    twinId: rule.twinId,
    eventId: wake.eventId,
    at: wake.at,
    result: outcome.result,
    inputs: input.inputs,
    branch: outcome.branch,
    error: outcome.error,
    durationUs,
    cause: wake.cause,
    woken: wake.woken ?? null,
  }
}
