import type { CellFault } from '@leitstand/contract/jobs'
import type { UndoPart } from '@leitstand/contract/twinUndo'
import * as z from 'zod'
import type { Context } from '../../platform/context.ts'
import type { Executor } from '../../platform/db/index.ts'
import { AppError } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { os } from '../../platform/http/implement.ts'
import { advanceRows, type JobKind, type JobsFeature, mayWriteTwins, nextRows } from '../jobs/index.ts'
import { beginErrand, Errand, type PeopleFeature } from '../people/index.ts'
import {
  deleteUndone,
  findUndo,
  listUndoTwins,
  readScopes,
  requireWrite,
  reserveUndo,
  undoSingle,
  undoTwin,
  writeScopes,
} from '../twins/index.ts'
import { processRows, retryParams, rowResult } from './jobs.ts'

interface Tools {
  ctx: Context
  jobs: JobsFeature
}

const pageSize = 25

/** The operations that take back changes of twins. */
export function twinUndoRoutes(tools: Tools) {
  const { ctx, jobs } = tools
  const { db } = ctx
  return {
    ofJob: os.twinUndo.ofJob.handler(async ({ input: { jobId }, context: { caller } }) => {
      const undo = await findUndo(db, { jobId }, ctx.clock.now())
      if (!undo || (await isRunning(db, jobs, jobId))) return { undo: null }
      const [first] = await listUndoTwins(db, writeScopes(caller, 'digitalTwin'), undo.id)
      return { undo: first ? { id: undo.id, until: undo.until.toISOString() } : null }
    }),
    run: os.twinUndo.run.handler(async ({ input: { id }, context: { caller } }) => {
      const now = ctx.clock.now()
      const undo = await findUndo(db, { id }, now)
      if (!undo) throw new AppError('DTWIN_UNDO_ENDED')
      if (undo.jobId !== null) return { job: await startUndo(tools, caller, id, undo.jobId), left: [] }
      return { job: null, left: await db.transaction().execute((tx) => undoSingle(tx, caller, id, now)) }
    }),
  }
}

async function isRunning(db: Executor, jobs: JobsFeature, id: number): Promise<boolean> {
  const job = await jobs.find(id, db)
  return job?.state === 'created' || job?.state === 'inprogress'
}

/** @throws AppError DTWIN_NOT_FOUND, NO_PERMISSION, BACKGROUND_JOB_STATE, DTWIN_UNDO_ENDED */
async function startUndo({ ctx, jobs }: Tools, caller: Caller, undoId: string, jobId: number) {
  const edit = await jobs.find(jobId)
  return ctx.db.transaction().execute(async (tx) => {
    const twins = await listUndoTwins(tx, readScopes(caller, 'digitalTwin'), undoId)
    const [first] = twins
    if (first === undefined || edit === undefined) throw new AppError('DTWIN_NOT_FOUND')
    requireWrite(caller, 'digitalTwin', first.scopeId)
    if (await isRunning(tx, jobs, jobId)) throw new AppError('BACKGROUND_JOB_STATE', { state: edit.state })
    await reserveUndo(tx, undoId, ctx.clock.now())
    return jobs.create(
      caller,
      {
        type: 'digitaltwin-bulk-undo',
        title: edit.title,
        total: twins.length,
        accountId: first.accountId,
        scopeId: first.scopeId,
        resourceType: 'account',
        resourceId: first.accountId,
        params: { errand: beginErrand(caller), undoId },
        demands: {
          permissions: mayWriteTwins,
          scopeIds: twins.map(({ scopeId }) => scopeId),
          everywhere: false,
        },
      },
      { undoOf: jobId, twins: twins.length },
      twins.map(({ id, title }, at) => ({ row: at + 1, objectId: id, title, cells: null, faults: [] })),
      tx,
    )
  })
}

const Params = z.object({ errand: Errand, undoId: z.string() })

/** Undoes a bulk edit of twins, each in its own transaction. */
export function twinUndoKind({
  ctx,
  callerOf,
}: {
  ctx: Context
  callerOf: PeopleFeature['callerOf']
}): JobKind<z.infer<typeof Params>> {
  return {
    type: 'digitaltwin-bulk-undo',
    params: Params,
    renew: retryParams,
    page: async (job, { errand, undoId }) => {
      const rows = await nextRows(ctx.db, job.id, pageSize)
      if (rows.length === 0) {
        await deleteUndone(ctx.db, undoId)
        return false
      }
      const caller = await callerOf(errand)
      for (const row of rows)
        await processRows(ctx, job, [row], async (tx) => {
          const twinId = row.objectId ?? 0
          const { isRestored, left } = await undoTwin(tx, caller, { undoId, twinId }, ctx.clock.now())
          return [rowResult(row, isRestored ? 'done' : 'unchanged', left.map(faultOfLeft))]
        })
      await advanceRows(ctx.db, job)
      return true
    },
  }
}

/** What was left alone, as a remark on a row. */
const faultOfLeft = (part: UndoPart): CellFault => ({
  code: `LEFT_${part.replace(/[A-Z]/g, '_$&').toUpperCase()}`,
  column: null,
})
