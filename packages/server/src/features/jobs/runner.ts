import { setTimeout as delay } from 'node:timers/promises'
import type { JsonValue } from '@leitstand/contract/common'
import { errorCatalogue } from '@leitstand/contract/errors'
import { type JobType, jobTypes } from '@leitstand/contract/jobs/kinds'
import type * as z from 'zod'
import type { Context } from '../../platform/context.ts'
import type { Executor } from '../../platform/db/index.ts'
import { AppError } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { failureOf, type JobFailure, type JobRun } from '../../platform/jobs/index.ts'
import type { PeopleFeature } from '../people/index.ts'
import { mayGoOn } from './asked.ts'
import { countRows } from './rows.store.ts'
import {
  type Advance,
  advanceJob,
  findJob,
  type JobRecord,
  listOpen,
  markReady,
  markStarted,
  stopJob,
} from './store.ts'

export const jobLimits = {
  /** unfinished jobs of one account */
  openMax: 20,
  /** jobs that run concurrently in this process */
  concurrency: 2,
  /** a turn ends after this time; the next is queued behind other jobs */
  turnMs: 20_000,
  /** a turn that has not ended by then counts as crashed */
  timeoutSeconds: 300,
  /** retries of a failed turn, with backoff: about half an hour in total */
  retries: 8,
  retryDelaySeconds: 5,
  /** delay before a page is retried that the pipeline had no capacity for */
  busyMs: 500,
  /** finished jobs are kept this many days */
  keptDays: 90,
} as const

export const runQueue = 'background.run'

/** Error of a job that was stopped because its rights were revoked. */
const revoked = { code: 'BACKGROUND_JOB_REVOKED', message: errorCatalogue.BACKGROUND_JOB_REVOKED[1] }

/** Error of a job whose last attempt did not end. */
const interrupted: JobFailure = {
  code: 'BACKGROUND_JOB_INTERRUPTED',
  message: errorCatalogue.BACKGROUND_JOB_INTERRUPTED[1],
}

/** Another runner has already stored the page, so this one must not. */
class Superseded extends Error {}

/** A kind of background job; the feature that owns it defines it. */
export interface JobKind<P> {
  type: JobType
  /** its parameters, as stored with the job */
  params: z.ZodType<P>
  /**
   * Processes one page of the job from its cursor, and calls `advance` in the transaction of the effects, or
   * right after it when the effects are idempotent.
   * @returns whether there may be more
   * @throws AppError OVERLOADED: the page is retried soon; other errors: the turn is retried later
   */
  page(job: JobRecord, params: P): Promise<boolean>
  /**
   * What is left when all pages are done, such as writing the file; idempotent, because it is repeated after a crash. It stops
   * when the signal is aborted, or `isCancelled` is true.
   */
  finish?(
    job: JobRecord,
    params: P,
    run: { signal: AbortSignal; isCancelled(): Promise<boolean> },
  ): Promise<void>
  /** New parameters when this caller resumes the job: the caller's rights replace the original ones. */
  renew?(job: JobRecord, caller: Caller): JsonValue
  /** Column titles of an imported file, whose cells are stored in the rows. */
  header?(params: P): readonly string[]
}

/**
 * Runs jobs page by page, several concurrently, each in turns so that a long one does not block the others.
 */
export class JobRunner {
  readonly #ctx: Context
  readonly #standingOf: PeopleFeature['standingOf']
  readonly #kinds = new Map<JobType, JobKind<unknown>>()
  readonly #running = new Set<number>()

