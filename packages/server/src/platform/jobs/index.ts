import type { ErrorCode } from '@leitstand/contract/errors'
import { type CompiledQuery, sql } from 'kysely'
import { fromKysely, type JobResult, type JobWithMetadata, PgBoss } from 'pg-boss'
import type { Database, Db, Executor } from '../db/index.ts'
import { AppError, messageOf } from '../errors.ts'
import type { Logger } from '../log.ts'
import type { Metrics } from '../metrics.ts'
import { Slots } from '../slots.ts'

export interface JobRun {
  id: string
  /** 0 at the first attempt */
  retry: number
  /** aborted when the job times out or the server stops */
  signal: AbortSignal
}

export type JobHandler<T> = (data: T, run: JobRun) => Promise<void>

/** What an attempt has thrown. */
export interface JobFailure {
  code: ErrorCode
  message: string
}

/**
 * Called once a job is out of attempts, however the last one ended, and again after an error or a crash.
 * @param failure of the last attempt; null: it did not end in the handler, because the process died or its time was over.
 * After its time was over, the handler may still be running.
 */
export type GivenUpHandler<T> = (data: T, failure: JobFailure | null) => Promise<void>

export interface QueueSettings<T extends object = object> {
  /** attempts after the first one; the delay doubles from `retryDelaySeconds` */
  retries?: number
  retryDelaySeconds?: number
  /** an attempt that takes longer counts as failed */
  timeoutSeconds?: number
  /** jobs of this queue that run at the same time in this process */
  concurrency?: number
  /** jobs that a worker takes and runs at once; while there are so many, it does not wait for the next poll */
  batch?: number
  /** polling interval; 1 s where a user waits for the result */
  pollSeconds?: number
  /** not called while the queue has another open job with the same data, which decides instead */
  givenUp?: GivenUpHandler<T>
}

export interface SendSettings {
  startAfter?: Date
}

type Settings = Required<Omit<QueueSettings, 'givenUp'>>

interface Queue {
  name: string
  settings: Settings
  /** the queue that pg-boss moves jobs to that are out of attempts */
  deadLetter?: string
  handler(job: JobWithMetadata<object>, signal: AbortSignal): Promise<void>
}

const defaults: Settings = {
  retries: 5,
  retryDelaySeconds: 10,
  timeoutSeconds: 300,
  concurrency: 1,
  batch: 1,
  pollSeconds: 1,
}
/** Many jobs are out of attempts at once when what they need was away for hours. The last retry is after eight hours. */
const givenUpSettings: Settings = {
  ...defaults,
  retries: 10,
  retryDelaySeconds: 30,
  timeoutSeconds: 60,
  batch: 10,
  pollSeconds: 5,
}
/** Each queue polls on its own; together they must leave the connections of the pool to requests. */
const statementsMax = 4
const statementsWaitingMax = 1_000
/** A job whose process has said nothing for so long is taken over by another one, with pg-boss's next look every minute. */
const heartbeatSeconds = 30
/** How long finished jobs are kept for inspection. */
const keepSeconds = 7 * 24 * 3600
const stopTimeoutMs = 5000

/** Deferred work that survives a restart and is retried: queues and schedules in the database (pg-boss). */
export class Jobs implements AsyncDisposable {
  readonly #boss: PgBoss
  readonly #db: Db
  readonly #log: Logger
  readonly #queues: Queue[] = []
  readonly #schedules: { name: string; cron: string; timeZone: string }[] = []
  readonly #counter
  #started = false
  #stopped: Promise<void> | undefined

