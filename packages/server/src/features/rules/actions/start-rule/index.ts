import type { StartRuleAction } from '@leitstand/contract/rules/actions/start-rule'
import { ruleWoken } from '../../../../topics/ruleWoken.ts'
import { runningRules } from '../../store/others.ts'
import type { RecordedAction } from '../../store/pipeline.ts'
import { depthMax } from '../../wakes.ts'
import { wakeTargets } from '../../wakeTargets.ts'
import { requireNamedRules } from '../named.ts'
import { sending } from '../sending.ts'
import type { ActionKind } from '../types.ts'

export interface StartRuleEffect {
  kind: 'start-rule'
  ruleId: number
}

export const startRule: ActionKind<StartRuleAction, StartRuleAction, StartRuleEffect> = {
  isLasting: false,
  setsState: false,
  check: () => [],
  checkStates: () => [],
  uses: () => [],
  texts: () => [],
  withStates: (action) => action,
  withOwnStates: (action) => action,
  stateKeys: () => [],
  run: ({ kind, ruleId }) => ({ kind, ruleId }),
  record: ({ kind }) => ({ kind, ok: false, detail: '' }),
  create: ({ ctx }) => ({
    // A rule may be started by those who may change it, as when they run it by hand.
    saved: (tx, by, actions) =>
      requireNamedRules(tx, by, actions, (action) => (action.kind === 'start-rule' ? action.ruleId : null)),
    send: sending('start-rule', async (tx, sent) => {
      const ids = [...new Set(sent.map(({ effect }) => effect.ruleId))]
      const running = await runningRules(tx, ids, ctx.clock.now())
      const targetOf = await wakeTargets(
        tx,
        running,
        sent.map(({ origin: { ruleId: byId, twinId }, effect: { ruleId } }) => ({ ruleId, byId, twinId })),
      )
      const outcomes = sent.map(({ origin, effect: { kind, ruleId }, depth }) => {
        const { accountId, ruleId: by, twinId } = origin
        const target = targetOf({ ruleId, byId: by, twinId })
        const isRunning = running.get(ruleId)?.accountId === accountId && target !== null
        const fault = !isRunning ? 'not_running' : depth >= depthMax ? 'too_many_in_a_row' : null
        const recorded: RecordedAction = { kind, ok: fault === null, detail: fault ?? '' }
        const event =
          fault !== null || by === null
            ? []
            : [
                ruleWoken.event(accountId, {
                  ruleId,
                  ...target,
                  cause: { kind: 'rule', ruleId: by },
                  depth: depth + 1,
                }),
              ]
        return { recorded, event }
      })
      await ctx.events.appendAll(
        tx,
        outcomes.flatMap(({ event }) => event),
      )
      return outcomes.map(({ recorded }) => recorded)
    }),
  }),
}
