import type { ResolveAlarmAction } from '@leitstand/contract/rules/actions/resolve-alarm'
import { IconBellCheck } from '@tabler/icons-react'
import { onDemand } from '../../../../lib/onDemand.ts'
import type { ActionKind } from '../types.ts'

export const resolveAlarm: ActionKind<ResolveAlarmAction, ResolveAlarmAction, ResolveAlarmAction> = {
  icon: IconBellCheck,
  isTestable: false,
  max: 20,
  create: () => ({ kind: 'resolve-alarm', ruleId: null }),
  toDraft: (action) => action,
  fromDraft: (draft) => draft,
  faults: ({ ruleId }, { earlier }) =>
    ruleId === null && earlier.includes('alarm') ? [{ field: 'ruleId', key: 'otherRule' }] : [],
  toTemplate: (action) => action,
  fromTemplate: (action) => action,
  stateKeys: () => [],
  Form: onDemand(() => import('./ResolveAlarmForm.tsx')),
}
