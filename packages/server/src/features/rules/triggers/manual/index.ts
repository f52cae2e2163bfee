import type { TriggerDefinition } from '../types.ts'

export const manual: TriggerDefinition<{ kind: 'manual' }> = {}
