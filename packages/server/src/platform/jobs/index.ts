import { type CompiledQuery, sql } from 'kysely'
import { fromKysely, type JobResult, type JobWithMetadata, PgBoss } from 'pg-boss'
import type { Database, Db, Executor } from '../db/index.ts'
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

export interface QueueSettings {
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
}

export interface SendSettings {
  startAfter?: Date
}

interface Queue {
  name: string
  settings: Required<QueueSettings>
  handler: JobHandler<object>
}

const defaults: Required<QueueSettings> = {
  retries: 5,
  retryDelaySeconds: 10,
  timeoutSeconds: 300,
  concurrency: 1,
  batch: 1,
  pollSeconds: 1,
}
/** Each queue polls on its own; together they must leave the connections of the pool to requests. */
const statementsMax = 4
const statementsWaitingMax = 1_000
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
  work<T extends object>(name: string, handler: JobHandler<T>, settings: QueueSettings = {}): void {
    if (this.#started) throw new Error(`queue ${name} registered after the start`)
    this.#queues.push({
      name,
      handler: handler as JobHandler<object>,
      settings: { ...defaults, ...settings },
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
    if (isAlone) await this.#releaseInterrupted()
    const known = new Map((await this.#boss.getQueues()).map((queue) => [queue.name, queue]))
    for (const { name, settings } of this.#queues) {
      const options = {
        retryLimit: settings.retries,
        retryDelay: settings.retryDelaySeconds,
        retryBackoff: true,
        expireInSeconds: settings.timeoutSeconds,
        deleteAfterSeconds: keepSeconds,
      }
      const queue = known.get(name)
      if (queue === undefined) await this.#boss.createQueue(name, options)
      else if (!isSubset(options, queue)) await this.#boss.updateQueue(name, options)
    }
    for (const queue of works ? this.#queues : []) {
      const handle = async (job: JobWithMetadata<object>): Promise<JobResult> => {
        const { id, data, retryCount: retry, signal } = job
        try {
          await this.#run(queue, data, { id, retry, signal })
          return { id, status: 'completed' }
        } catch (error) {
          return { id, status: 'failed', output: { message: String(error) } }
        }
      }
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
        (jobs: JobWithMetadata<object>[]) => Promise.all(jobs.map(handle)),
      )
    }
    for (const { name, cron, timeZone } of this.#schedules)
      await this.#boss.schedule(name, cron, null, { tz: timeZone })
  }

  /** Runs every job that is due and resolves when none is left; for tests. */
  async drain(): Promise<void> {
    const { signal } = new AbortController()
    let open = true
    while (open) {
      open = false
      for (const queue of this.#queues) {
        const jobs = await this.#boss.fetch<object>(queue.name, { includeMetadata: true })
        for (const job of jobs) {
          open = true
          try {
            await this.#run(queue, job.data, { id: job.id, retry: job.retryCount, signal })
            await this.#boss.complete(queue.name, job.id)
          } catch (error) {
            await this.#boss.fail(queue.name, job.id, { message: String(error) })
          }
        }
      }
      if (!open) open = await this.#anyOpen()
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#started) this.#stopped ??= this.#boss.stop({ graceful: true, timeout: stopTimeoutMs })
    await this.#stopped
  }

  async #run(queue: Queue, data: object, run: JobRun): Promise<void> {
    try {
      await queue.handler(data ?? {}, run)
      this.#counter.inc({ queue: queue.name, result: 'done' })
    } catch (error) {
      this.#counter.inc({ queue: queue.name, result: 'failed' })
      this.#log.warn({ err: error, queue: queue.name, jobId: run.id, retry: run.retry }, 'job failed')
      throw error
    }
  }

  /**
   * Jobs that a crash has interrupted are run again at once, not only when their time limit is over. Each counts as an attempt:
   * one that ends the process every time must not do so forever.
   */
  async #releaseInterrupted(): Promise<void> {
    await sql`
      update pgboss.job set state = 'retry', start_after = now()
      where state = 'active' and retry_count < retry_limit`.execute(this.#db)
  }

  /**
   * A job that a worker is about to take still looks due to others, but `fetch` skips it because it is
   * locked.
   */
  async #anyOpen(): Promise<boolean> {
    const names = this.#queues.map(({ name }) => name)
    const { rows } = await sql<{ open: boolean }>`
      select exists (
        select from pgboss.job where name = any(${names})
          and (state = 'active' or state in ('created', 'retry') and start_after <= now())
      ) as open`.execute(this.#db)
    return rows[0]?.open ?? false
  }
}

/** Whether `whole` has every field of `part` with the same value. */
function isSubset(part: object, whole: object): boolean {
  const fields = new Map<string, unknown>(Object.entries(whole))
  return Object.entries(part).every(([name, value]) => fields.get(name) === value)
}
