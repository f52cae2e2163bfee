import type { Executor } from '../../../../platform/db/index.ts'
import type { AlarmChange, AlarmsFeature, NewAlarm } from '../../../alarms/index.ts'
import type { RuleRun } from '../../collect.ts'
import { lockVersions } from '../../store/pipeline.ts'

/** An alarm of a rule opens (`raise`) or is resolved (null). */
export interface AlarmTurn {
  ruleId: number
  at: Date
  raise: NewAlarm | null
}

/**
 * The turns of the alarms, of equal neighbours only the first.
 * @param runs in the order they happened
 */
export function turnsOf(runs: readonly RuleRun[]): AlarmTurn[] {
  const turns: AlarmTurn[] = []
  const open = new Map<number, boolean>()
  for (const run of runs) {
    const turn = turnOf(run)
    if (turn === null || open.get(turn.ruleId) === (turn.raise !== null)) continue
    open.set(turn.ruleId, turn.raise !== null)
    turns.push(turn)
  }
  return turns
}

function turnOf({ rule, wake, outcome }: RuleRun): AlarmTurn | null {
  const effect = outcome.effects.find(({ kind }) => kind === 'alarm')
  if (effect?.kind !== 'alarm') return null
  const raise: NewAlarm | null = effect.raise && {
    ruleId: rule.id,
    twinId: rule.twinId,
    category: 'unknown',
    severity: effect.raise.severity,
    message: effect.raise.message,
    raisedAt: wake.at,
  }
  return { ruleId: rule.id, at: wake.at, raise }
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

/**
 * Raises and resolves alarms.
 * @param runs the evaluations the turns are of
 * @returns what is to be announced after the commit
 */
export async function turnAlarms(
  tx: Executor,
  alarms: Pick<AlarmsFeature, 'raise' | 'resolve'>,
  turns: readonly AlarmTurn[],
  runs: readonly RuleRun[],
): Promise<AlarmChange[]> {
  const evaluated = new Map(runs.map(({ rule }) => [rule.id, rule.version]))
  const raising = turns.flatMap(({ raise }) => (raise ? [raise.ruleId] : []))
  // A rule that was changed since it was evaluated has resolved its alarm, or will: it must not be raised again.
  const versions = await lockVersions(tx, raising)
  const current = turns.filter(
    ({ ruleId, raise }) => raise === null || versions.get(ruleId) === evaluated.get(ruleId),
  )
  const changes: AlarmChange[] = []
  for (const round of alarmRounds(current)) {
    const raised = round.flatMap(({ raise }) => (raise ? [raise] : []))
    const resolved = round.filter(({ raise }) => raise === null)
    changes.push(...(await alarms.resolve(tx, resolved)))
    changes.push(...(await alarms.raise(tx, raised)))
  }
  return changes
}
