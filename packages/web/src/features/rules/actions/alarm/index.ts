import type { AlarmAction } from '@leitstand/contract/rules/actions/alarm'
import { IconAlertTriangle } from '@tabler/icons-react'
import { onDemand } from '../../../../lib/onDemand.ts'
import { recipientFaults } from '../email/index.ts'
import { textFaults } from '../texts.ts'
import type { ActionKind } from '../types.ts'
import { type AlarmDraft, fromAlarmDraft, toAlarmDraft } from './escalationDraft.ts'

export const alarm: ActionKind<AlarmAction, AlarmAction, AlarmDraft> = {
  icon: IconAlertTriangle,
  isTestable: false,
  max: 1,
  create: (text) => ({
    kind: 'alarm',
    severity: 'warning',
    message: text('rules.defaults.alarm'),
  }),
  toDraft: toAlarmDraft,
  fromDraft: fromAlarmDraft,
  faults: ({ message, escalation }, context) => [
    ...(context.earlier.includes('alarm') ? [{ field: '', key: 'oneAlarm' }] : []),
    ...textFaults(message, 'message', context, { required: true }),
    ...(escalation?.steps ?? [])
      .flatMap(({ recipients }) => recipientFaults(recipients, 'escalation'))
      .slice(0, 1),
  ],
  toTemplate: (action) => action,
  fromTemplate: (action) => action,
  stateKeys: () => [],
  Form: onDemand(() => import('./AlarmForm.tsx')),
}
