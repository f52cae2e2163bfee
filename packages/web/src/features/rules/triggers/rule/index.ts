import type { RuleStateTrigger } from '@leitstand/contract/rules/triggers/rule'
import { IconBinaryTree } from '@tabler/icons-react'
import { onDemand } from '../../../../lib/onDemand.ts'
import type { TriggerKindView } from '../types.ts'

export const rule: TriggerKindView<RuleStateTrigger> = {
  icon: IconBinaryTree,
  isOutside: true,
  create: () => ({ kind: 'rule', ruleId: 0, on: 'fired' }),
  phrase: ({ on }, { text }) => text(`rules.triggers.phrases.rule.${on}`),
  faults: ({ ruleId }) => (ruleId === 0 ? [{ field: 'ruleId', key: 'required' }] : []),
  Form: onDemand(() => import('./RuleStateForm.tsx')),
}
