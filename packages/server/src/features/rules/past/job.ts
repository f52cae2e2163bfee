import * as z from 'zod'
import type { Context } from '../../../platform/context.ts'
import { AppError } from '../../../platform/errors.ts'
import { advance, type JobKind, type JobRecord } from '../../jobs/index.ts'
import { Run } from './run.ts'
import { findRun, type RunRow, readReal, storeResult } from './store.ts'

const pageMs = 1_000
const hourMs = 3_600_000
/** Runs that are in memory. Others wait. */
const runsMax = 8
/** One that was cancelled, or is run elsewhere now, is forgotten. */
const idleMsMax = 600_000

const Params = z.object({})
type Params = z.infer<typeof Params>

interface Place {
  run: Run
  usedMs: number
}

/** Whole hours of the period, as the job counts them. */
export function hoursOf({ fromMs, toMs }: Pick<RunRow, 'fromMs' | 'toMs'>): number {
  return Math.ceil((toMs - fromMs) / hourMs)
}

/**
 * The job that runs a rule on the past. What it knows between two pages is in memory: after a restart it begins again, and
 * until it is done it has stored nothing.
 */
export function pastKind(ctx: Context): JobKind<Params> {
  const places = new Map<number, Place>()

  async function runOf(job: JobRecord, row: RunRow): Promise<Run> {
    const nowMs = performance.now()
    for (const [id, { usedMs }] of places) if (nowMs - usedMs > idleMsMax) places.delete(id)
    const known = places.get(job.id)
    if (known !== undefined && job.cursor !== null) {
      known.usedMs = nowMs
      return known.run
    }
    if (known === undefined && places.size >= runsMax) throw new AppError('OVERLOADED')
    const run = await Run.begin(ctx, row)
    places.set(job.id, { run, usedMs: nowMs })
    return run
  }

  return {
    type: 'rule-past',
    params: Params,
    page: async (job) => {
      const row = await findRun(ctx.db, job.id, null)
      // Its twin was deleted.
      if (row === undefined) return false
      const run = await runOf(job, row)
      if (await run.work(pageMs)) {
        const done = Math.min(hoursOf(row) - 1, Math.floor(run.doneMs / hourMs))
        await advance(ctx.db, job, { cursor: { doneMs: run.doneMs }, done: done - job.done, add: {} })
        return true
      }
      places.delete(job.id)
      const result = run.result()
      const real = row.ruleId === null ? null : await readReal(ctx.db, row.ruleId, row)
      await ctx.db.transaction().execute(async (tx) => {
        await storeResult(tx, job.id, { ...result, real })
        const { fired, throttled } = result.draft.results
        await advance(tx, job, {
          cursor: null,
          done: hoursOf(row) - job.done,
          add: { fired, throttled },
        })
      })
      return false
    },
  }
}
