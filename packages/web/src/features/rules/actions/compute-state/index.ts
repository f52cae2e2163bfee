import type {
  ComputeStateAction,
  TemplateComputeStateAction,
} from '@leitstand/contract/rules/actions/compute-state'
import { IconCalculator } from '@tabler/icons-react'
import { onDemand } from '../../../../lib/onDemand.ts'
import { isStateKey } from '../stateKey.ts'
import type { ActionKind } from '../types.ts'

export interface ComputeStateDraft {
  kind: 'compute-state'
  /** null: not chosen yet */
  stateId: number | null
  /** instead of it: of the twin that the rule runs on */
  stateKey?: string | undefined
}

export const computeState: ActionKind<ComputeStateAction, TemplateComputeStateAction, ComputeStateDraft> = {
  icon: IconCalculator,
  isTestable: false,
  max: 20,
  create: () => ({ kind: 'compute-state', stateId: null }),
  // A template uses 0 for a deleted state.
  toDraft: (action) => ({ ...action, stateId: action.stateId || null }),
  fromDraft: ({ kind, stateId, stateKey }) =>
    stateKey !== undefined ? { kind, stateKey } : stateId === null ? null : { kind, stateId },
  faults({ stateId, stateKey }, { metrics }) {
    if (stateKey !== undefined) return isStateKey(stateKey) ? [] : [{ field: 'stateId', key: 'stateKey' }]
    if (stateId === null) return [{ field: 'stateId', key: 'required' }]
    return metrics.some((metric) => metric.stateId === stateId) ? [{ field: 'stateId', key: 'ownInput' }] : []
  },
  toTemplate: ({ kind, stateId = 0, stateKey }, keyOf) => ({ kind, stateKey: stateKey ?? keyOf(stateId) }),
  fromTemplate: ({ kind, stateKey }, numberOf) => ({ kind, stateId: numberOf(stateKey) }),
  stateKeys: ({ stateKey }) => [stateKey],
  Form: onDemand(() => import('./ComputeStateForm.tsx')),
}
