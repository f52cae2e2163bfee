import type { ExportDeliveryReason, ExportTargetKind } from '@leitstand/contract/exportSchedules'
import { sql } from 'kysely'
import type { Executor } from '../../platform/db/index.ts'

/** Plans that a file is delivered to a target. */
export async function insertDelivery(
  tx: Executor,
  planned: { runId: number; position: number; kind: ExportTargetKind; name: string; at: Date },
): Promise<void> {
  const { runId, position, kind, name, at } = planned
  await sql`
    insert into export_schedule_deliveries (run_id, position, kind, name, state, try_at)
    values (${runId}, ${position}, ${kind}, ${name}, 'waiting', ${at})`.execute(tx)
}

/** A delivery that an attempt is made at. */
export interface ClaimedDelivery {
  id: number
  runId: number
  position: number
  scheduleId: number
  accountId: number
  /** of this attempt; another one has another number */
  attempt: number
}

/**
 * Claims the next delivery that waits, until a time.
 * @param except accounts that have as many under way as they may have
 */
export async function claimDelivery(
  db: Executor,
  now: Date,
  { until, except }: { until: Date; except: readonly number[] },
): Promise<ClaimedDelivery | undefined> {
  const { rows } = await sql<ClaimedDelivery>`
    with next as (
      select d.id, d.run_id, s.id as schedule_id, s.account_id
      from export_schedule_deliveries d join export_schedule_runs r on r.id = d.run_id
        join export_schedules s on s.id = r.schedule_id
      where d.try_at <= ${now} and not s.account_id = any(${[...except]}::int[])
      order by d.try_at, d.id limit 1 for update of d skip locked)
    update export_schedule_deliveries d set try_at = ${until}, attempts = d.attempts + 1
    from next where d.id = next.id
    returning d.id::int, d.run_id::int as "runId", d.position, next.schedule_id as "scheduleId",
      next.account_id as "accountId", d.attempts as attempt`.execute(db)
  return rows[0]
}

/** Locks a delivery that this attempt has claimed. @returns whether it is still its own */
export async function holdDelivery(tx: Executor, { id, attempt }: ClaimedDelivery): Promise<boolean> {
  const { rows } = await sql`
    select from export_schedule_deliveries where id = ${id} and state = 'waiting' and attempts = ${attempt}
    for update`.execute(tx)
  return rows.length > 0
}

/** Gives back a claimed delivery: the attempt does not count, and the next process makes it at once. */
export async function releaseDelivery(
  db: Executor,
  { id, attempt }: ClaimedDelivery,
  at: Date,
): Promise<void> {
  await sql`
    update export_schedule_deliveries set try_at = ${at}, attempts = attempts - 1
    where id = ${id} and state = 'waiting' and attempts = ${attempt}`.execute(db)
}

/** What became of an attempt to deliver a file. */
export type Outcome =
  | { state: 'sent'; refused?: number }
  | {
      state: 'failed'
      reason: ExportDeliveryReason
      detail?: string
      refused?: number
      /** whether another attempt may succeed */
      again: boolean
    }

/** @param retryAt when another attempt is made; null: this was the last */
export async function noteOutcome(
  tx: Executor,
  { id }: ClaimedDelivery,
  outcome: Outcome,
  { retryAt, at }: { retryAt: Date | null; at: Date },
): Promise<void> {
  const reason = outcome.state === 'failed' ? outcome.reason : null
  const detail = outcome.state === 'failed' ? (outcome.detail ?? '').slice(0, 500) : ''
  await sql`
    update export_schedule_deliveries set state = ${retryAt === null ? outcome.state : 'waiting'}, reason = ${reason},
      detail = ${detail}, refused = ${outcome.refused ?? 0}, try_at = ${retryAt}, at = ${at}
    where id = ${id}`.execute(tx)
}

/** How many deliveries of a run are in each state. */
export async function countDeliveries(
  tx: Executor,
  runId: number,
): Promise<{ waiting: number; sent: number; failed: number }> {
  const { rows } = await sql<{ waiting: number; sent: number; failed: number }>`
    select (count(*) filter (where state = 'waiting'))::int as waiting, (count(*) filter (where state = 'sent'))::int as sent,
      (count(*) filter (where state = 'failed'))::int as failed
    from export_schedule_deliveries where run_id = ${runId}`.execute(tx)
  return rows[0] ?? { waiting: 0, sent: 0, failed: 0 }
}
