import pg from 'pg'
import type { Context } from '../../platform/context.ts'
import type { Executor } from '../../platform/db/index.ts'
import { system } from '../../platform/http/caller.ts'
import { recordActivity } from '../activity/index.ts'
import type { SeriesFeature } from '../series/index.ts'
import {
  type AccountRetention,
  activityMonths,
  keptSince,
  type Partition,
  planRetention,
  retentionOf,
} from './plan.ts'
import {
  deleteOrphanedActivities,
  deleteRecords,
  deleteRows,
  dropPartition,
  ownerOf,
  readAccounts,
  readGone,
  readOwners,
  readPartitions,
  records,
} from './store.ts'

const queue = 'retention'
/** Rows deleted in one transaction. Kept small because open transactions delay events. */
const batchRows = 5_000
/** States or devices processed together. */
const ownersAtOnce = 500
const timeoutSeconds = 6 * 3600
const lockNotAvailable = '55P03'
const dayMs = 86_400_000

/**
 * Deletes data older than the retention of its account, once a day: drops partitions for whole months, and
 * deletes the rows of accounts with a shorter retention in small batches. Current values are kept.
 */
export function register(ctx: Context, features: { series: SeriesFeature }) {
  const dropped = ctx.metrics.counter('retention_partitions_dropped_total', 'Months dropped', ['table'])
  const deleted = ctx.metrics.counter('retention_rows_deleted_total', 'Rows deleted because of their age', [
    'table',
  ])
  const caller = system('retention')

  ctx.jobs.work(queue, (_data, { signal }) => apply(signal), { timeoutSeconds, pollSeconds: 60 })
  ctx.jobs.schedule(queue, '23 2 * * *')

  async function apply(signal: AbortSignal): Promise<void> {
    const now = ctx.clock.now()
    const accounts = retentionOf(await readAccounts(ctx.db))
    const plan = planRetention(accounts, await readPartitions(ctx.db), now)
    const busy: string[] = []
    for (const partition of plan.drop) if (!(await drop(partition))) busy.push(partition.name)
    if (plan.drop.length > busy.length) features.series.forgetMonths()
    for (const account of accounts) {
      const before = keptSince(now, account.months)
      const note = noteOnce(account, before)
      const logged = { ...account, months: activityMonths(account.months) }
      const loggedBefore = keptSince(now, logged.months)
      const noteLogged = noteOnce(logged, loggedBefore)
      for (const partition of plan.clear.get(account.id) ?? [])
        await clear(account, partition, before, note, signal)
      for (const table of records)
        await (table === 'activities'
          ? deleteBatches(table, signal, noteLogged, (tx) =>
              deleteRecords(tx, table, account.id, loggedBefore, batchRows),
            )
          : deleteBatches(table, signal, note, (tx) =>
              deleteRecords(tx, table, account.id, before, batchRows),
            ))
    }
    await clearPlatformLog(accounts, now, signal)
    for (const partition of await readPartitions(ctx.db)) await clearGone(partition, now, signal)
    // The job is retried and continues with the rest.
    if (busy.length > 0) throw new Error(`in use and not dropped yet: ${busy.join(', ')}`)
  }

  /** @returns false when the table was locked on every attempt */
  async function drop(partition: Partition): Promise<boolean> {
    const { table, name } = partition
    try {
      await ctx.db.transaction().execute(async (tx) => {
        await dropPartition(tx, partition)
        await recordActivity(tx, caller, {
          action: 'delete',
          subject: 'Retention',
          objectId: null,
          objectTitle: name,
          accountId: null,
          changes: { from: partition.from.toISOString(), to: partition.to.toISOString() },
        })
      })
    } catch (error) {
      if (error instanceof pg.DatabaseError && error.code === lockNotAvailable) return false
      throw error
    }
    dropped.inc({ table })
    ctx.log.info({ partition: name }, 'a month beyond every retention was dropped')
    return true
  }

  /**
   * Writes an activity entry in the transaction of the first batch that deletes something; no entry if
   * nothing is deleted.
   */
  function noteOnce(
    account: Omit<AccountRetention, 'id'> & { id: number | null },
    before: Date,
  ): (tx: Executor) => Promise<void> {
    let isNoted = false
    return async (tx) => {
      if (isNoted) return
      isNoted = true
      await recordActivity(tx, caller, {
        action: 'delete',
        subject: 'Retention',
        objectId: account.id,
        objectTitle: account.name,
        accountId: account.id,
        changes: { months: account.months, before: before.toISOString() },
      })
    }
  }

  /** Deletes an account's rows in a partition that are older than its retention. */
  async function clear(
    account: AccountRetention,
    partition: Partition,
    before: Date,
    note: (tx: Executor) => Promise<void>,
    signal: AbortSignal,
  ): Promise<void> {
    for (let after = 0; ; ) {
      const owners = await readOwners(ctx.db, ownerOf(partition), account.id, after, ownersAtOnce)
      const last = owners.at(-1)
      if (last === undefined) return
      await deleteBatches(partition.table, signal, note, (tx) =>
        deleteRows(tx, partition, owners, before, batchRows),
      )
      after = last
    }
  }

  /**
   * Entries about the whole platform or deleted accounts are kept as long as the longest retention of any
   * account.
   */
  async function clearPlatformLog(
    accounts: readonly AccountRetention[],
    now: Date,
    signal: AbortSignal,
  ): Promise<void> {
    const months = activityMonths(Math.max(...accounts.map((account) => account.months)))
    const before = keptSince(now, months)
    await deleteBatches(
      'activities',
      signal,
      noteOnce({ id: null, name: 'activities', months }, before),
      (tx) => deleteOrphanedActivities(tx, before, batchRows),
    )
  }

  /** Deletes rows of states and devices that no longer exist. */
  async function clearGone(partition: Partition, now: Date, signal: AbortSignal): Promise<void> {
    for (let after: number | null = 0; after !== null; ) {
      const { gone, last } = await readGone(ctx.db, partition, after, ownersAtOnce)
      // Newer rows may belong to a transaction in progress.
      const before = new Date(Math.min(partition.to.getTime(), now.getTime() - dayMs))
      if (gone.length > 0)
        await deleteBatches(
          partition.table,
          signal,
          async () => undefined,
          (tx) => deleteRows(tx, partition, gone, before, batchRows),
        )
      after = last
    }
  }

  /** Repeats a batch until one is not full. @throws when the job is aborted; the next run continues */
  async function deleteBatches(
    table: string,
    signal: AbortSignal,
    note: (tx: Executor) => Promise<void>,
    batch: (tx: Executor) => Promise<number>,
  ): Promise<void> {
    let count = batchRows
    while (count === batchRows) {
      signal.throwIfAborted()
      count = await ctx.db.transaction().execute(async (tx) => {
        const done = await batch(tx)
        if (done > 0) await note(tx)
        return done
      })
      deleted.inc({ table }, count)
    }
  }

  return {
    /** Applies the retention now; it runs automatically once a day. */
    apply: (): Promise<void> => apply(new AbortController().signal),
  }
}
