import { IconArrowsExchange } from '@tabler/icons-react'
import type { TriggerKindView } from '../types.ts'

export const changes: TriggerKindView<{ kind: 'changes' }> = {
  icon: IconArrowsExchange,
  isSingle: true,
  create: () => ({ kind: 'changes' }),
  phrase: (_, { text }) => text('rules.triggers.phrases.changes'),
}
