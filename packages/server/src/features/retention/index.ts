import pg from 'pg'
import type { Context } from '../../platform/context.ts'
import type { Executor } from '../../platform/db/index.ts'
import { system } from '../../platform/http/caller.ts'
import { recordActivity } from '../activity/index.ts'
import type { IngestFeature } from '../ingest/index.ts'
import {
  kindOf,
  type RetainedMonths,
  type RetainedRecords,
  retainedMonths,
  retainedRecords,
} from '../objects/index.ts'
import type { SeriesFeature } from '../series/index.ts'
import {
  type AccountRetention,
  keptSince,
  type Partition,
  planRetention,
  retentionOf,
  yearAtLeast,
} from './plan.ts'
import { dropPartition, readAccounts, readOwners, readPartitions } from './store.ts'

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
export function register(
  ctx: Context,
  features: { series: SeriesFeature; ingest: Pick<IngestFeature, 'forgetMonths'> },
) {
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
    const months = retainedMonths()
    const plan = planRetention(accounts, await readPartitions(ctx.db, months), now)
    const busy: string[] = []
    for (const partition of plan.drop) if (!(await drop(partition))) busy.push(partition.name)
    if (plan.drop.length > busy.length) {
      features.series.forgetMonths()
      features.ingest.forgetMonths()
    }
    for (const account of accounts) {
      const before = keptSince(now, account.months)
      const note = noteOnce(account, before)
      for (const partition of plan.clear.get(account.id) ?? [])
        await clear(account, partition, before, note, signal)
      await clearRecords(account, 'values', now, note, signal)
      const logged = { ...account, months: yearAtLeast(account.months) }
      await clearRecords(logged, 'yearAtLeast', now, noteOnce(logged, keptSince(now, logged.months)), signal)
    }
    await clearOrphaned(accounts, now, signal)
    for (const partition of await readPartitions(ctx.db, months)) await clearGone(partition, now, signal)
    await features.series.announceDeleted()
    // The job is retried and continues with the rest.
    if (busy.length > 0) throw new Error(`in use and not dropped yet: ${busy.join(', ')}`)
  }

  /** @returns false when the table was locked on every attempt */
  async function drop(partition: Partition): Promise<boolean> {
    const { table, name } = partition
    try {
      await ctx.db.transaction().execute(async (tx) => {
        await dropPartition(tx, monthsOf(table), name)
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
        isChange: false,
      })
    }
  }

  /** Deletes an account's records that are older than its retention. */
  async function clearRecords(
    account: AccountRetention,
    kept: RetainedRecords['kept'],
    now: Date,
    note: (tx: Executor) => Promise<void>,
    signal: AbortSignal,
  ): Promise<void> {
    const before = keptSince(now, account.months)
    for (const { table, deleteOld } of retainedRecords().filter((each) => each.kept === kept))
      await deleteBatches(table, signal, note, (tx) => deleteOld(tx, account.id, before, batchRows))
  }

  /** Deletes an account's rows in a partition that are older than its retention. */
  async function clear(
    account: AccountRetention,
    { table, name }: Partition,
    before: Date,
    note: (tx: Executor) => Promise<void>,
    signal: AbortSignal,
  ): Promise<void> {
    const months = monthsOf(table)
    for (let after = 0; ; ) {
      const ids = await ownedOf(months).next(ctx.db, account.id, after, ownersAtOnce)
      const last = ids.at(-1)
      if (last === undefined) return
      await deleteBatches(table, signal, note, (tx) => months.deleteOf(tx, name, ids, before, batchRows))
      after = last
    }
  }

  /**
   * Records about the whole platform or of deleted accounts are kept as long as the longest retention of any
   * account.
   */
  async function clearOrphaned(
    accounts: readonly AccountRetention[],
    now: Date,
    signal: AbortSignal,
  ): Promise<void> {
    const longest = Math.max(...accounts.map((account) => account.months))
    for (const { table, kept, deleteOrphaned } of retainedRecords()) {
      if (!deleteOrphaned) continue
      const months = kept === 'yearAtLeast' ? yearAtLeast(longest) : longest
      const before = keptSince(now, months)
      await deleteBatches(table, signal, noteOnce({ id: null, name: table, months }, before), (tx) =>
        deleteOrphaned(tx, before, batchRows),
      )
    }
  }

  /** Deletes rows of states and devices that no longer exist. */
  async function clearGone(partition: Partition, now: Date, signal: AbortSignal): Promise<void> {
    const { table, name, to } = partition
    const months = monthsOf(table)
    // Newer rows may belong to a transaction in progress.
    const before = new Date(Math.min(to.getTime(), now.getTime() - dayMs))
    for (let after = 0; ; ) {
      const ids = await readOwners(ctx.db, name, months.owner, after, ownersAtOnce)
      const last = ids.at(-1)
      if (last === undefined) return
      const existing = new Set(await ownedOf(months).existing(ctx.db, ids))
      const gone = ids.filter((id) => !existing.has(id))
      if (gone.length > 0)
        await deleteBatches(
          table,
          signal,
          async () => undefined,
          (tx) => months.deleteOf(tx, name, gone, before, batchRows),
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

function monthsOf(table: string): RetainedMonths {
  const found = retainedMonths().find((each) => each.table === table)
  if (!found) throw new Error(`${table} has no retention by month`)
  return found
}

function ownedOf({ of }: RetainedMonths) {
  const { owned } = kindOf(of)
  if (!owned) throw new Error(`the kind ${of} does not list what an account owns`)
  return owned
}
