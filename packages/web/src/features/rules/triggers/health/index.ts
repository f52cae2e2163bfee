import type { HealthTrigger } from '@leitstand/contract/rules/triggers/health'
import { IconHeartbeat } from '@tabler/icons-react'
import { onDemand } from '../../../../lib/onDemand.ts'
import type { TriggerKindView } from '../types.ts'

export const health: TriggerKindView<HealthTrigger> = {
  icon: IconHeartbeat,
  create: () => ({ kind: 'health', on: 'worse', below: false }),
  phrase: ({ on, below }, { text }) => text(`rules.triggers.phrases.health.${below ? 'below' : 'own'}.${on}`),
  Form: onDemand(() => import('./HealthTriggerForm.tsx')),
}
