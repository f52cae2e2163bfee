import type { TriggerKind } from '@leitstand/contract/rules'
import type { TriggerView } from './types.ts'
import { values } from './values/index.ts'

/** All kinds of triggers. */
export const triggers: Readonly<Record<TriggerKind, TriggerView>> = { values }
