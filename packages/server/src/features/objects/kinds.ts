import type { AccountDependency } from '@leitstand/contract/accounts'
import type { ErrorCode } from '@leitstand/contract/errors'
import type { StoredFile } from '@leitstand/contract/files'
import type { UserKind } from '@leitstand/contract/objects'
import type { RawBuilder } from 'kysely'
import type * as z from 'zod'
import type { DB, Executor } from '../../platform/db/index.ts'
import type { Caller } from '../../platform/http/caller.ts'
import type { Use } from '../../platform/uses.ts'
import type { Hooks } from './hooks.ts'
import type { Retention } from './retention.ts'
import type { Views } from './views.ts'

/**
 * Every kind of object an account or user can own; the compiler requires a definition of each
 * (`src/objects.ts`).
 */
export type ObjectKind =
  | 'tenant'
  | 'user'
  | 'driver'
  | 'digitalTwin'
  | 'state'
  | 'virtualDevice'
  | 'smartGroup'
  | 'connector'
  | 'rule'
  | 'alarmMaintenance'
  | 'ticket'
  | 'asset'
  | 'alarmNotification'
  | 'alarmReport'
  | 'savedExport'
  | 'exportSchedule'
  | 'deviceTemplate'
  | 'dashboard'
  | 'widget'
  | 'warnMonitor'
  | 'lock'
  | 'lockGroup'
  | 'doorKey'

/**
 * Kinds that can be referred to. Digital twins and virtual devices share one id table: both are a `twin`
 * here.
 */
export type UsedKind =
  | 'driver'
  | 'twin'
  | 'state'
  | 'connector'
  | 'deviceTemplate'
  | 'dashboard'
  | 'smartGroup'

/** References in columns with a foreign key and an index: read from there, not copied to `uses`. */
export interface Reference {
  used: UsedKind
  note: string
  /** selects (user_id, used_id) without a condition; the caller narrows it by `used_id` */
  rows: RawBuilder<unknown>
  /** counts only for the object itself, not for the object it is a part of */
  direct?: true
}

/** Objects whose definitions hold references in JSON; these are recorded in `uses`. */
export interface Definitions {
  /**
   * the references of the next objects after an id, in the order of the ids; includes objects without
   * references
   */
  read: (db: Executor, after: number, limit: number) => Promise<{ id: number; uses: Use[] }[]>
}

/** A reference that is recorded but not defined (stale), or defined but not recorded (missing). */
export interface Difference {
  problem: 'missing' | 'stale'
  user: ObjectKind
  id: number
  kind: UsedKind
  used: number
  note: string
}

/** What the deletion of an account does with objects of a kind. */
export type WithAccount =
  /** The account cannot be deleted while it has any; `rows` selects their (id, title). */
  | { blocks: z.infer<typeof AccountDependency>['kind']; rows: (accountId: number) => RawBuilder<unknown> }
  /** They are deleted with the account. */
  | { delete: (tx: Executor, accountId: number) => Promise<void> }
  /** They belong to another object and are deleted with it. */
  | 'owner'

/** How files are attached to objects of a kind: by a foreign key, so that they are deleted with it. */
export interface WithFiles {
  /** its name in the calls of files */
  as: StoredFile['object']
  /** the column of `files` with the id of the object; kinds may share one */
  column: 'twin_id' | 'driver_id' | 'group_id' | 'ticket_id'
  /** a select of the ids of its objects */
  ids: RawBuilder<unknown>
  /** Whether the caller may change an object. @throws AppError not found */
  mayChange: (db: Executor, caller: Caller, id: number) => Promise<boolean>
  /** Locks an object until the transaction ends. @throws AppError not found, NO_PERMISSION */
  lockForChange: (
    tx: Executor,
    caller: Caller,
    id: number,
  ) => Promise<{ id: number; title: string; accountId: number }>
}

/** A kind of object: what other features need to know about it. */
export interface Kind {
  table: keyof DB
  /** noun in the activity log; null: its changes are logged under the object it belongs to */
  subject: string | null
  /**
   * Its objects as (id, title, visible, owner_kind, owner_id): a select without a condition, joined by `id`.
   * `visible`: whether this caller may open it. The owner is the twin or device it belongs to. A part of
   * another object also has that object's id as `shown_id`.
   */
  things?: (caller: Caller) => RawBuilder<unknown>
  withAccount: WithAccount | readonly WithAccount[]
  /** the ids of an account's objects and the existing ones of these; needed if rows in months belong to them */
  owned?: {
    next: (db: Executor, accountId: number, after: number, limit: number) => Promise<number[]>
    existing: (db: Executor, ids: readonly number[]) => Promise<number[]>
  }
  files?: WithFiles
  /**
   * Users can mark it as a favourite: those for whom `things` is visible, or those of a select like it where other users
   * use the object than open its page.
   */
  favourite?: true | ((caller: Caller) => RawBuilder<unknown>)
  /** how others refer to it, and the error when there is none the caller may see */
  used?: {
    as: UsedKind
    notFound: ErrorCode
    /** objects of another kind that belong to it and count as used with it, as a select of their ids */
    parts?: { kind: UsedKind; ids: (id: number) => RawBuilder<unknown> }
  }
  /** the kind it is shown as where it uses other objects */
  shownAs?: UserKind
  /** it is shown as the object it is a part of, by `shown_id` */
  isPart?: true
  references?: readonly Reference[]
  /** its objects as (id, account_id); needed if it has references to a driver */
  accounts?: RawBuilder<unknown>
  definitions?: Definitions
  /** compares references kept in a separate table with the definitions they are derived from */
  check?: (db: Executor, limit: number) => Promise<Difference[]>
}

/** Objects an account can have a limited number of. */
export type CountedLimit = 'devices' | 'templates' | 'files' | 'ruleMails'

/** Usage of an account and all accounts below it; for files in bytes, for rule mails in the last hour. */
export type Count = (db: Executor, accountId: number) => Promise<number>

/** What a feature registers. */
export interface FeatureObjects<K extends ObjectKind = never> {
  kinds?: { readonly [kind in K]: Kind }
  counts?: { readonly [limit in CountedLimit]?: Count }
  /** data that is deleted when it is too old */
  retention?: readonly Retention[]
  hooks?: Hooks
  /** what features below may join */
  views?: { readonly [name in keyof Views]?: RawBuilder<Views[name]> }
}
