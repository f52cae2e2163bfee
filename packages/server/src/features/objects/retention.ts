import type { DB, Executor } from '../../platform/db/index.ts'
import type { ObjectKind } from './kinds.ts'

/** Data of a feature that is deleted once it is older than its account keeps such data. */
export type Retention = RetainedRecords | RetainedMonths

interface Retained {
  table: keyof DB
  /** the column that determines the age */
  time: string
  /** as long as values, or at least a year */
  kept: 'values' | 'yearAtLeast'
}

/** Records with an account, deleted one by one. */
export interface RetainedRecords extends Retained {
  /** Deletes records of an account older than `before`, at most `limit`. @returns how many */
  deleteOld: (tx: Executor, accountId: number, before: Date, limit: number) => Promise<number>
  /** The same for records that belong to no account or to a deleted one. */
  deleteOrphaned?: (tx: Executor, before: Date, limit: number) => Promise<number>
}

/** Rows of objects in monthly partitions (`state_values_2026_11`). */
export interface RetainedMonths extends Retained {
  kept: 'values'
  /** the column with the id of the object */
  owner: string
  /** the kind of these objects; the kind defines `owned` */
  of: ObjectKind
  /** Drops a partition with all its rows. */
  drop: (tx: Executor, partition: string) => Promise<void>
  /** Deletes rows of these objects older than `before` from a partition, at most `limit`. @returns how many */
  deleteOf: (
    tx: Executor,
    partition: string,
    ids: readonly number[],
    before: Date,
    limit: number,
  ) => Promise<number>
}
