import type { BackgroundJob } from '@leitstand/contract/jobs'
import type { Context } from '../../platform/context.ts'
import type { Executor } from '../../platform/db/index.ts'
import { AppError } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { recordActivity } from '../activity/index.ts'
import type { PeopleFeature } from '../people/index.ts'
import { askedBy, type Demands } from './asked.ts'
import { activityOf, jobRoutes, jobsFor, present } from './routes.ts'
import { insertRows, type NewJobRow } from './rows.store.ts'
import { type JobKind, JobRunner, jobLimits } from './runner.ts'
import {
  countOpen,
  deleteOldJobs,
  findEnded,
  findJob,
  hasUnfinished,
  insertJob,
  type JobRecord,
  type JobsAbout,
  type NewJob,
} from './store.ts'

export { mayWriteDevices, mayWriteTwins } from './asked.ts'
export {
  type JobRowRecord,
  type NewJobRow,
  nextRows,
  noteRows,
  type RowResult,
  takeRows,
} from './rows.store.ts'
export { advance, advanceRows, type JobKind } from './runner.ts'
export { findOutdated, forgetFile, type JobRecord, moveJobs, noteFile } from './store.ts'

export type JobsFeature = ReturnType<typeof register>

const cleanQueue = 'background.clean'
const dayMs = 86_400_000

/**
 * Long-running background jobs started by users: done page by page, visible, can be cancelled and resumed.
 */
export function register(ctx: Context, { people }: { people: PeopleFeature }) {
  const { db, clock } = ctx
  const runner = new JobRunner(ctx, people.standingOf)
  const clean = () => deleteOldJobs(db, new Date(clock.now().getTime() - jobLimits.keptDays * dayMs))
  ctx.jobs.work(cleanQueue, clean, { pollSeconds: 60 })
  ctx.jobs.schedule(cleanQueue, '41 3 * * *')

  return {
    routes: jobRoutes(ctx, runner),
    define: <P>(kind: JobKind<P>): void => runner.define(kind),
    /**
     * Queues a job and writes its activity entry. The caller has checked the rights; the job ends when they
     * are revoked.
     * @param changes additional details for the activity log
     * @param rows units of work with one result each; those with faults count as done
     * @param within a transaction of the caller
     * @throws AppError TOO_MANY_REQUESTS when the account has too many unfinished jobs
     */
    async create(
      caller: Caller,
      { demands, ...job }: Omit<NewJob, 'userId' | 'userName' | 'asker'> & { demands: Demands },
      changes: Record<string, unknown>,
      rows: readonly NewJobRow[] = [],
      within?: Executor,
    ): Promise<BackgroundJob> {
      const work = async (tx: Executor) => {
        if ((await countOpen(tx, job.accountId)) >= jobLimits.openMax)
          throw new AppError('TOO_MANY_REQUESTS', { openJobsMax: jobLimits.openMax })
        const user = { userId: caller.userId, userName: caller.name, asker: askedBy(caller, demands) }
        const record = await insertJob(tx, { ...job, ...user }, clock.now())
        await insertRows(tx, record.id, rows)
        await recordActivity(tx, caller, { ...activityOf(record, job.type), changes })
        await runner.queue(tx, record.id)
        return present(record)
      }
      return within ? work(within) : db.transaction().execute(work)
    },
    /**
     * A job the caller may change: their own, or one of an account they manage.
     * @throws AppError BACKGROUND_JOB_NOT_FOUND, NO_PERMISSION
     */
    requireOwn: (caller: Caller, id: number): Promise<JobRecord> => jobsFor(db).requireOwn(caller, id),
    /** A job, for a feature that has checked the rights on what the job works on. */
    async find(id: number, within: Executor = db): Promise<BackgroundJob | undefined> {
      const job = await findJob(within, id, null)
      return job && present(job)
    },
    /** Which of these jobs have ended or were deleted. */
    findEnded: (ids: readonly number[]): Promise<number[]> => findEnded(db, ids),
    /** Whether a job that began with these parameters is not done: it runs, or can be resumed. */
    hasUnfinished: (db: Executor, about: JobsAbout): Promise<boolean> => hasUnfinished(db, about),
    async start(): Promise<void> {
      await runner.resume()
    },
  }
}
