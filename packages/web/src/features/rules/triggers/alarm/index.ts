import type { AlarmTrigger } from '@leitstand/contract/rules/triggers/alarm'
import { IconBell } from '@tabler/icons-react'
import { onDemand } from '../../../../lib/onDemand.ts'
import type { TriggerKindView } from '../types.ts'

export const alarm: TriggerKindView<AlarmTrigger> = {
  icon: IconBell,
  create: () => ({ kind: 'alarm', on: 'raised', below: false }),
  phrase: ({ on, below }, { text }) => text(`rules.triggers.phrases.alarm.${below ? 'below' : 'own'}.${on}`),
  Form: onDemand(() => import('./AlarmTriggerForm.tsx')),
}
