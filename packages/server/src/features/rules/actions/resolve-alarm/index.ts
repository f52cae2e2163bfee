import type { ResolveAlarmAction } from '@leitstand/contract/rules/actions/resolve-alarm'
import { readOthers } from '../../store/others.ts'
import { placeKey } from '../../wakes.ts'
import { requireNamedRules } from '../named.ts'
import type { ActionKind } from '../types.ts'

export interface ResolveAlarmEffect {
  kind: 'resolve-alarm'
  /** null: the rule itself */
  ruleId: number | null
}

export const resolveAlarm: ActionKind<ResolveAlarmAction, ResolveAlarmAction, ResolveAlarmEffect> = {
  isLasting: false,
  setsState: false,
  check: ({ ruleId }, { earlier }) =>
    ruleId === null && earlier.some(({ kind }) => kind === 'alarm')
      ? [{ path: ['ruleId'], message: 'the rule would resolve the alarm it raises' }]
      : [],
  checkStates: () => [],
  uses: () => [],
  texts: () => [],
  withStates: (action) => action,
  withOwnStates: (action) => action,
  stateKeys: () => [],
  run: ({ kind, ruleId }) => ({ kind, ruleId }),
  record: ({ kind }) => ({ kind, ok: true, detail: '' }),
  create: ({ alarms }) => ({
    // Alarms may be resolved by those who may change the rule that raises them.
    saved: (tx, by, actions) =>
      requireNamedRules(tx, by, actions, (action) =>
        action.kind === 'resolve-alarm' ? action.ruleId : null,
      ),
    async turn(tx, runs) {
      const wanted = runs.flatMap(({ rule, wake, outcome }) =>
        outcome.effects.flatMap((effect) =>
          effect.kind === 'resolve-alarm' ? [{ rule, ruleId: effect.ruleId ?? rule.id, at: wake.at }] : [],
        ),
      )
      if (wanted.length === 0) return () => {}
      // Checked again: the rule may have been given to another account since.
      const others = await readOthers(tx, [...new Set(wanted.map(({ ruleId }) => ruleId))])
      const closings = new Map(
        wanted
          .filter(({ ruleId, rule }) => others.get(ruleId)?.accountId === rule.accountId)
          .map(({ ruleId, rule: { twinId }, at }) =>
            // Of a rule for many the alarm on the same twin.
            others.get(ruleId)?.isForMany
              ? [placeKey({ ruleId, twinId }), { ruleId, twinId, at }]
              : [String(ruleId), { ruleId, at }],
          ),
      )
      const changes = await alarms.resolve(tx, [...closings.values()])
      return () => alarms.announce(changes)
    },
  }),
}
