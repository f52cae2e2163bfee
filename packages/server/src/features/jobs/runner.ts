import { setTimeout as delay } from 'node:timers/promises'
import type { JsonValue } from '@leitstand/contract/common'
import { errorCatalogue } from '@leitstand/contract/errors'
import { type JobType, jobTypes } from '@leitstand/contract/jobs/kinds'
import type * as z from 'zod'
import type { Context } from '../../platform/context.ts'
import type { Executor } from '../../platform/db/index.ts'
import { AppError, messageOf } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/caller.ts'
import type { JobRun } from '../../platform/jobs/index.ts'
import type { PeopleFeature } from '../people/index.ts'
import { mayGoOn } from './asked.ts'
import { countRows } from './rows.store.ts'
import { type Advance, advanceJob, findJob, type JobRecord, listOpen, markStarted, stopJob } from './store.ts'

export const jobLimits = {
  /** jobs of one account that are not finished */
  openMax: 20,
  /** jobs that are at work in this process at the same time */
  concurrency: 2,
  /** a turn ends after this time; the next one is queued behind other jobs */
  turnMs: 20_000,
  /** a turn that is not back by then counts as crashed */
  timeoutSeconds: 300,
  /** attempts of a turn that fails, with growing pauses: about half an hour */
  retries: 8,
  retryDelaySeconds: 5,
  /** a page the pipeline had no room for is tried again after this time */
  busyMs: 500,
  /** finished jobs are kept this many days */
  keptDays: 90,
} as const

export const runQueue = 'background.run'

/** What a job says that was stopped because nobody may do any more what it does. */
const revoked = { code: 'BACKGROUND_JOB_REVOKED', message: errorCatalogue.BACKGROUND_JOB_REVOKED[1] }

/** Another runner has noted the page already: this one must not. */
class Superseded extends Error {}

/** A kind of background job; the feature that owns it defines it. */
export interface JobKind<P> {
  type: JobType
  /** what it works with, as it is stored with the job */
  params: z.ZodType<P>
  /**
   * Does one page of the job from its cursor on, and notes it by `advance` in the transaction of its effects, or right
   * after them where they may happen twice without harm.
   * @returns whether there may be more
   * @throws AppError OVERLOADED: the page is tried again soon; other errors: the turn is tried again later
   */
  page(job: JobRecord, params: P): Promise<boolean>
  /** What the job works with when this caller lets it go on: his rights take the place of those it was begun with. */
  renew?(job: JobRecord, caller: Caller): JsonValue
  /** Titles of the columns of an imported file, whose cells its rows keep. */
  header?(params: P): readonly string[]
}

/** Takes jobs forward page by page, several side by side, each in turns so that a long one does not block the others. */
export class JobRunner {
  readonly #ctx: Context
  readonly #standingOf: PeopleFeature['standingOf']
  readonly #kinds = new Map<JobType, JobKind<unknown>>()
  readonly #running = new Set<number>()

  /** @param standingOf what somebody may do now, null when they would not be let in */
  constructor(ctx: Context, standingOf: PeopleFeature['standingOf']) {
    this.#ctx = ctx
    this.#standingOf = standingOf
    ctx.jobs.work<{ jobId: number }>(runQueue, ({ jobId }, run) => this.#turn(jobId, run), {
      retries: jobLimits.retries,
      retryDelaySeconds: jobLimits.retryDelaySeconds,
      timeoutSeconds: jobLimits.timeoutSeconds,
      concurrency: jobLimits.concurrency,
    })
  }

  define<P>(kind: JobKind<P>): void {
    this.#kinds.set(kind.type, kind as JobKind<unknown>)
  }

  kindOf(type: JobType): JobKind<unknown> | undefined {
    return this.#kinds.get(type)
  }

  /** Titles of the file a job imports; null: it imports none. */
  headerOf({ type, params }: JobRecord): readonly string[] | null {
    const kind = this.#kinds.get(type)
    return kind?.header?.(kind.params.parse(params)) ?? null
  }

  /** Queues a turn of a job; it comes when the transaction commits. */
  async queue(tx: Executor, jobId: number): Promise<void> {
    await this.#ctx.jobs.send(tx, runQueue, { jobId }, { key: `job ${jobId}` })
  }

  /** Goes on with what an earlier process has left. */
  async resume(): Promise<void> {
    const missing = jobTypes.filter((type) => !this.#kinds.has(type))
    if (missing.length > 0)
      throw new Error(`No feature defines background jobs of kind ${missing.join(', ')}`)
    for (const id of await listOpen(this.#ctx.db)) await this.queue(this.#ctx.db, id)
  }

  async #turn(id: number, run: JobRun): Promise<void> {
    if (this.#running.has(id)) return
    this.#running.add(id)
    try {
      await this.#pages(id, run)
    } catch (error) {
      if (error instanceof Superseded) return
      if (run.retry < jobLimits.retries) throw error
      this.#ctx.log.error({ err: error, backgroundJob: id }, 'a background job is given up')
      const code = error instanceof AppError ? error.code : 'INTERNAL_ERROR'
      await stopJob(this.#ctx.db, id, 'failed', { code, message: messageOf(error) }, this.#ctx.clock.now())
    } finally {
      this.#running.delete(id)
    }
  }

  async #pages(id: number, run: JobRun): Promise<void> {
    const { db, clock } = this.#ctx
    await markStarted(db, id, clock.now())
    const endMs = performance.now() + jobLimits.turnMs
    while (!run.signal.aborted) {
      const job = await findJob(db, id, null)
      if (job?.state !== 'inprogress') return
      if (job.cancelRequested) return stopJob(db, id, 'canceled', null, clock.now())
      if (!(await mayGoOn(job, this.#standingOf))) return stopJob(db, id, 'failed', revoked, clock.now())
      const kind = this.#kinds.get(job.type)
      // Of a newer version of the program; it stays until that is back.
      if (kind === undefined) return
      if (!(await this.#page(kind, job, run))) return stopJob(db, id, 'done', null, clock.now())
      if (performance.now() > endMs) return this.queue(db, id)
    }
  }

  /** One page; a busy pipeline is waited for. */
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

/**
 * Notes how far a page has come, in the transaction of its effects.
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

/** The same for a job with rows, by what has come of them; right after them, as it may happen twice without harm. */
export async function advanceRows(db: Executor, job: JobRecord): Promise<void> {
  const counts = await countRows(db, job.id)
  const total = (counts.done ?? 0) + (counts.unchanged ?? 0) + (counts.failed ?? 0)
  const add = Object.fromEntries(
    Object.entries(counts).map(([key, count]) => [key, count - Number(job.result[key] ?? 0)]),
  )
  await advance(db, job, { cursor: null, done: total - job.done, add })
}
