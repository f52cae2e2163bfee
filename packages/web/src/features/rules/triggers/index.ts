import type { TriggerKind } from '@leitstand/contract/rules'
import type { TriggerView } from './types.ts'
import { values } from './values/index.ts'

/** Every kind of trigger there is. */
export const triggers: Readonly<Record<TriggerKind, TriggerView>> = { values }
