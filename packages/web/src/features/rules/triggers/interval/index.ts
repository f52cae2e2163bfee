import type { IntervalTrigger } from '@leitstand/contract/rules/triggers/interval'
import { IconRepeat } from '@tabler/icons-react'
import { onDemand } from '../../../../lib/onDemand.ts'
import type { TriggerKindView } from '../types.ts'

export const interval: TriggerKindView<IntervalTrigger> = {
  icon: IconRepeat,
  create: () => ({ kind: 'interval', hours: 1 }),
  phrase: ({ hours }, { text }) => text('rules.triggers.phrases.interval', { count: hours }),
  Form: onDemand(() => import('./IntervalForm.tsx')),
}