  /** @param standingOf the current rights of an asker, null when they no longer have access */
  constructor(ctx: Context, standingOf: PeopleFeature['standingOf']) {
    this.#ctx = ctx
    this.#standingOf = standingOf
    ctx.jobs.work<{ jobId: number }>(runQueue, ({ jobId }, run) => this.#turn(jobId, run), {
      retries: jobLimits.retries,
      retryDelaySeconds: jobLimits.retryDelaySeconds,
      timeoutSeconds: jobLimits.timeoutSeconds,
      concurrency: jobLimits.concurrency,
      givenUp: ({ jobId }, failure) => this.#giveUp(jobId, failure ?? interrupted),
    })
  }

  define<P>(kind: JobKind<P>): void {
    this.#kinds.set(kind.type, kind as JobKind<unknown>)
  }

  kindOf(type: JobType): JobKind<unknown> | undefined {
    return this.#kinds.get(type)
  }

  /** Column titles of the file a job imports; null: it imports none. */
  headerOf({ type, params }: JobRecord): readonly string[] | null {
    const kind = this.#kinds.get(type)
    return kind?.header?.(kind.params.parse(params)) ?? null
  }

  /** Queues a turn of a job; it takes effect when the transaction commits. */
  async queue(tx: Executor, jobId: number): Promise<void> {
    await this.#ctx.jobs.send(tx, runQueue, { jobId })
  }

  /** Queues a turn of unfinished jobs that have none, for example because only a newer version knows their kind. */
  async resume(): Promise<void> {
    const missing = jobTypes.filter((type) => !this.#kinds.has(type))
    if (missing.length > 0)
      throw new Error(`No feature defines background jobs of kind ${missing.join(', ')}`)
    const open = (await listOpen(this.#ctx.db)).map((jobId) => ({ jobId }))
    // Others would begin with all attempts again, after each crash that they cause.
    for (const { jobId } of await this.#ctx.jobs.withoutJob(runQueue, open))
      await this.queue(this.#ctx.db, jobId)
  }

  async #turn(id: number, run: JobRun): Promise<void> {
    // The one before has not ended, though its time is over. If this one ended well, nothing would go on with the job.
    if (this.#running.has(id)) throw new Error('the turn before has not ended')
    this.#running.add(id)
    try {
      await this.#pages(id, run)
    } catch (error) {
      if (error instanceof Superseded) return
      if (!isFinal(error)) throw error
      await this.#giveUp(id, failureOf(error))
    } finally {
      this.#running.delete(id)
    }
  }

  async #giveUp(id: number, error: JobFailure): Promise<void> {
    this.#ctx.log.error({ backgroundJob: id, error }, 'a background job is given up')
    await stopJob(this.#ctx.db, id, 'failed', error, this.#ctx.clock.now())
  }

  async #pages(id: number, run: JobRun): Promise<void> {
    const { db, clock } = this.#ctx
    await markStarted(db, id, clock.now())
    const endMs = performance.now() + jobLimits.turnMs
    while (!run.signal.aborted) {
      const job = await findJob(db, id, null)
      if (job?.state !== 'inprogress' && job?.state !== 'postprocessing') return
      if (job.cancelRequested) return stopJob(db, id, 'canceled', null, clock.now())
      if (!(await mayGoOn(job, this.#standingOf))) return stopJob(db, id, 'failed', revoked, clock.now())
      const kind = this.#kinds.get(job.type)
      // A kind from a newer version; the job waits until that version runs again.
      if (kind === undefined) return
      if (job.state === 'postprocessing') {
        await this.#finish(kind, job, run)
        const ended = (await findJob(db, id, null))?.cancelRequested ? 'canceled' : 'done'
        return run.signal.aborted ? undefined : stopJob(db, id, ended, null, clock.now())
      }
      if (!(await this.#page(kind, job, run))) {
        if (!kind.finish) return stopJob(db, id, 'done', null, clock.now())
        await markReady(db, id)
      }
      if (performance.now() > endMs) return this.queue(db, id)
    }
  }

  async #finish(kind: JobKind<unknown>, job: JobRecord, run: JobRun): Promise<void> {
    this.#ctx.loopDelay.note(() => `job ${job.type}`)
    const isCancelled = async () => (await findJob(this.#ctx.db, job.id, null))?.cancelRequested ?? true
    await kind.finish?.(job, kind.params.parse(job.params), { signal: run.signal, isCancelled })
  }

  /** Processes one page; waits while the pipeline is busy. */
  async #page(kind: JobKind<unknown>, job: JobRecord, run: JobRun): Promise<boolean> {
    this.#ctx.loopDelay.note(() => `job ${job.type}`)
    try {
      return await kind.page(job, kind.params.parse(job.params))
    } catch (error) {
      if (!(error instanceof AppError && error.code === 'OVERLOADED') || run.signal.aborted) throw error
      await delay(jobLimits.busyMs)
      return true
    }
  }
}

/** Statuses of errors that another attempt does not mend: something is missing, not allowed, or cannot be done. */
const finalStatuses = new Set([400, 403, 404, 422])

function isFinal(error: unknown): boolean {
  return error instanceof AppError && finalStatuses.has(error.status)
}

/**
 * Stores the progress of a page, in the transaction of its effects.
 * @param add counts added to the result
 */
export async function advance(
  tx: Executor,
  job: JobRecord,
  to: { cursor: JsonValue; done: number; total?: number; add: Readonly<Record<string, number>> },
): Promise<void> {
  const result: Advance['result'] = { ...job.result }
  for (const [key, count] of Object.entries(to.add)) {
    if (count > 0) result[key] = Number(result[key] ?? 0) + count
  }
  const done = job.done + to.done
  const total = Math.max(to.total ?? job.total, done)
  if (!(await advanceJob(tx, job, { cursor: to.cursor, done, total, result })))
    throw new Superseded('another runner has taken the same page')
}

/**
 * The same for a job with rows, from their results; called after their transaction, since it is idempotent.
 */
export async function advanceRows(db: Executor, job: JobRecord): Promise<void> {
  const counts = await countRows(db, job.id)
  const total = (counts.done ?? 0) + (counts.unchanged ?? 0) + (counts.failed ?? 0)
  const add = Object.fromEntries(
    Object.entries(counts).map(([key, count]) => [key, count - Number(job.result[key] ?? 0)]),
  )
  await advance(db, job, { cursor: null, done: total - job.done, add })
}
