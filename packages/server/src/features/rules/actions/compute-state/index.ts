import type {
  ComputeStateAction,
  TemplateComputeStateAction,
} from '@leitstand/contract/rules/actions/compute-state'
import type { Executor } from '../../../../platform/db/index.ts'
import type { SeriesFeature } from '../../../series/index.ts'
import { isAggregate } from '../../../twins/index.ts'
import { type KnownExecution, updateActions } from '../../store/pipeline.ts'
import { fieldOf, noState, targetOf, withOtherStates, withOwnStates } from '../states.ts'
import type { ActionKind } from '../types.ts'

export interface ComputeStateEffect {
  kind: 'compute-state'
  /** null: the twin has no such state */
  stateId: number | null
}

export const computeState: ActionKind<ComputeStateAction, TemplateComputeStateAction, ComputeStateEffect> = {
  isLasting: false,
  setsState: true,
  check(action, { inputs, keys }) {
    const { stateId, stateKey = '' } = action
    const isInput = stateId === undefined ? keys.has(stateKey) : inputs.has(stateId)
    return isInput ? [{ path: [fieldOf(action)], message: 'the rule would set a state it is woken by' }] : []
  },
  checkStates({ stateId }, states) {
    const state = stateId === undefined ? undefined : states.get(stateId)
    if (state === undefined || isAggregate(state.source)) return []
    return [
      {
        path: ['stateId'],
        message: `${state.title} is not an aggregate`,
        text: 'stateNoAggregate',
        params: { state: state.title },
      },
    ]
  },
  texts: () => [],
  uses: ({ stateId }) => (stateId === undefined ? [] : [{ kind: 'state', id: stateId, note: 'sets' }]),
  withStates: withOtherStates,
  withOwnStates,
  stateKeys: ({ stateKey }) => [{ key: stateKey, field: 'stateKey' }],
  run: ({ kind, ...state }, { ownStates }) => ({ kind, stateId: targetOf(state, ownStates) }),
  record: ({ kind, stateId }) =>
    stateId === null
      ? { kind, ok: false, detail: noState }
      : { kind, ok: false, detail: 'waiting', stateId, pending: true },
  create: ({ ctx, series }) => ({ finish: (executions) => computeStates(ctx.db, series, executions) }),
}

/** Computes the pending states of executions. After a crash it is done again, which changes nothing. */
async function computeStates(
  db: Executor,
  series: Pick<SeriesFeature, 'recompute'>,
  executions: readonly KnownExecution[],
): Promise<void> {
  const isPending = ({ kind, pending }: KnownExecution['actions'][number]) =>
    kind === 'compute-state' && pending === true
  const waiting = executions.filter(({ actions }) => actions.some(isPending))
  const stateIds = waiting.flatMap(({ actions }) =>
    actions.filter(isPending).flatMap(({ stateId }) => stateId ?? []),
  )
  if (stateIds.length === 0) return
  await series.recompute([...new Set(stateIds)])
  for (const { actions } of waiting) {
    for (const [index, action] of actions.entries()) {
      if (!isPending(action)) continue
      const { pending: _, ...rest } = action
      actions[index] = { ...rest, ok: true, detail: '' }
    }
  }
  await updateActions(db, waiting)
}
