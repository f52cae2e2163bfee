import { CopyParts, copyLimits } from '@leitstand/contract/copies'
import type { BackgroundJob } from '@leitstand/contract/jobs'
import * as z from 'zod'
import { type Executor, isLockTimeout, isStatementTimeout } from '../../platform/db/index.ts'
import { AppError } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { demandRoomForFiles } from '../accounts/index.ts'
import { processRows, retryParams, rowResult } from '../batches/index.ts'
import {
  advanceRows,
  type JobKind,
  type JobRecord,
  type JobRowRecord,
  type JobsFeature,
  mayWriteTwins,
  nextRows,
  type RowResult,
} from '../jobs/index.ts'
import { beginErrand, Errand, type PeopleFeature } from '../people/index.ts'
import { findObject, lockLinks, placeFor, readScopes } from '../twins/index.ts'
import { contentsOf, twinsToCopy } from './contents.ts'
import { type CopyChanges, type CopyTools, completeCopy, copyTwins } from './copy.ts'
import {
  findPairs,
  insertPairs,
  limitWaits,
  nextUncopied,
  pairsOf,
  pairsOfJob,
  type SubtreeTwin,
} from './store.ts'

/** A copy made at once waits this long for what others have locked; then it becomes a job. */
const lockWaitMs = 2_000
/** Twins per page of a job. */
const pageSizes = { copy: 25, complete: 10 } as const

interface Target {
  title: string
  parentId: number | null
  accountId?: number | undefined
}

/** A copy of a twin, and with `descendants` of all below it. */
export interface Duplication extends Target {
  id: number
  parts: CopyParts
}

export interface DuplicateTools extends CopyTools {
  jobs: JobsFeature
}

/**
 * Copies a twin: at once, or as a job if it is large.
 * @returns the copy or the job
 * @throws AppError DTWIN_NOT_FOUND, TENANT_NOT_FOUND, NO_PERMISSION, BACKGROUND_JOB_TOO_LARGE, TENANT_FILE_LIMIT;
 *   DTWIN_COPY_TIMED_OUT with the job that continues
 */
export async function duplicateTwin(
  tools: DuplicateTools,
  caller: Caller,
  wanted: Duplication,
): Promise<{ twinId: number | null; job: BackgroundJob | null }> {
  const { db } = tools.ctx
  const twins = await twinsToCopy(db, caller, { id: wanted.id, descendants: wanted.parts.descendants })
  if (twins.length > copyLimits.twinsMax)
    throw new AppError('BACKGROUND_JOB_TOO_LARGE', { twinsMax: copyLimits.twinsMax })
  const ids = twins.map(({ id }) => id)
  const { states, rules, fileBytes } = await contentsOf(db, caller, ids)
  const isSmall =
    twins.length <= copyLimits.directTwinsMax &&
    states <= copyLimits.directStatesMax &&
    rules <= copyLimits.directRulesMax &&
    fileBytes <= copyLimits.directFileBytesMax
  const bytes = wanted.parts.files ? fileBytes : 0
  if (!isSmall) return { twinId: null, job: await startJob(tools, caller, wanted, twins, bytes) }
  try {
    return { twinId: await copyAtOnce(tools, caller, wanted, ids, bytes), job: null }
  } catch (error) {
    if (!isLockTimeout(error) && !isStatementTimeout(error)) throw error
    const { id: jobId } = await startJob(tools, caller, wanted, twins, bytes)
    throw new AppError('DTWIN_COPY_TIMED_OUT', { jobId })
  }
}

async function copyAtOnce(
  tools: CopyTools,
  caller: Caller,
  wanted: Duplication,
  ids: readonly number[],
  bytes: number,
): Promise<number> {
  const { rootId, computed } = await tools.ctx.db.transaction().execute(async (tx) => {
    await limitWaits(tx, lockWaitMs)
    await lockLinks(tx)
    const { accountId } = await placeFor(tx, caller, 'digitalTwin', wanted.parentId, wanted.accountId)
    await demandRoomForFiles(tx, caller, accountId, bytes)
    return copyTree(tools, tx, caller, wanted, ids)
  })
  await announce(tools, computed)
  return rootId
}

/** Copies a tree of twins in one transaction, parents before children. */
export async function copyTree(
  tools: CopyTools,
  tx: Executor,
  caller: Caller,
  wanted: Duplication & { changes?: CopyChanges },
  ids: readonly number[],
): Promise<{ rootId: number; computed: number[] }> {
  const { parts, ...root } = wanted
  const copies = new Map<number, number>()
  for (const id of ids) {
    const plan =
      id === wanted.id
        ? { ...root, from: id }
        : { from: id, parentId: await parentCopyOf(tx, caller, id, copies) }
    const [pair] = await copyTwins(tools, tx, caller, [plan], parts)
    if (pair) copies.set(pair.from, pair.to)
  }
  const pairs = [...copies].map(([from, to]) => ({ from, to }))
  const copied = pairsOf(pairs)
  const computed: number[] = []
  for (const pair of pairs) computed.push(...(await completeCopy(tools, tx, caller, { pair, copied, parts })))
  return { rootId: copies.get(wanted.id) ?? 0, computed }
}

