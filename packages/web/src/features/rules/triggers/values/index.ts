import { IconWaveSine } from '@tabler/icons-react'
import type { TriggerKindView } from '../types.ts'

export const values: TriggerKindView<{ kind: 'values' }> = {
  icon: IconWaveSine,
  isSingle: true,
  create: () => ({ kind: 'values' }),
  phrase: (_, { text }) => text('rules.triggers.phrases.values'),
}
