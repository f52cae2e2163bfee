import type { Context } from '../../platform/context.ts'
import type { Journal } from './journal.ts'
import type { RunningKinds } from './kinds/index.ts'

/** The services that connector operations use. */
export interface ConnectorTools {
  readonly ctx: Context
  readonly journal: Journal
  readonly running: RunningKinds
}
