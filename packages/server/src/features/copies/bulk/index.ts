import { TwinColumn, type TwinsData } from '@leitstand/contract/bulkDuplicate'
import { CopyParts, copyLimits } from '@leitstand/contract/copies'
import type { BackgroundJob } from '@leitstand/contract/jobs'
import * as z from 'zod'
import type { Executor } from '../../../platform/db/index.ts'
import { AppError } from '../../../platform/errors.ts'
import type { Caller } from '../../../platform/http/caller.ts'
import { os } from '../../../platform/http/implement.ts'
import { bulkDevicesMaxOf, demandRoomForFiles } from '../../accounts/index.ts'
import {
  deleteUpload,
  faultyOf,
  findUpload,
  importRowsOf,
  processRows,
  refuseFaulty,
  retryParams,
  rowResult,
  takeFile,
} from '../../batches/index.ts'
import { sizeOfFiles } from '../../files/index.ts'
import {
  advanceRows,
  type JobKind,
  type JobRecord,
  type JobRowRecord,
  mayWriteTwins,
  nextRows,
  type RowResult,
} from '../../jobs/index.ts'
import { beginErrand, Errand, type PeopleFeature } from '../../people/index.ts'
import { lockLinks, placeFor } from '../../twins/index.ts'
import { contentsOf, twinsToCopy } from '../contents.ts'
import type { CopyTools } from '../copy.ts'
import { announce, copyTree, type DuplicateTools } from '../duplicate.ts'
import { checkTwinRows, requireTemplate } from './check.ts'
import { suggestColumns } from './row.ts'

/** Copies per page; each is a transaction of up to 25 twins. */
const pageSize = 5

/** A twin that is copied once per row of a file. */
interface BulkDuplication {
  id: number
  twinsData: z.infer<typeof TwinsData>
  parentId: number | null
  accountId?: number | undefined
  parts: CopyParts
}

/** The operations of copies by file. */
export function bulkDuplicateRoutes(tools: DuplicateTools) {
  const { ctx } = tools
  return {
    upload: os.bulkDuplicate.upload.handler(async ({ input, context: { caller } }) => {
      const { columns, ...upload } = await takeFile(ctx, caller, input.file)
      const suggestions = suggestColumns(columns.map(({ title }) => title))
      const nothing = { target: null, name: '', format: 'text' as const }
      return {
        ...upload,
        columns: columns.map((column, at) => ({ ...column, ...(suggestions[at] ?? nothing) })),
      }
    }),
    preview: os.bulkDuplicate.preview.handler(async ({ input, context: { caller } }) => {
      const { id, twinsData, parentId, accountId, ...parts } = input
      const wanted = { id, twinsData, parentId, accountId, parts }
      const { checked, rowsMax, twins } = await ctx.db
        .transaction()
        .execute((tx) => check(tx, caller, wanted))
      return { ...faultyOf(checked), rowsMax, twins: twins.length }
    }),
    run: os.bulkDuplicate.run.handler(({ input, context: { caller } }) => {
      const { id, twinsData, parentId, accountId, title, skipFaulty, ...parts } = input
      return start(tools, caller, { id, twinsData, parentId, accountId, parts }, { title, skipFaulty })
    }),
  }
}

/**
 * Checks all rows and the limits of the account.
 * @throws AppError BULK_UPLOAD_NOT_FOUND, DTWIN_NOT_FOUND, TENANT_NOT_FOUND, NO_PERMISSION, BULK_TEMPLATE_TOO_LARGE,
 *   TENANT_FILE_LIMIT
 */
async function check(tx: Executor, caller: Caller, wanted: BulkDuplication) {
  const { id, twinsData, parentId, parts } = wanted
  const upload = await findUpload(tx, twinsData.uploadId, caller.userId)
  if (!upload) throw new AppError('BULK_UPLOAD_NOT_FOUND')
  const template = await requireTemplate(tx, caller, id, parts)
  const twins = (await twinsToCopy(tx, caller, { id, descendants: parts.descendants })).map((twin) => twin.id)
  await refuseLarge(tx, caller, twins)
  const place = await placeFor(tx, caller, 'digitalTwin', parentId, wanted.accountId)
  const table = { header: upload.header, rows: upload.rows, columns: twinsData.columns }
  const checked = await checkTwinRows(
    tx,
    caller,
    { accountId: place.accountId, template },
    table,
    ({ title, faults }) => ({ title, faults }),
  )
  const copies = checked.filter(({ faults }) => faults.length === 0).length
  if (parts.files) {
    const { bytes } = await sizeOfFiles(tx, 'digitalTwin', twins)
    await demandRoomForFiles(tx, caller, place.accountId, bytes * copies)
  }
  const rowsMax = Math.min(
    await bulkDevicesMaxOf(tx, place.accountId),
    Math.floor(copyLimits.twinsMax / twins.length),
  )
  return { upload, checked, place, twins, rowsMax }
}

