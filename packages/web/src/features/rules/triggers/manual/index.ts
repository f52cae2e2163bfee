import { IconHandClick } from '@tabler/icons-react'
import type { TriggerKindView } from '../types.ts'

export const manual: TriggerKindView<{ kind: 'manual' }> = {
  icon: IconHandClick,
  isSingle: true,
  create: () => ({ kind: 'manual' }),
  phrase: (_, { text }) => text('rules.triggers.phrases.manual'),
}