  constructor({ db, query }: Pick<Database, 'db' | 'query'>, log: Logger, metrics: Metrics) {
    this.#db = db
    this.#log = log
    this.#counter = metrics.counter('jobs_total', 'Attempts of background jobs', ['queue', 'result'])
    const slots = new Slots({ runningMax: statementsMax, waitingMax: statementsWaitingMax })
    this.#boss = new PgBoss({
      db: { executeSql: (text, values) => slots.run(() => query(text, values)) },
      schema: 'pgboss',
    })
    this.#boss.on('error', (error) => log.error({ err: error }, 'jobs'))
    this.#boss.on('warning', (warning) => log.warn(warning, 'jobs'))
  }

  /**
   * Registers the handler of a queue, before `start`.
   * @param handler throws to request a retry; its data is the JSON that was sent
   */
  work<T extends object>(
    name: string,
    handler: JobHandler<T>,
    { givenUp, ...settings }: QueueSettings<T> = {},
  ): void {
    if (this.#started) throw new Error(`queue ${name} registered after the start`)
    const deadLetter = `${name}.givenUp`
    // Before the queue that refers to it.
    if (givenUp)
      this.#queues.push({
        name: deadLetter,
        settings: givenUpSettings,
        handler: async ({ data, output }) => {
          const [lost] = await this.#withoutJob([name], [(data ?? {}) as T])
          if (lost) await givenUp(lost, thrownIn(output))
        },
      })
    this.#queues.push({
      name,
      settings: { ...defaults, ...settings },
      ...(givenUp ? { deadLetter } : {}),
      handler: ({ id, data, retryCount: retry }, signal) => handler((data ?? {}) as T, { id, retry, signal }),
    })
  }

  /** Sends a job to `name` on a schedule. @param cron five fields, e.g. `0 3 * * *` */
  schedule(name: string, cron: string, timeZone = 'UTC'): void {
    this.#schedules.push({ name, cron, timeZone })
  }

  /** Queues a job; with a transaction the job exists if and only if that commits. */
  async send(tx: Executor, name: string, data: object, { startAfter }: SendSettings = {}): Promise<void> {
    const settings = this.#queues.find((queue) => queue.name === name)?.settings
    if (!settings) throw new Error(`there is no queue ${name}`)
    await this.#boss.send(name, data, {
      db: fromKysely({ executeQuery: (query) => tx.executeQuery(query as CompiledQuery<never>) }),
      ...(startAfter ? { startAfter } : {}),
    })
  }

  /**
   * @param works whether this process runs jobs; all of them may send some
   * @param isAlone whether no other process can be running jobs now
   */
  async start({ works, isAlone }: { works: boolean; isAlone: boolean }): Promise<void> {
    this.#started = true
    await this.#boss.start()
    const known = new Map((await this.#boss.getQueues()).map((queue) => [queue.name, queue]))
    for (const { name, settings, deadLetter } of this.#queues) {
      const options = {
        retryLimit: settings.retries,
        retryDelay: settings.retryDelaySeconds,
        retryBackoff: true,
        expireInSeconds: settings.timeoutSeconds,
        heartbeatSeconds,
        deleteAfterSeconds: keepSeconds,
        ...(deadLetter === undefined ? {} : { deadLetter }),
      }
      const queue = known.get(name)
      if (queue === undefined) await this.#boss.createQueue(name, options)
      else if (!isSubset(options, queue)) await this.#boss.updateQueue(name, options)
    }
    await this.#redirectOlder()
    if (isAlone) await this.#releaseInterrupted()
    for (const queue of works ? this.#queues : []) {
      await this.#boss.work(
        queue.name,
        {
          pollingIntervalSeconds: queue.settings.pollSeconds,
          localConcurrency: queue.settings.concurrency,
          batchSize: queue.settings.batch,
          burstWhenBatchFull: true,
          includeMetadata: true,
          perJobResults: true,
        },
        (jobs: JobWithMetadata<object>[]) =>
          Promise.all(jobs.map((job) => this.#attempt(queue, job, job.signal))),
      )
    }
    for (const { name, cron, timeZone } of this.#schedules)
      await this.#boss.schedule(name, cron, null, { tz: timeZone })
  }

  /**
   * Which of these a queue has no open job with: none waits, runs or is being given up. What ought to have a job must be
   * read before the call, and if it was stored in the transaction that sent the job, a missing one has ended.
   */
  withoutJob<T extends object>(name: string, data: readonly T[]): Promise<T[]> {
    const deadLetter = this.#queues.find((queue) => queue.name === name)?.deadLetter
    return this.#withoutJob(deadLetter === undefined ? [name] : [name, deadLetter], data)
  }

  /** Runs every job that is due and resolves when none is left; for tests. */
  async drain(): Promise<void> {
    const { signal } = new AbortController()
    for (let open = await this.#open(); open.size > 0; open = await this.#open()) {
      for (const queue of this.#queues) {
        if (!open.has(queue.name)) continue
        const jobs = await this.#boss.fetch<object>(queue.name, { includeMetadata: true })
        for (const job of jobs) {
          const { status, output } = await this.#attempt(queue, job, signal)
          if (status === 'completed') await this.#boss.complete(queue.name, job.id)
          else await this.#boss.fail(queue.name, job.id, output)
        }
      }
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#started) this.#stopped ??= this.#boss.stop({ graceful: true, timeout: stopTimeoutMs })
    await this.#stopped
  }

  async #attempt(queue: Queue, job: JobWithMetadata<object>, signal: AbortSignal): Promise<JobResult> {
    const { id, retryCount: retry } = job
    try {
      await queue.handler(job, signal)
      this.#counter.inc({ queue: queue.name, result: 'done' })
      return { id, status: 'completed' }
    } catch (error) {
      this.#counter.inc({ queue: queue.name, result: 'failed' })
      this.#log.warn({ err: error, queue: queue.name, jobId: id, retry }, 'job failed')
      return { id, status: 'failed', output: { thrown: failureOf(error) } satisfies Output }
    }
  }

  /** One statement, so that it sees a job that changes its queue or state meanwhile in either of them. */
  async #withoutJob<T extends object>(names: readonly string[], data: readonly T[]): Promise<T[]> {
    const { rows } = await sql<{ at: number }>`
      select given.at::int - 1 as at
      from jsonb_array_elements(${JSON.stringify(data)}::jsonb) with ordinality as given (data, at)
      where not exists (
        select from pgboss.job j
        where j.name = any(${[...names]}) and j.state < 'completed' and j.data = given.data)
      order by given.at`.execute(this.#db)
    return rows.flatMap(({ at }) => data[at] ?? [])
  }

  /** A job keeps the dead letter queue that its queue had when it was sent: in older versions none. */
  async #redirectOlder(): Promise<void> {
    await sql`
      update pgboss.job j set dead_letter = q.dead_letter from pgboss.queue q
      where q.name = j.name and q.dead_letter is not null and j.dead_letter is null and j.state < 'completed'`.execute(
      this.#db,
    )
  }

  /**
   * Jobs that a crash has interrupted are run again at once, not only when their time limit is over. Each counts as an attempt:
   * one that ends the process every time must not do so forever. Those whose last attempt it was are given up.
   */
  async #releaseInterrupted(): Promise<void> {
    await sql`
      update pgboss.job set state = 'retry', start_after = now()
      where state = 'active' and retry_count < retry_limit`.execute(this.#db)
    const { rows } = await sql<{ name: string; ids: string[] }>`
      select name, array_agg(id::text) as ids from pgboss.job where state = 'active' group by name`.execute(
      this.#db,
    )
    for (const { name, ids } of rows) await this.#boss.fail(name, ids)
  }

  /**
   * The queues with jobs that are due or running. A job that a worker is about to take still looks due to others, but `fetch`
   * skips it because it is locked.
   */
  async #open(): Promise<Set<string>> {
    const names = this.#queues.map(({ name }) => name)
    const { rows } = await sql<{ name: string }>`
      /* prepared: jobs.open */
      select distinct name from pgboss.job where name = any(${names}::text[])
        and (state = 'active' or state in ('created', 'retry') and start_after <= now())`.execute(this.#db)
    return new Set(rows.map(({ name }) => name))
  }
}

/** What we store of a failed attempt; what pg-boss stores of one that did not end has other fields. */
interface Output {
  thrown: JobFailure
}

function thrownIn(output: object | null): JobFailure | null {
  return output && 'thrown' in output ? (output as Output).thrown : null
}

/** What callers may see of an error that an attempt has thrown. */
export function failureOf(error: unknown): JobFailure {
  return { code: error instanceof AppError ? error.code : 'INTERNAL_ERROR', message: messageOf(error) }
}

/** Whether `whole` has every field of `part` with the same value. */
function isSubset(part: object, whole: object): boolean {
  const fields = new Map<string, unknown>(Object.entries(whole))
  return Object.entries(part).every(([name, value]) => fields.get(name) === value)
}
