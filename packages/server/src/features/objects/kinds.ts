import type { AccountDependency } from '@leitstand/contract/accounts'
import type { RawBuilder } from 'kysely'
import type * as z from 'zod'
import type { DB, Executor } from '../../platform/db/index.ts'
import type { Caller } from '../../platform/http/caller.ts'

/** Every kind of thing somebody can own; the compiler asks for the definition of each (`src/objects.ts`). */
export type ObjectKind =
  | 'tenant'
  | 'user'
  | 'driver'
  | 'digitalTwin'
  | 'state'
  | 'virtualDevice'
  | 'connector'
  | 'rule'
  | 'deviceTemplate'
  | 'dashboard'
  | 'widget'

/** What the deletion of an account does with things of a kind. */
export type WithAccount =
  /** The account cannot be deleted while it has any; `rows` selects (id, title) of those of an account. */
  | { blocks: z.infer<typeof AccountDependency>['kind']; rows: (accountId: number) => RawBuilder<unknown> }
  /** They go with it. */
  | { delete: (tx: Executor, accountId: number) => Promise<void> }
  /** They belong to another thing and go with that one. */
  | 'owner'

/** A kind of thing: what other features need to know of it. */
export interface Kind {
  table: keyof DB
  /** noun in the activity log; null: its changes are entries of what it belongs to */
  subject: string | null
  /**
   * Its things as (id, title, visible): a select without a condition, which the caller joins. `visible` says whether
   * this caller may open it.
   */
  things?: (caller: Caller) => RawBuilder<unknown>
  withAccount: WithAccount | readonly WithAccount[]
  /** users can mark it as a favourite */
  favourite?: true
}

/** What an account can have only so many of. */
export type CountedLimit = 'devices' | 'templates' | 'files'

/** How much of it an account and all below it have; of files the bytes. */
export type Count = (db: Executor, accountId: number) => Promise<number>

/** What a feature registers. */
export interface FeatureObjects<K extends ObjectKind = never> {
  kinds?: { readonly [kind in K]: Kind }
  counts?: { readonly [limit in CountedLimit]?: Count }
}
