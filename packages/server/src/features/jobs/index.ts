import type { BackgroundJob } from '@leitstand/contract/jobs'
import type { Context } from '../../platform/context.ts'
import type { Executor } from '../../platform/db/index.ts'
import { AppError } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { os } from '../../platform/http/implement.ts'
import { recordActivity } from '../activity/index.ts'
import { type JobKind, JobRunner, jobLimits } from './runner.ts'
import {
  countOpen,
  deleteOldJobs,
  findJob,
  insertJob,
  type JobRecord,
  type JobViewer,
  listJobs,
  type NewJob,
  reopenJob,
  requestCancel,
} from './store.ts'

export { advance, type JobKind } from './runner.ts'
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
          const reopened = await reopenJob(tx, input.id)
          if (reopened) await runner.queue(tx, input.id)
          return reopened
        }),
      ),
    },
  }

  return {
    routes,
    define: (kind: JobKind): void => runner.define(kind),
    /**
     * Queues a job with its activity entry. The caller has checked the rights.
     * @param changes what the activity log says beside it
     * @throws AppError TOO_MANY_REQUESTS when the account has too many that are not finished
     */
    async create(
      caller: Caller,
      job: Omit<NewJob, 'userId' | 'userName'>,
      changes: Record<string, unknown>,
    ): Promise<BackgroundJob> {
      return db.transaction().execute(async (tx) => {
        if ((await countOpen(tx, job.accountId)) >= jobLimits.openMax)
          throw new AppError('TOO_MANY_REQUESTS', { openJobsMax: jobLimits.openMax })
        const user = { userId: caller.userId, userName: caller.name }
        const record = await insertJob(tx, { ...job, ...user }, clock.now())
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

const subjects = { connector: 'Connector', driver: 'DeviceDriver', virtualDevice: 'VirtualDevice' } as const

function activityOf(job: JobRecord, action: string) {
  return {
    action,
    subject: subjects[job.resourceType],
    objectId: job.resourceId,
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
