import type { SilenceTrigger } from '@leitstand/contract/rules/triggers/silence'
import { IconBellOff } from '@tabler/icons-react'
import { onDemand } from '../../../../lib/onDemand.ts'
import type { TriggerKindView } from '../types.ts'

export const silence: TriggerKindView<SilenceTrigger> = {
  icon: IconBellOff,
  create: ([metric = '']) => ({ kind: 'silence', metric, minutes: 60 }),
  phrase: ({ metric, minutes }, { text, metric: nameOf }) =>
    text('rules.triggers.phrases.silence', { metric: nameOf(metric), count: minutes }),
  rename: (trigger, from, to) => (trigger.metric === from ? { ...trigger, metric: to } : trigger),
  faults: ({ metric }, aliases) => (aliases.includes(metric) ? [] : [{ field: 'metric', key: 'required' }]),
  Form: onDemand(() => import('./SilenceForm.tsx')),
}
