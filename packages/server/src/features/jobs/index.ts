import type { BackgroundJob, JobRow } from '@leitstand/contract/jobs'
import type { Context } from '../../platform/context.ts'
import { streamOf } from '../../platform/csv.ts'
import type { Executor } from '../../platform/db/index.ts'
import { AppError } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { os } from '../../platform/http/implement.ts'
import { recordActivity } from '../activity/index.ts'
import { failedLines } from './failed.ts'
import { insertRows, type JobRowRecord, listRows, type NewJobRow } from './rows.store.ts'
import { type JobKind, JobRunner, jobLimits } from './runner.ts'
import {
  countOpen,
  deleteOldJobs,
  deleteQueued,
  findJob,
  insertJob,
  type JobRecord,
  type JobViewer,
  listJobs,
  type NewJob,
  reopenJob,
  requestCancel,
} from './store.ts'

export {
  type JobRowRecord,
  type NewJobRow,
  nextRows,
  noteRows,
  type RowResult,
  takeRows,
} from './rows.store.ts'
export { advance, advanceRows, type JobKind } from './runner.ts'
export type { JobRecord } from './store.ts'

export type JobsFeature = ReturnType<typeof register>

const cleanQueue = 'background.clean'
const dayMs = 86_400_000

/** Long work somebody asked for: page by page in the background, visible, to be cancelled and resumed. */
export function register(ctx: Context) {
  const { db, clock } = ctx
  const runner = new JobRunner(ctx)
  const clean = () => deleteOldJobs(db, new Date(clock.now().getTime() - jobLimits.keptDays * dayMs))
  ctx.jobs.work(cleanQueue, clean, { pollSeconds: 60 })
  ctx.jobs.schedule(cleanQueue, '41 3 * * *')

  async function requireJob(caller: Caller, id: number): Promise<JobRecord> {
    const job = await findJob(db, id, viewerOf(caller))
    if (job === undefined) throw new AppError('BACKGROUND_JOB_NOT_FOUND')
    return job
  }

  /** Cancels or goes on, with an activity entry. */
  async function change(
    caller: Caller,
    id: number,
    action: 'cancel' | 'retry',
    apply: (tx: Executor) => Promise<boolean>,
  ): Promise<BackgroundJob> {
    const job = await requireJob(caller, id)
    await db.transaction().execute(async (tx) => {
      if (!(await apply(tx))) throw new AppError('BACKGROUND_JOB_STATE', { state: job.state })
      await recordActivity(tx, caller, activityOf(job, action))
    })
    return present(await requireJob(caller, id))
  }

  const routes = {
    job: {
      list: os.job.list.handler(async ({ input, context: { caller } }) => {
        const { items, total } = await listJobs(db, viewerOf(caller), input)
        return { items: items.map(present), total, offset: input.offset, limit: input.limit }
      }),
      get: os.job.get.handler(async ({ input, context: { caller } }) =>
        present(await requireJob(caller, input.id)),
      ),
      cancel: os.job.cancel.handler(({ input, context: { caller } }) =>
        change(caller, input.id, 'cancel', (tx) => requestCancel(tx, input.id, clock.now())),
      ),
      retry: os.job.retry.handler(({ input, context: { caller } }) =>
        change(caller, input.id, 'retry', async (tx) => {
          const job = await requireJob(caller, input.id)
          const reopened = await reopenJob(tx, input.id, runner.kindOf(job.type)?.renew?.(job, caller))
          if (reopened) await runner.queue(tx, input.id)
          return reopened
        }),
      ),
      rows: os.job.rows.handler(async ({ input, context: { caller } }) => {
        await requireJob(caller, input.id)
        const { items, total } = await listRows(db, input.id, input)
        return { items: items.map(presentRow), total, offset: input.offset, limit: input.limit }
      }),
      failedCsv: os.job.failedCsv.handler(async ({ input, context: { caller } }) => {
        const job = await requireJob(caller, input.id)
        return {
          headers: {
            'content-type': 'text/csv; charset=utf-8',
            'content-disposition': `attachment; filename="failed-${job.id}.csv"`,
          },
          body: streamOf(failedLines(db, job, input.language)),
        }
      }),
      delete: os.job.delete.handler(async ({ input, context: { caller } }) => {
        const job = await requireJob(caller, input.id)
        await db.transaction().execute(async (tx) => {
          if (!(await deleteQueued(tx, job.id)))
            throw new AppError('BACKGROUND_JOB_STATE', { state: job.state })
          await recordActivity(tx, caller, activityOf(job, 'delete'))
        })
        return { ok: true as const }
      }),
    },
  }

  return {
    routes,
    define: (kind: JobKind): void => runner.define(kind),
    /**
     * Queues a job with its activity entry. The caller has checked the rights.
     * @param changes what the activity log says beside it
     * @param rows pieces of work with a result each; those with faults count as done
     * @throws AppError TOO_MANY_REQUESTS when the account has too many that are not finished
     */
    async create(
      caller: Caller,
      job: Omit<NewJob, 'userId' | 'userName'>,
      changes: Record<string, unknown>,
      rows: readonly NewJobRow[] = [],
    ): Promise<BackgroundJob> {
      return db.transaction().execute(async (tx) => {
        if ((await countOpen(tx, job.accountId)) >= jobLimits.openMax)
          throw new AppError('TOO_MANY_REQUESTS', { openJobsMax: jobLimits.openMax })
        const user = { userId: caller.userId, userName: caller.name }
        const record = await insertJob(tx, { ...job, ...user }, clock.now())
        await insertRows(tx, record.id, rows)
        await recordActivity(tx, caller, { ...activityOf(record, job.type), changes })
        await runner.queue(tx, record.id)
        return present(record)
      })
    },
    async start(): Promise<void> {
      await runner.resume()
    },
  }
}

function viewerOf(caller: Caller): JobViewer {
  return { scopeIds: caller.scopeIds('all', 'manage'), userId: caller.userId }
}

const subjects = {
  connector: 'Connector',
  driver: 'DeviceDriver',
  virtualDevice: 'VirtualDevice',
  account: 'VirtualDevice',
} as const

function activityOf(job: JobRecord, action: string) {
  return {
    action,
    subject: subjects[job.resourceType],
    // Many devices of an account are no object of the log.
    objectId: job.resourceType === 'account' ? null : job.resourceId,
    objectTitle: job.title,
    accountId: job.accountId,
    changes: { backgroundJob: job.id, type: job.type },
  }
}

function present(job: JobRecord): BackgroundJob {
  const { id, type, state, title, accountId, total, done, result, error, cancelRequested } = job
  return {
    ...{ id, type, state, title, accountId, total, done, result, error, cancelRequested },
    user: job.userName,
    resource: { type: job.resourceType, id: job.resourceId },
    createdAt: job.createdAt.toISOString(),
    startedAt: job.startedAt?.toISOString() ?? null,
    stoppedAt: job.stoppedAt?.toISOString() ?? null,
  }
}

function presentRow({ row, state, objectId, title, faults }: JobRowRecord): JobRow {
  return { row, state, objectId, title, faults }
}
