import type { Executor } from '../../../../platform/db/index.ts'
import type { AlarmChange, AlarmsFeature, NewAlarm } from '../../../alarms/index.ts'
import type { RuleRun } from '../../collect.ts'
import { lockVersions } from '../../store/pipeline.ts'
import { distinctPlaces, type Place, placeKey } from '../../wakes.ts'

/** A change of a rule's alarm on a twin: opened (`raise`) or resolved (null). */
export interface AlarmTurn extends Place {
  at: Date
  raise: NewAlarm | null
}

/**
 * The alarm changes, without consecutive duplicates.
 * @param runs in the order they happened
 */
export function turnsOf(runs: readonly RuleRun[]): AlarmTurn[] {
  const turns: AlarmTurn[] = []
  const open = new Map<string, boolean>()
  for (const run of runs) {
    const turn = turnOf(run)
    if (turn === null || open.get(placeKey(turn)) === (turn.raise !== null)) continue
    open.set(placeKey(turn), turn.raise !== null)
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
    category: effect.raise.category ?? 'unknown',
    severity: effect.raise.severity,
    message: effect.raise.message,
    raisedAt: wake.at,
  }
  return { ruleId: rule.id, twinId: rule.twinId, at: wake.at, raise }
}

/**
 * The changes in rounds: each round has at most one change per rule and twin, and the rounds keep the order of each.
 */
export function alarmRounds(turns: readonly AlarmTurn[]): AlarmTurn[][] {
  const rounds: AlarmTurn[][] = []
  const seen = new Map<string, number>()
  for (const turn of turns) {
    const index = seen.get(placeKey(turn)) ?? 0
    seen.set(placeKey(turn), index + 1)
    const round = rounds[index] ?? []
    rounds[index] = round
    round.push(turn)
  }
  return rounds
}

/**
 * Raises and resolves alarms.
 * @param runs the evaluations that caused the changes
 * @returns alarms to be announced after the commit
 */
export async function turnAlarms(
  tx: Executor,
  alarms: Pick<AlarmsFeature, 'raise' | 'resolve'>,
  turns: readonly AlarmTurn[],
  runs: readonly RuleRun[],
): Promise<AlarmChange[]> {
  const evaluated = new Map(runs.map(({ rule }) => [rule.id, rule.version]))
  const raising = distinctPlaces(turns.filter(({ raise }) => raise !== null))
  // A rule changed since its evaluation, or a twin it has left, has resolved its alarm, or will: do not raise it again.
  const versions = await lockVersions(tx, raising)
  const current = turns.filter(
    (turn) => turn.raise === null || versions.get(placeKey(turn)) === evaluated.get(turn.ruleId),
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