/** @throws AppError DTWIN_COPY_FAILED when the twin above was not copied */
async function parentCopyOf(
  tx: Executor,
  caller: Caller,
  id: number,
  copies: ReadonlyMap<number, number>,
): Promise<number> {
  const row = await findObject(tx, 'digitalTwin', readScopes(caller, 'digitalTwin'), id)
  if (!row) throw new AppError('DTWIN_NOT_FOUND', { id })
  const parent = copies.get(row.parentId ?? 0)
  if (parent === undefined) throw new AppError('DTWIN_COPY_FAILED', { id })
  return parent
}

/** What follows the commit of copies. */
export async function announce({ series, rules }: CopyTools, computed: readonly number[]): Promise<void> {
  rules.changed()
  if (computed.length > 0) await series.recompute(computed)
}

/** Starts the job that copies these twins, one row each. */
function startJob(
  { ctx, jobs }: DuplicateTools,
  caller: Caller,
  { id, title, parentId, accountId, parts }: Duplication,
  twins: readonly SubtreeTwin[],
  bytes: number,
): Promise<BackgroundJob> {
  return ctx.db.transaction().execute(async (tx) => {
    const place = await placeFor(tx, caller, 'digitalTwin', parentId, accountId)
    await demandRoomForFiles(tx, caller, place.accountId, bytes)
    return jobs.create(
      caller,
      {
        type: 'digitaltwin-duplicate',
        title,
        total: twins.length,
        accountId: place.accountId,
        scopeId: place.scopeId,
        resourceType: 'digitalTwin',
        resourceId: id,
        params: {
          errand: beginErrand(caller),
          rootId: id,
          target: { title, parentId, ...(accountId === undefined ? {} : { accountId }) },
          parts,
        },
        demands: { permissions: mayWriteTwins, scopeIds: [place.scopeId], everywhere: true },
      },
      { twins: twins.length },
      twins.map((twin, at) => ({
        row: at + 1,
        objectId: twin.id,
        title: twin.id === id ? title : twin.title,
        cells: null,
        faults: [],
      })),
      tx,
    )
  })
}

const DuplicateParams = z.object({
  errand: Errand,
  rootId: z.int(),
  target: z.object({ title: z.string(), parentId: z.int().nullable(), accountId: z.int().optional() }),
  parts: CopyParts,
})
type DuplicateParams = z.infer<typeof DuplicateParams>

/**
 * Copies twins in two passes: first the twins with their states, parents before children, then for each what refers to
 * the others. A row is done after the second.
 */
export function duplicateKind({
  callerOf,
  ...tools
}: CopyTools & { callerOf: PeopleFeature['callerOf'] }): JobKind<DuplicateParams> {
  const { ctx } = tools
  return {
    type: 'digitaltwin-duplicate',
    params: DuplicateParams,
    renew: retryParams,
    page: async (job, params) => {
      const caller = await callerOf(params.errand)
      const fresh = await nextUncopied(ctx.db, job.id, pageSizes.copy)
      for (const row of fresh)
        await processRows(ctx, job, [row], (tx) => copyRow(tools, tx, caller, { job, row, params }))
      const isCopied = fresh.length === 0
      const rows = isCopied ? await nextRows(ctx.db, job.id, pageSizes.complete) : []
      for (const row of rows) await completeRow(tools, caller, { job, row, params })
      if (isCopied && rows.length === 0) return false
      await advanceRows(ctx.db, job)
      return true
    },
  }
}

interface RowWork {
  job: JobRecord
  row: JobRowRecord
  params: DuplicateParams
}

/** The first pass of a row, which leaves it waiting. */
async function copyRow(
  tools: CopyTools,
  tx: Executor,
  caller: Caller,
  { job, row, params: { rootId, target, parts } }: RowWork,
): Promise<RowResult[]> {
  const from = row.objectId ?? 0
  const plan = {
    from,
    ...(from === rootId ? target : { parentId: await parentInJob(tx, caller, job, from) }),
  }
  await insertPairs(tx, job.id, await copyTwins(tools, tx, caller, [plan], parts))
  return []
}

async function parentInJob(tx: Executor, caller: Caller, job: JobRecord, id: number): Promise<number> {
  const row = await findObject(tx, 'digitalTwin', readScopes(caller, 'digitalTwin'), id)
  return parentCopyOf(tx, caller, id, await findPairs(tx, job.id, [row?.parentId ?? 0]))
}

async function completeRow(tools: CopyTools, caller: Caller, { job, row, params }: RowWork): Promise<void> {
  const from = row.objectId ?? 0
  const computed: number[] = []
  await processRows(tools.ctx, job, [row], async (tx) => {
    const to = (await findPairs(tx, job.id, [from])).get(from) ?? 0
    const work = { pair: { from, to }, copied: pairsOfJob(job.id), parts: params.parts }
    computed.push(...(await completeCopy(tools, tx, caller, work)))
    return [{ ...rowResult(row, 'done'), objectId: to }]
  })
  await announce(tools, computed)
}
