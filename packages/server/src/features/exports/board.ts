import type { BackgroundJob } from '@leitstand/contract/jobs'
import type { Permission } from '@leitstand/contract/permissions'
import * as z from 'zod'
import type { Context } from '../../platform/context.ts'
import type { Executor } from '../../platform/db/index.ts'
import type { Caller } from '../../platform/http/caller.ts'
import type { DashboardsFeature } from '../dashboards/index.ts'
import { advance, type JobKind, noteFile } from '../jobs/index.ts'
import { beginErrand, Errand, type PeopleFeature } from '../people/index.ts'
import { asJson, keptUntil } from './kind.ts'
import { storePiece } from './pieces.store.ts'
import type { StartTools } from './start.ts'

/** Bytes of a part of a file. */
const partBytes = 1_000_000
/** Longer than a page takes to be drawn, and to wait for others. */
const printMs = 5 * 60_000

const readBoards: readonly Permission[] = [{ subject: 'Dashboards', action: 'read' }]

const BoardParams = z.object({
  errand: Errand,
  dashboardId: z.int(),
  startMs: z.number(),
  endMs: z.number(),
  /** IANA */
  timeZone: z.string(),
  language: z.enum(['de', 'en']),
  /** of the file, without its ending */
  name: z.string(),
})
type BoardParams = z.infer<typeof BoardParams>

/** A dashboard to print in an account, with the values of a period. */
export interface DueBoard extends Omit<BoardParams, 'errand'> {
  title: string
  place: { accountId: number; scopeId: number }
  changes: Record<string, unknown>
}

/**
 * Starts to print a dashboard, in a transaction of the caller.
 * @throws AppError TOO_MANY_REQUESTS
 */
export function startBoard(
  { jobs }: Pick<StartTools, 'jobs'>,
  tx: Executor,
  caller: Caller,
  { title, place, changes, ...asked }: DueBoard,
): Promise<BackgroundJob> {
  const demanded = readBoards.flatMap(({ subject, action }) => caller.scopeIds(subject, action))
  return jobs.create(
    caller,
    {
      type: 'dashboard-print',
      title,
      total: 1,
      params: asJson({ ...asked, errand: beginErrand(caller) }),
      ...place,
      resourceType: 'account',
      resourceId: place.accountId,
      demands: { permissions: readBoards, scopeIds: demanded, everywhere: false },
    },
    changes,
    [],
    tx,
  )
}

/** The job that prints a dashboard, with what its user may see then. */
export function boardKind({
  ctx: { db, clock },
  callerOf,
  dashboards,
}: {
  ctx: Pick<Context, 'db' | 'clock'>
  callerOf: PeopleFeature['callerOf']
  dashboards: Pick<DashboardsFeature, 'print'>
}): JobKind<BoardParams> {
  return {
    type: 'dashboard-print',
    params: BoardParams,
    renew: (job, caller) => asJson({ ...BoardParams.parse(job.params), errand: beginErrand(caller) }),
    page: async (job, { errand, dashboardId, startMs, endMs, timeZone, language }) => {
      const { pdf } = await dashboards.print(await callerOf(errand), {
        id: dashboardId,
        startMs,
        endMs,
        timeZone,
        language,
        signal: AbortSignal.timeout(printMs),
      })
      await db.transaction().execute(async (tx) => {
        for (let at = 0; at < pdf.length; at += partBytes) {
          const content = pdf.subarray(at, at + partBytes)
          await storePiece(tx, job.id, { kind: 'file', number: at / partBytes, content })
        }
        await advance(tx, job, { cursor: { size: pdf.length }, done: 1, add: {} })
      })
      return false
    },
    finish: async (job, { name }) => {
      const { size } = z.object({ size: z.int() }).parse(job.cursor)
      const deletedAt = keptUntil(clock.now()).toISOString()
      const file = { name: `${name}.pdf`, format: 'pdf', size, rows: 0, cut: false, deletedAt }
      await noteFile(db, job.id, file)
    },
  }
}
