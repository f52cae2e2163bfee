import { BulkChanges, ImportSettings } from '@leitstand/contract/bulk'
import type { CellFault } from '@leitstand/contract/jobs'
import * as z from 'zod'
import type { Context } from '../../platform/context.ts'
import type { Executor } from '../../platform/db/index.ts'
import { AppError } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { createDevices, editDevice, removeDevice, requireConnector } from '../devices/index.ts'
import { refuseUnaccepted } from '../drivers/index.ts'
import {
  advanceRows,
  type JobKind,
  type JobRecord,
  type JobRowRecord,
  nextRows,
  noteRows,
  type RowResult,
  takeRows,
} from '../jobs/index.ts'
import { beginErrand, Errand, type PeopleFeature } from '../people/index.ts'
import { checkRows } from './check.ts'

/** Devices per page; a cancelled job ends after its current page. */
const pageSizes = { edit: 25, import: 600 } as const
/** Devices per transaction of an import. */
const devicesAtOnce = 100
/** Transactions of an import that run side by side. */
const lanes = 3

const EditParams = z.object({
  errand: Errand,
  mode: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('edit'), changes: BulkChanges }),
    z.object({ kind: z.literal('delete') }),
  ]),
})

const ImportParams = z.object({
  errand: Errand,
  fileName: z.string(),
  header: z.array(z.string()),
  settings: ImportSettings,
})

interface Tools {
  ctx: Context
  callerOf: PeopleFeature['callerOf']
  recomputeHealth: (ids: readonly number[]) => Promise<void>
}

/** Changes or deletes devices. */
export function editKind({ ctx, callerOf, recomputeHealth }: Tools): JobKind<z.infer<typeof EditParams>> {
  return {
    type: 'virtualdevice-bulk-edit',
    params: EditParams,
    renew: retryParams,
    page: async (job, { errand, mode }) => {
      const { rows, changed } = await processPage(
        ctx,
        job,
        () => callerOf(errand),
        async (tx, caller, id) => {
          if (mode.kind === 'delete') await removeDevice(tx, caller, id)
          else if (!(await editDevice(tx, caller, id, mode.changes, ctx.clock.now()))) return undefined
          return id
        },
      )
      if (mode.kind === 'edit' && changed.length > 0) await recomputeHealth(changed)
      if (rows.length > 0) await advanceRows(ctx.db, job)
      return rows.length > 0
    },
  }
}

/** Creates devices, many in one transaction; if that is refused, each in its own. */
export function importKind({
  ctx,
  callerOf,
}: Omit<Tools, 'recomputeHealth'>): JobKind<z.infer<typeof ImportParams>> {
  return {
    type: 'virtualdevice-bulk-import',
    params: ImportParams,
    renew: retryParams,
    header: ({ header }) => header,
    page: async (job, { errand, header, settings }) => {
      const rows = await nextRows(ctx.db, job.id, pageSizes.import)
      if (rows.length === 0) return false
      const caller = await callerOf(errand)
      const create = (some: readonly JobRowRecord[]) =>
        processRows(ctx, job, some, (tx) =>
          importRows(tx, caller, { header, settings, rows: some }, ctx.clock.now()),
        )
      const share = Math.max(devicesAtOnce, Math.ceil(rows.length / lanes))
      const ends = await Promise.allSettled(
        Array.from({ length: lanes }, async (_, lane) => {
          const end = Math.min(rows.length, (lane + 1) * share)
          for (let at = lane * share; at < end; at += devicesAtOnce) {
            const some = rows.slice(at, Math.min(end, at + devicesAtOnce))
            if (!(await create(some))) for (const row of some) await create([row])
          }
        }),
      )
      // Only now, when no transaction of the page is open any more.
      for (const end of ends) if (end.status === 'rejected') throw end.reason
      await advanceRows(ctx.db, job)
      return true
    },
  }
}

