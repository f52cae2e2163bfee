import type { TriggerView } from '../types.ts'

export const values: TriggerView = { text: 'rules.triggers.values' }
