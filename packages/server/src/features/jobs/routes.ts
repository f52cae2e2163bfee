import type { BackgroundJob, JobRow } from '@leitstand/contract/jobs'
import { jobKinds } from '@leitstand/contract/jobs/kinds'
import type { Context } from '../../platform/context.ts'
import { streamOf } from '../../platform/csv.ts'
import type { Executor } from '../../platform/db/index.ts'
import { AppError } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { os } from '../../platform/http/implement.ts'
import { recordActivity } from '../activity/index.ts'
import { askedAgainBy } from './asked.ts'
import { failedLines } from './failed.ts'
import { type JobRowRecord, listRows } from './rows.store.ts'
import type { JobRunner } from './runner.ts'
import {
  deleteQueued,
  findJob,
  type JobRecord,
  type JobViewer,
  listJobs,
  reopenJob,
  requestCancel,
} from './store.ts'

/** Jobs a caller may see or change. */
export function jobsFor(db: Executor) {
  /** @throws AppError BACKGROUND_JOB_NOT_FOUND */
  async function requireJob(caller: Caller, id: number, from: Executor = db): Promise<JobRecord> {
    const job = await findJob(from, id, viewerOf(caller))
    if (job === undefined) throw new AppError('BACKGROUND_JOB_NOT_FOUND')
    return job
  }
  return {
    requireJob,
    /**
     * @throws AppError NO_PERMISSION when another user started it and the caller does not manage its account
     */
    async requireOwn(caller: Caller, id: number): Promise<JobRecord> {
      const job = await requireJob(caller, id)
      const isOwn = job.userId !== null && job.userId === caller.userId
      if (isOwn || caller.scopeIds('all', 'manage').includes(job.scopeId)) return job
      throw new AppError('NO_PERMISSION', { needed: [{ subject: 'all', action: 'manage' }] })
    },
  }
}

/** List, read, cancel and resume jobs. Callers who may not see a job get not found. */
export function jobRoutes({ db, clock }: Context, runner: JobRunner) {
  const { requireJob, requireOwn: requireOwnJob } = jobsFor(db)

  /** Cancels or resumes a job, with an activity entry. */
  async function change(
    caller: Caller,
    id: number,
    action: 'cancel' | 'retry',
    apply: (tx: Executor) => Promise<boolean>,
  ): Promise<BackgroundJob> {
    const job = await requireOwnJob(caller, id)
    await db.transaction().execute(async (tx) => {
      if (!(await apply(tx))) throw new AppError('BACKGROUND_JOB_STATE', { state: job.state })
      await recordActivity(tx, caller, activityOf(job, action))
    })
    return present(await requireJob(caller, id))
  }

  return {
    job: {
      list: os.job.list.handler(async ({ input, context: { caller } }) => {
        const viewer = input.managed ? managerOf(caller) : viewerOf(caller)
        const { items, total } = await listJobs(db, viewer, input)
        const shown = items.map(({ accountName, ...job }) => ({ ...present(job), accountName }))
        return { items: shown, total, offset: input.offset, limit: input.limit }
      }),
      get: os.job.get.handler(async ({ input, context: { caller } }) =>
        present(await requireJob(caller, input.id)),
      ),
      cancel: os.job.cancel.handler(({ input, context: { caller } }) =>
        change(caller, input.id, 'cancel', (tx) => requestCancel(tx, input.id, clock.now())),
      ),
      retry: os.job.retry.handler(({ input, context: { caller } }) =>
        change(caller, input.id, 'retry', async (tx) => {
          const job = await requireJob(caller, input.id, tx)
          const reopened = await reopenJob(tx, input.id, {
            asker: askedAgainBy(caller, job),
            params: runner.kindOf(job.type)?.renew?.(job, caller),
          })
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
        const job = await requireOwnJob(caller, input.id)
        return {
          headers: {
            'content-type': 'text/csv; charset=utf-8',
            'content-disposition': `attachment; filename="failed-${job.id}.csv"`,
          },
          body: streamOf(failedLines(db, job, runner.headerOf(job), input.language)),
        }
      }),
      delete: os.job.delete.handler(async ({ input, context: { caller } }) => {
        const job = await requireOwnJob(caller, input.id)
        await db.transaction().execute(async (tx) => {
          if (!(await deleteQueued(tx, job.id)))
            throw new AppError('BACKGROUND_JOB_STATE', { state: job.state })
          await recordActivity(tx, caller, activityOf(job, 'delete'))
        })
        return { ok: true as const }
      }),
    },
  }
}

/**
 * Users who can read one of these in an account see other users' jobs there (specification 3, section 6); so do those who
 * manage devices, because most jobs are theirs.
 */
const jobReaders = ['DigitalTwin', 'IotHub', 'VirtualDevice'] as const

function viewerOf(caller: Caller): JobViewer {
  const scopeIds = [
    ...jobReaders.flatMap((subject) => caller.scopeIds(subject, 'read')),
    ...caller.scopeIds('VirtualDevice', 'manage'),
  ]
  return { scopeIds: [...new Set([...scopeIds, ...caller.scopeIds('all', 'manage')])], userId: caller.userId }
}

/** Sees the jobs of the accounts that the caller manages. */
function managerOf(caller: Caller): JobViewer {
  return { scopeIds: caller.scopeIds('all', 'manage'), userId: null }
}

const subjects = {
  connector: 'Connector',
  driver: 'DeviceDriver',
  virtualDevice: 'VirtualDevice',
  account: 'VirtualDevice',
  deviceTemplate: 'DeviceTemplate',
  digitalTwin: 'DigitalTwin',
} as const

/** The activity entry about a job. */
export function activityOf(job: JobRecord, action: string) {
  return {
    action,
    subject: 'ofTwins' in jobKinds[job.type] ? 'DigitalTwin' : subjects[job.resourceType],
    // A job on many devices of an account has no single object.
    objectId: job.resourceType === 'account' ? null : job.resourceId,
    objectTitle: job.title,
    accountId: job.accountId,
    changes: { backgroundJob: job.id, type: job.type },
    isChange: false as const,
  }
}

/** A job as the API returns it. */
export function present(job: JobRecord): BackgroundJob {
  const { id, type, state, title, accountId, total, done, result, error, cancelRequested, file } = job
  return {
    id,
    type,
    state,
    title,
    accountId,
    total,
    done,
    result,
    error,
    cancelRequested,
    file,
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
