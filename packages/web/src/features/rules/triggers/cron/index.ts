import type { CronTrigger } from '@leitstand/contract/rules/triggers/cron'
import { IconCalendarCode } from '@tabler/icons-react'
import { onDemand } from '../../../../lib/onDemand.ts'
import type { TriggerKindView } from '../types.ts'

export const cron: TriggerKindView<CronTrigger> = {
  icon: IconCalendarCode,
  create: () => ({ kind: 'cron', expression: '0 7 * * 1-5' }),
  phrase: ({ expression }, { text }) => text('rules.triggers.phrases.cron', { expression }),
  faults: ({ expression }) =>
    /^\S+(?: +\S+){4}$/.test(expression.trim()) ? [] : [{ field: 'expression', key: 'cron' }],
  Form: onDemand(() => import('./CronForm.tsx')),
}
