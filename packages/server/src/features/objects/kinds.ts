import type { AccountDependency } from '@leitstand/contract/accounts'
import type { ErrorCode } from '@leitstand/contract/errors'
import type { UserKind } from '@leitstand/contract/objects'
import type { RawBuilder } from 'kysely'
import type * as z from 'zod'
import type { DB, Executor } from '../../platform/db/index.ts'
import type { Caller } from '../../platform/http/caller.ts'
import type { Use } from '../../platform/uses.ts'

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

/** What can be referred to. Digital twins and virtual devices have their ids from one table: both are a `twin` here. */
export type UsedKind = 'driver' | 'twin' | 'state' | 'connector' | 'deviceTemplate' | 'dashboard'

/** References that are columns with a foreign key and an index: they are read from there and not kept a second time. */
export interface Reference {
  used: UsedKind
  note: string
  /** selects (user_id, used_id) without a condition; the caller narrows it by `used_id` */
  rows: RawBuilder<unknown>
  /** only an answer about the thing itself, not about what it is a part of */
  direct?: true
}

/** Things whose definitions hold references in JSON: these are kept in `uses`. */
export interface Definitions {
  /** the references of the next things after an id, in the order of the ids; things without any, too */
  read: (db: Executor, after: number, limit: number) => Promise<{ id: number; uses: Use[] }[]>
}

/** A reference that is noted and not defined (stale), or defined and not noted (missing). */
export interface Difference {
  problem: 'missing' | 'stale'
  user: ObjectKind
  id: number
  kind: UsedKind
  used: number
  note: string
}

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
   * Its things as (id, title, visible, owner_kind, owner_id): a select without a condition, which is joined by `id`.
   * `visible` says whether this caller may open it. The owner is the twin or device it belongs to. A part of something
   * else has that one's id as `shown_id`, too.
   */
  things?: (caller: Caller) => RawBuilder<unknown>
  withAccount: WithAccount | readonly WithAccount[]
  /** users can mark it as a favourite */
  favourite?: true
  /** what it is where others refer to it, and the error where there is none the caller may see */
  used?: {
    as: UsedKind
    notFound: ErrorCode
    /** things of another kind that belong to it and are used with it, as a select of their ids */
    parts?: { kind: UsedKind; ids: (id: number) => RawBuilder<unknown> }
  }
  /** as what it is shown where it uses other things */
  shownAs?: UserKind
  /** it is shown as what it is a part of, by `shown_id` */
  isPart?: true
  references?: readonly Reference[]
  definitions?: Definitions
  /** compares references kept in a table of their own with the definitions they are made from */
  check?: (db: Executor, limit: number) => Promise<Difference[]>
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
