import { randomBytes } from 'node:crypto'
import { exportScheduleLimits } from '@leitstand/contract/exportSchedules'
import type { Context } from '../../platform/context.ts'
import type { Executor } from '../../platform/db/index.ts'
import { hashToken } from '../people/index.ts'
import type { ContentsOf } from './contents/index.ts'
import {
  type ClaimedDelivery,
  claimDelivery,
  countDeliveries,
  holdDelivery,
  insertDelivery,
  noteOutcome,
  type Outcome,
  releaseDelivery,
} from './deliveries.store.ts'
import { endWith } from './ending.ts'
import { insertLink } from './links.store.ts'
import { type Ending, findRun, holdIn, noteFile } from './runs.store.ts'
import { findSchedule, lockSchedule, type ScheduleRow } from './schedules.store.ts'
import type { Parcel, TargetsOf } from './targets/index.ts'

export interface DeliverParts {
  contentOf: ContentsOf
  targetOf: TargetsOf
}

/** An attempt that takes longer is given up. */
const attemptMs = 25 * 60_000
/** One without a result by then was interrupted. */
const leaseMs = 30 * 60_000
const retryMs = 5 * 60_000
const dayMs = 86_400_000
/** Deliveries under way in this process, and those of one account. */
const atOnce = 10
const ofAccountAtOnce = 2

/** A run whose background job has ended: its file is planned to be delivered to every target. */
export async function planDeliveries(
  ctx: Context,
  { contentOf, targetOf }: Pick<DeliverParts, 'contentOf' | 'targetOf'>,
  { id, scheduleId, jobId }: { id: number; scheduleId: number; jobId: number | null },
): Promise<void> {
  const { db, clock } = ctx
  const schedule = await findSchedule(db, null, scheduleId)
  const run = await findRun(db, id)
  if (!schedule || !run) return
  const content = contentOf(schedule.content)
  const made = jobId === null ? ({ reason: 'canceled', detail: '' } as const) : await content.made(jobId)
  await db.transaction().execute(async (tx) => {
    await lockSchedule(tx, scheduleId)
    if (!(await holdIn(tx, id, 'exporting'))) return
    if ('reason' in made) {
      const about = {
        schedule,
        run: { id, dueAt: new Date(run.dueAt) },
        language: content.languageOf(schedule.content),
      }
      return endWith(ctx, tx, about, { state: 'failed', ...made })
    }
    await noteFile(tx, id, made.file)
    for (const [position, target] of schedule.targets.entries()) {
      const name = await targetOf(target).nameOf(tx, target)
      await insertDelivery(tx, { runId: id, position, kind: target.kind, name, at: clock.now() })
    }
  })
}

/** Delivers files to targets, a few at once, so that a slow server holds nobody else up. */
export class Deliveries {
  readonly #ctx: Context
  readonly #parts: DeliverParts
  readonly #active = new Map<Promise<void>, number>()
  readonly #ended = new AbortController()

  constructor(ctx: Context, parts: DeliverParts) {
    this.#ctx = ctx
    this.#parts = parts
  }