async function importRows(
  tx: Executor,
  caller: Caller,
  { header, settings, rows }: { header: string[]; settings: ImportSettings; rows: readonly JobRowRecord[] },
  now: Date,
): Promise<RowResult[]> {
  const connector = await requireConnector(tx, caller, settings.connectorId)
  const table = { header, rows: rows.map(({ cells }) => cells ?? []) }
  const { rows: checked, unaccepted } = await checkRows(tx, caller, connector, table, settings)
  refuseUnaccepted(unaccepted)
  const pairs = rows.map((row, at) => ({ row, faults: checked[at]?.faults ?? [], input: checked[at]?.input }))
  const valid = pairs.flatMap(({ row, input }) => (input ? [{ row, input }] : []))
  const inputs = valid.map(({ input }) => input)
  const ids = valid.length === 0 ? [] : await createDevices(tx, caller, connector.id, inputs, now)
  return [
    ...valid.map(({ row }, at) => ({ ...rowResult(row, 'done'), objectId: ids[at] ?? null })),
    ...pairs.flatMap(({ row, input, faults }) => (input ? [] : [rowResult(row, 'failed', faults)])),
  ]
}

/**
 * Processes the next devices of a job, each in its own transaction, which also stores the result.
 * @param work returns undefined if there was nothing to change
 * @returns the rows of this page, none at the end of the job, and the results of `work`
 */
export async function processPage<T>(
  ctx: Pick<Context, 'db'>,
  job: JobRecord,
  callerOf: () => Promise<Caller>,
  work: (tx: Executor, caller: Caller, id: number) => Promise<T | undefined>,
): Promise<{ rows: number[]; changed: T[] }> {
  const rows = await nextRows(ctx.db, job.id, pageSizes.edit)
  const changed: T[] = []
  if (rows.length === 0) return { rows: [], changed }
  const caller = await callerOf()
  for (const row of rows)
    await processRows(ctx, job, [row], async (tx) => {
      const done = await work(tx, caller, row.objectId ?? 0)
      if (done === undefined) return [rowResult(row, 'unchanged')]
      changed.push(done)
      return [rowResult(row, 'done')]
    })
  return { rows: rows.map(({ row }) => row), changed }
}

/**
 * Processes rows and stores the results atomically. The refusal of a single row is its result.
 * @param before runs outside the transaction; must be idempotent, because it is repeated after a crash
 * @returns false if several rows were refused together; then nothing was done
 */
export async function processRows(
  { db }: Pick<Context, 'db'>,
  job: JobRecord,
  rows: readonly JobRowRecord[],
  work: (tx: Executor) => Promise<RowResult[]>,
  before?: () => Promise<void>,
): Promise<boolean> {
  try {
    await before?.()
    await db.transaction().execute(async (tx) => {
      const wanted = rows.map(({ row }) => row)
      // Another runner has taken the rows; its results count.
      if ((await takeRows(tx, job.id, wanted)).size < wanted.length) return
      await noteRows(tx, job.id, await work(tx))
    })
    return true
  } catch (error) {
    if (!isRefusal(error)) throw error
    const [only, second] = rows
    if (only === undefined || second !== undefined) return false
    await noteRows(db, job.id, [rowResult(only, 'failed', [faultOf(error)])])
    return true
  }
}

/** Whether an error is a refusal and not a failure of the platform. */
function isRefusal(error: unknown): error is AppError {
  return error instanceof AppError && error.status < 500
}

/** Maximum characters of an error detail from another system. */
const detailCharsMax = 200

function faultOf({ code, data }: AppError): CellFault {
  const detail = data?.detail
  return {
    code,
    column: null,
    ...(typeof detail === 'string' ? { detail: detail.slice(0, detailCharsMax) } : {}),
  }
}

/** The result of a row without a device. */
export function rowResult(
  { row }: JobRowRecord,
  state: RowResult['state'],
  faults: readonly CellFault[] = [],
): RowResult {
  return { row, state, objectId: null, faults }
}

/** The parameters of a retried job, which runs on behalf of the caller of the retry. */
export function retryParams(job: JobRecord, caller: Caller) {
  return { ...z.record(z.string(), z.json()).parse(job.params), errand: beginErrand(caller) }
}
