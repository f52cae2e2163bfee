import type { Context } from '../../platform/context.ts'
import { DueLoop } from '../../platform/dueLoop.ts'
import { Mutex } from '../../platform/mutex.ts'
import type { JobsFeature } from '../jobs/index.ts'
import { type BeginParts, begin } from './begin.ts'
import { Deliveries, type DeliverParts, planDeliveries } from './deliver.ts'
import { claimRun, listExporting, nextAt, planRuns } from './runs.store.ts'
import { takeDue } from './schedules.store.ts'
import { plan } from './times.ts'

const dueMax = 50
const exportingMax = 1_000
/** Longer than it takes to begin a run: one without a result by then was interrupted. */
const leaseMs = 10 * 60_000

export type ClockParts = BeginParts & DeliverParts & { jobs: Pick<JobsFeature, 'findEnded'> }

/**
 * Runs schedules when they are due: whichever process does it, each time once. A time is noted before it is worked on, a
 * background job begins in the transaction that notes it, and its file is delivered once it has ended.
 */
export function scheduleClock(ctx: Context, parts: ClockParts) {
  const { db, clock, log } = ctx
  const turns = new Mutex()
  const deliveries = new Deliveries(ctx, parts)
  const loop = new DueLoop({
    log,
    clock,
    failure: 'scheduled exports are not run; tried again soon',
    // Rounds go on until nothing is due.
    batchMax: 1,
    nextAt: () => nextAt(db),
    // One at a time: who waits for everything that is due also waits for what is being begun.
    piece: () => turns.run(piece),
  })

  async function piece(): Promise<number> {
    const now = clock.now()
    const planned = await db.transaction().execute(async (tx) => {
      const due = await takeDue(tx, now, dueMax)
      for (const { id, timing, nextAt: at } of due) await planRuns(tx, id, plan(timing, at, now), now)
      return due.length
    })
    const run = await claimRun(db, now, new Date(now.getTime() + leaseMs))
    if (run) await begin(ctx, parts, run)
    return planned + (run ? 1 : 0) + (await endExporting()) + (await deliveries.begin())
  }

  /** @returns how many runs whose background job has ended go on */
  async function endExporting(): Promise<number> {
    const exporting = await listExporting(db, exportingMax)
    if (exporting.length === 0) return 0
    const ended = new Set(await parts.jobs.findEnded(exporting.flatMap(({ jobId }) => jobId ?? [])))
    const runs = exporting.filter(({ jobId }) => jobId === null || ended.has(jobId))
    for (const run of runs) await planDeliveries(ctx, parts, run)
    return runs.length
  }

  return {
    start: (): void => loop.start(),
    /** Does everything that is due now. */
    settle: async (): Promise<void> => {
      do await loop.settle()
      while (await deliveries.finish())
    },
    stop: async (): Promise<void> => {
      await loop.stop()
      await deliveries.stop()
    },
  }
}
