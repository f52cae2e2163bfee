import type { Context } from '../../platform/context.ts'
import type { Journal } from './journal.ts'
import type { RunningKinds } from './kinds/index.ts'

/** What the operations of connectors work with. */
export interface ConnectorTools {
  readonly ctx: Context
  readonly journal: Journal
  readonly running: RunningKinds
}
