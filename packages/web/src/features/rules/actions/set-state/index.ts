import type { SetStateAction, TemplateSetStateAction } from '@leitstand/contract/rules/actions/set-state'
import { IconWriting } from '@tabler/icons-react'
import { onDemand } from '../../../../lib/onDemand.ts'
import { isStateKey } from '../stateKey.ts'
import type { ActionFault, ActionKind } from '../types.ts'

/** While editing, the state may not be selected yet. */
export interface SetStateDraft extends Omit<SetStateAction, 'stateId'> {
  stateId: number | null
}

/** As many as the actions of a rule. */
const actionsMax = 20

export const setState: ActionKind<SetStateAction, TemplateSetStateAction, SetStateDraft> = {
  icon: IconWriting,
  isTestable: false,
  max: actionsMax,
  create: () => ({ kind: 'set-state', stateId: null, value: { value: 0 } }),
  // A template uses 0 for a deleted state.
  toDraft: (action) => ({ ...action, stateId: action.stateId || null }),
  fromDraft: ({ stateId, ...draft }) =>
    draft.stateKey !== undefined ? draft : stateId === null ? null : { ...draft, stateId },
  faults({ stateId, stateKey, value }, { metrics }) {
    const faults: ActionFault[] = []
    if (stateKey !== undefined) {
      if (!isStateKey(stateKey)) faults.push({ field: 'stateId', key: 'stateKey' })
    } else if (stateId === null) faults.push({ field: 'stateId', key: 'required' })
    else if (metrics.some((metric) => metric.stateId === stateId))
      faults.push({ field: 'stateId', key: 'ownInput' })
    if ('script' in value && value.script.trim() === '') faults.push({ field: 'value', key: 'required' })
    if ('metric' in value && !metrics.some((metric) => metric.alias === value.metric))
      faults.push({ field: 'value', key: 'unknownMetric', name: value.metric })
    return faults
  },
  toTemplate: ({ stateId = 0, stateKey, ...action }, keyOf) => ({
    ...action,
    stateKey: stateKey ?? keyOf(stateId),
  }),
  fromTemplate: ({ stateKey, ...action }, numberOf) => ({ ...action, stateId: numberOf(stateKey) }),
  stateKeys: ({ stateKey }) => [stateKey],
  Form: onDemand(() => import('./SetStateForm.tsx')),
}