  /** Begins what is due, as far as there is room. @returns how many */
  async begin(): Promise<number> {
    const { db, clock, log } = this.#ctx
    let begun = 0
    while (this.#active.size < atOnce && !this.#ended.signal.aborted) {
      const now = clock.now()
      const accounts = Map.groupBy(this.#active.values(), (accountId) => accountId)
      const except = [...accounts].flatMap(([id, { length }]) => (length >= ofAccountAtOnce ? [id] : []))
      const delivery = await claimDelivery(db, now, { until: new Date(now.getTime() + leaseMs), except })
      if (!delivery) return begun
      const attempt = this.#attempt(delivery)
        .catch((error: unknown) => log.error({ delivery, err: error }, 'the delivery of an export broke off'))
        .finally(() => this.#active.delete(attempt))
      this.#active.set(attempt, delivery.accountId)
      begun++
    }
    return begun
  }

  /** Waits for what is under way. @returns whether there was anything */
  async finish(): Promise<boolean> {
    const active = [...this.#active.keys()]
    await Promise.all(active)
    return active.length > 0
  }

  /** Breaks off what is under way; it is tried again by the next process. */
  async stop(): Promise<void> {
    this.#ended.abort()
    await this.finish()
  }

  async #attempt(delivery: ClaimedDelivery): Promise<void> {
    const { db, clock, log } = this.#ctx
    const schedule = await findSchedule(db, null, delivery.scheduleId)
    const run = await findRun(db, delivery.runId)
    const target = schedule?.targets[delivery.position]
    if (!schedule || !run || !target) return
    const ending = (outcome: Outcome) =>
      this.#note(delivery, schedule, new Date(run.dueAt), async () => outcome)
    if (delivery.attempt > exportScheduleLimits.attemptsMax)
      return ending({ state: 'failed', reason: 'interrupted', again: false })
    const content = this.#parts.contentOf(schedule.content)
    const made = run.jobId === null ? null : await content.made(run.jobId)
    if (made === null || 'reason' in made || run.period === null)
      return ending({ state: 'failed', reason: 'fileGone', again: false })
    const { start, end } = run.period
    const parcel: Parcel = {
      schedule,
      runId: run.id,
      dueAt: new Date(run.dueAt),
      period: { startMs: Date.parse(start), endMs: Date.parse(end) },
      language: content.languageOf(schedule.content),
      file: made.file,
      position: delivery.position,
      link: (tx) => this.#link(tx, run.id),
      signal: AbortSignal.any([this.#ended.signal, AbortSignal.timeout(attemptMs)]),
    }
    try {
      const note = await this.#parts.targetOf(target).deliver(target, parcel)
      // Broken off by the end of this process: the next one tries again.
      if (this.#ended.signal.aborted) return await releaseDelivery(db, delivery, clock.now())
      await this.#note(delivery, schedule, parcel.dueAt, note)
    } catch (error) {
      if (this.#ended.signal.aborted) return await releaseDelivery(db, delivery, clock.now())
      log.error(
        { exportScheduleId: schedule.id, run: run.id, err: error },
        'a scheduled export was not delivered',
      )
      await ending({ state: 'failed', reason: 'internal', again: true })
    }
  }

  /** Notes the outcome of an attempt; the last of all ends the run. */
  async #note(
    delivery: ClaimedDelivery,
    schedule: ScheduleRow,
    dueAt: Date,
    outcomeIn: (tx: Executor) => Promise<Outcome>,
  ): Promise<void> {
    const { db, clock } = this.#ctx
    await db.transaction().execute(async (tx) => {
      await lockSchedule(tx, schedule.id)
      if (!(await holdIn(tx, delivery.runId, 'delivering')) || !(await holdDelivery(tx, delivery))) return
      const outcome = await outcomeIn(tx)
      const now = clock.now()
      const isRepeated =
        outcome.state === 'failed' && outcome.again && delivery.attempt < exportScheduleLimits.attemptsMax
      const retryAt = isRepeated ? new Date(now.getTime() + delivery.attempt * retryMs) : null
      await noteOutcome(tx, delivery, outcome, { retryAt, at: now })
      const counts = await countDeliveries(tx, delivery.runId)
      if (counts.waiting > 0) return
      const language = this.#parts.contentOf(schedule.content).languageOf(schedule.content)
      await endWith(
        this.#ctx,
        tx,
        { schedule, run: { id: delivery.runId, dueAt }, language },
        endingOf(counts),
      )
    })
  }

  async #link(tx: Executor, runId: number): Promise<string> {
    const { config, clock } = this.#ctx
    const token = randomBytes(32).toString('base64url')
    const expiresAt = new Date(clock.now().getTime() + exportScheduleLimits.linkDays * dayMs)
    await insertLink(tx, { tokenHash: hashToken(token), runId, expiresAt })
    return `${config.publicUrl}/api/export-files/${token}`
  }
}

function endingOf({ sent, failed }: { sent: number; failed: number }): Ending {
  if (failed === 0) return { state: 'done' }
  return sent > 0 ? { state: 'partly' } : { state: 'failed', reason: 'notDelivered' }
}