/** Each copy is one transaction, so a twin must not have more below it than is copied at once. */
async function refuseLarge(db: Executor, caller: Caller, twins: readonly number[]): Promise<void> {
  const { directTwinsMax, directStatesMax, directRulesMax, directFileBytesMax } = copyLimits
  if (twins.length <= directTwinsMax) {
    const { states, rules, fileBytes } = await contentsOf(db, caller, twins)
    if (states <= directStatesMax && rules <= directRulesMax && fileBytes <= directFileBytesMax) return
  }
  throw new AppError('BULK_TEMPLATE_TOO_LARGE', { twinsMax: directTwinsMax, statesMax: directStatesMax })
}

/** @throws AppError as `check`, BACKGROUND_JOB_TOO_LARGE, BULK_ROWS_FAULTY */
function start(
  { ctx, jobs }: DuplicateTools,
  caller: Caller,
  wanted: BulkDuplication,
  { title, skipFaulty }: { title: string; skipFaulty: boolean },
): Promise<BackgroundJob> {
  return ctx.db.transaction().execute(async (tx) => {
    const { upload, checked, place, twins, rowsMax } = await check(tx, caller, wanted)
    if (checked.length > rowsMax) throw new AppError('BACKGROUND_JOB_TOO_LARGE', { rowsMax })
    refuseFaulty(checked, skipFaulty)
    const { id, twinsData, parentId, accountId, parts } = wanted
    const job = await jobs.create(
      caller,
      {
        type: 'digitaltwin-bulk-duplicate',
        title,
        total: checked.length,
        accountId: place.accountId,
        scopeId: place.scopeId,
        resourceType: 'digitalTwin',
        resourceId: id,
        params: {
          errand: beginErrand(caller),
          templateId: id,
          twins,
          target: { parentId, ...(accountId === undefined ? {} : { accountId }) },
          parts,
          header: upload.header,
          columns: z.json().parse(JSON.parse(JSON.stringify(twinsData.columns))),
        },
        demands: { permissions: mayWriteTwins, scopeIds: [place.scopeId], everywhere: true },
      },
      { fileName: upload.fileName, rows: checked.length, faulty: faultyOf(checked).faulty },
      importRowsOf(checked, upload.rows),
      tx,
    )
    await deleteUpload(tx, upload.id)
    return job
  })
}

const Params = z.object({
  errand: Errand,
  templateId: z.int(),
  /** the twins of each copy, fixed at the start: copies below the twin itself must not be copied again */
  twins: z.array(z.int()),
  target: z.object({ parentId: z.int().nullable(), accountId: z.int().optional() }),
  parts: CopyParts,
  header: z.array(z.string()),
  columns: z.array(TwinColumn),
})
type Params = z.infer<typeof Params>

/** Copies a twin once per row, each with everything below it in its own transaction. */
export function bulkDuplicateKind({
  callerOf,
  ...tools
}: CopyTools & { callerOf: PeopleFeature['callerOf'] }): JobKind<Params> {
  const { ctx } = tools
  return {
    type: 'digitaltwin-bulk-duplicate',
    params: Params,
    renew: retryParams,
    header: ({ header }) => header,
    page: async (job, params) => {
      const rows = await nextRows(ctx.db, job.id, pageSize)
      if (rows.length === 0) return false
      const caller = await callerOf(params.errand)
      for (const row of rows) await copyRow(tools, caller, { job, row, params })
      await advanceRows(ctx.db, job)
      return true
    },
  }
}

interface RowWork {
  job: JobRecord
  row: JobRowRecord
  params: Params
}

async function copyRow(tools: CopyTools, caller: Caller, { job, row, params }: RowWork): Promise<void> {
  const computed: number[] = []
  await processRows(tools.ctx, job, [row], async (tx): Promise<RowResult[]> => {
    const { templateId, twins, target, parts, header, columns } = params
    await lockLinks(tx)
    const template = await requireTemplate(tx, caller, templateId, parts)
    const { accountId } = await placeFor(tx, caller, 'digitalTwin', target.parentId, target.accountId)
    const table = { header, columns, rows: [row.cells ?? []] }
    const [checked] = await checkTwinRows(tx, caller, { accountId, template }, table, (each) => each)
    if (checked?.copy === undefined) return [rowResult(row, 'failed', checked?.faults)]
    if (parts.files) {
      const { bytes } = await sizeOfFiles(tx, 'digitalTwin', twins)
      await demandRoomForFiles(tx, caller, accountId, bytes)
    }
    const { parentId, title, changes } = checked.copy
    const place = parentId === null ? target : { parentId }
    const copied = await copyTree(
      tools,
      tx,
      caller,
      { id: templateId, title, ...place, parts, changes },
      twins,
    )
    computed.push(...copied.computed)
    return [{ ...rowResult(row, 'done'), objectId: copied.rootId }]
  })
  await announce(tools, computed)
}
