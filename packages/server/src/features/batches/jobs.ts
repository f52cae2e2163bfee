import { BulkChanges, ImportSettings } from '@leitstand/contract/bulk'
import type { CellFault } from '@leitstand/contract/jobs'
import * as z from 'zod'
import type { Context } from '../../platform/context.ts'
import type { Executor } from '../../platform/db/index.ts'
import { AppError } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { createDevices, editDevice, removeDevice, requireConnector } from '../devices/index.ts'
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

/** Devices of one page: a job that is cancelled ends after the page at work. */
const pageSizes = { edit: 25, import: 100 } as const

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
  remakeHealth: (ids: readonly number[]) => Promise<void>
}

/** Changes or deletes devices. */
export function editKind({ ctx, callerOf, remakeHealth }: Tools): JobKind<z.infer<typeof EditParams>> {
  return {
    type: 'virtualdevice-bulk-edit',
    params: EditParams,
    renew: renewed,
    page: async (job, { errand, mode }) => {
      const { rows, changed } = await settleNext(
        ctx,
        job,
        () => callerOf(errand),
        async (tx, caller, id) => {
          if (mode.kind === 'delete') await removeDevice(tx, caller, id)
          else if (!(await editDevice(tx, caller, id, mode.changes, ctx.clock.now()))) return undefined
          return id
        },
      )
      if (mode.kind === 'edit' && changed.length > 0) await remakeHealth(changed)
      if (rows.length > 0) await advanceRows(ctx.db, job)
      return rows.length > 0
    },
  }
}

/** Creates devices, a page in one transaction; where that is refused, each in one of its own. */
export function importKind({
  ctx,
  callerOf,
}: Omit<Tools, 'remakeHealth'>): JobKind<z.infer<typeof ImportParams>> {
  return {
    type: 'virtualdevice-bulk-import',
    params: ImportParams,
    renew: renewed,
    header: ({ header }) => header,
    page: async (job, { errand, header, settings }) => {
      const rows = await nextRows(ctx.db, job.id, pageSizes.import)
      if (rows.length === 0) return false
      const caller = await callerOf(errand)
      const create = (some: readonly JobRowRecord[]) =>
        settle(ctx, job, some, (tx) =>
          importRows(tx, caller, { header, settings, rows: some }, ctx.clock.now()),
        )
      const isWhole = await create(rows)
      if (!isWhole) for (const row of rows) await create([row])
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
  const checked = await checkRows(tx, caller, connector, table, settings)
  const pairs = rows.map((row, at) => ({ row, faults: checked[at]?.faults ?? [], input: checked[at]?.input }))
  const valid = pairs.flatMap(({ row, input }) => (input ? [{ row, input }] : []))
  const inputs = valid.map(({ input }) => input)
  const ids = valid.length === 0 ? [] : await createDevices(tx, caller, connector.id, inputs, now)
  return [
    ...valid.map(({ row }, at) => ({ ...resultOf(row, 'done'), objectId: ids[at] ?? null })),
    ...pairs.flatMap(({ row, input, faults }) => (input ? [] : [resultOf(row, 'failed', faults)])),
  ]
}

/**
 * Does something with the next devices of a job, each in a transaction of its own with the note what came of it.
 * @param work undefined: there was nothing to change
 * @returns the rows of this page, none when the job is at its end, and what `work` has answered
 */
export async function settleNext<T>(
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
    await settle(ctx, job, [row], async (tx) => {
      const done = await work(tx, caller, row.objectId ?? 0)
      if (done === undefined) return [resultOf(row, 'unchanged')]
      changed.push(done)
      return [resultOf(row, 'done')]
    })
  return { rows: rows.map(({ row }) => row), changed }
}

/**
 * Does something with rows and notes it, both or neither. A refusal of a single row is its result.
 * @param before what has to be done outside of the transaction; doing it again after a crash must do no harm
 * @returns false when several rows were refused together, and nothing was done
 */
export async function settle(
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
      // Another runner has them: what it does with them counts.
      if ((await takeRows(tx, job.id, wanted)).size < wanted.length) return
      await noteRows(tx, job.id, await work(tx))
    })
    return true
  } catch (error) {
    if (!isRefusal(error)) throw error
    const [only, second] = rows
    if (only === undefined || second !== undefined) return false
    await noteRows(db, job.id, [resultOf(only, 'failed', [faultOf(error)])])
    return true
  }
}

/** Refused for what it is, not because the platform could not. */
function isRefusal(error: unknown): error is AppError {
  return error instanceof AppError && error.status < 500
}

/** Characters of what somebody else says about a row. */
const detailCharsMax = 200

function faultOf({ code, data }: AppError): CellFault {
  const detail = data?.detail
  return {
    code,
    column: null,
    ...(typeof detail === 'string' ? { detail: detail.slice(0, detailCharsMax) } : {}),
  }
}

/** What became of a row that has led to no device. */
export function resultOf(
  { row }: JobRowRecord,
  state: RowResult['state'],
  faults: readonly CellFault[] = [],
): RowResult {
  return { row, state, objectId: null, faults }
}

/** The parameters of a job that is tried again: from now on for whoever asked for that. */
export function renewed(job: JobRecord, caller: Caller) {
  return { ...z.record(z.string(), z.json()).parse(job.params), errand: beginErrand(caller) }
}
