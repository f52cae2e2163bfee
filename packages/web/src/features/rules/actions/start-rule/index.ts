import type { StartRuleAction } from '@leitstand/contract/rules/actions/start-rule'
import { IconPlayerTrackNext } from '@tabler/icons-react'
import { onDemand } from '../../../../lib/onDemand.ts'
import type { ActionKind } from '../types.ts'

export interface StartRuleDraft {
  kind: 'start-rule'
  /** null: not chosen yet */
  ruleId: number | null
}

export const startRule: ActionKind<StartRuleAction, StartRuleAction, StartRuleDraft> = {
  icon: IconPlayerTrackNext,
  isTestable: false,
  max: 20,
  create: () => ({ kind: 'start-rule', ruleId: null }),
  toDraft: (action) => action,
  fromDraft: ({ kind, ruleId }) => (ruleId === null ? null : { kind, ruleId }),
  faults: ({ ruleId }) => (ruleId === null ? [{ field: 'ruleId', key: 'required' }] : []),
  toTemplate: (action) => action,
  fromTemplate: (action) => action,
  stateKeys: () => [],
  Form: onDemand(() => import('./StartRuleForm.tsx')),
}
