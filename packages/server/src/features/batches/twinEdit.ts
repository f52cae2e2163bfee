import { bulkLimits } from '@leitstand/contract/bulk'
import type { BackgroundJob } from '@leitstand/contract/jobs'
import { TwinChanges, type TwinSelection } from '@leitstand/contract/twinBulk'
import * as z from 'zod'
import type { Context } from '../../platform/context.ts'
import type { Executor } from '../../platform/db/index.ts'
import { AppError } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { os } from '../../platform/http/implement.ts'
import { advanceRows, type JobKind, type JobsFeature, mayWriteTwins } from '../jobs/index.ts'
import { beginErrand, Errand, type PeopleFeature } from '../people/index.ts'
import { deleteTwin, editTwin, keepUndo, listTwinIds, readScopes, requireWrite } from '../twins/index.ts'
import { processPage, retryParams } from './jobs.ts'
import { asJson, checkAccounts, devicesMaxOf } from './routes.ts'
import { readSelectedTwins } from './store.ts'

interface Tools {
  ctx: Context
  jobs: JobsFeature
}

type Mode = { kind: 'edit'; changes: TwinChanges } | { kind: 'delete'; count: number }

/** The operations of bulk edits of twins. */
export function twinBulkRoutes(tools: Tools) {
  const { db } = tools.ctx
  return {
    selection: os.twinBulk.selection.handler(async ({ input, context: { caller } }) => {
      const ids = await resolve(db, caller, input.selection)
      const twins = await readSelectedTwins(db, readScopes(caller, 'digitalTwin'), ids)
      const accounts = new Map(twins.map((each) => [each.accountId, each.accountName]))
      return {
        twins: twins.length,
        twinsMax: await devicesMaxOf(db, [...accounts.keys()]),
        accounts: [...accounts].map(([id, name]) => ({ id, name })),
      }
    }),
    edit: os.twinBulk.edit.handler(({ input, context: { caller } }) => startEdit(tools, caller, input)),
  }
}

/** @throws AppError BACKGROUND_JOB_TOO_LARGE */
async function resolve(db: Executor, caller: Caller, selection: TwinSelection): Promise<number[]> {
  if ('ids' in selection) return [...new Set(selection.ids)]
  const twinsMax = bulkLimits.devicesMax
  const first = { offset: 0, limit: twinsMax, orderBy: 'id' }
  const { ids, total } = await listTwinIds(db, readScopes(caller, 'digitalTwin'), selection.filter, first)
  if (total > twinsMax) throw new AppError('BACKGROUND_JOB_TOO_LARGE', { twinsMax })
  return ids
}

/** @throws AppError DTWIN_NOT_FOUND, BACKGROUND_JOB_TOO_LARGE, BULK_SEVERAL_ACCOUNTS, BULK_COUNT, NO_PERMISSION */
async function startEdit(
  { ctx: { db }, jobs }: Tools,
  caller: Caller,
  { title, selection, mode }: { title: string; selection: TwinSelection; mode: Mode },
): Promise<BackgroundJob> {
  const ids = await resolve(db, caller, selection)
  const order = mode.kind === 'delete' ? 'lowest' : 'id'
  const twins = await readSelectedTwins(db, readScopes(caller, 'digitalTwin'), ids, order)
  const [first] = twins
  if (first === undefined || twins.length < ids.length) throw new AppError('DTWIN_NOT_FOUND')
  const twinsMax = await devicesMaxOf(db, [...new Set(twins.map(({ accountId }) => accountId))])
  if (twins.length > twinsMax) throw new AppError('BACKGROUND_JOB_TOO_LARGE', { twinsMax })
  checkAccounts(twins, mode.kind === 'edit' && needsOneAccount(mode.changes))
  if (mode.kind === 'delete' && mode.count !== twins.length)
    throw new AppError('BULK_COUNT', { count: twins.length })
  // The job is visible in this scope; permissions are checked again for each twin.
  requireWrite(caller, 'digitalTwin', first.scopeId)
  const kept = mode.kind === 'edit' ? { kind: 'edit', changes: asJson(mode.changes) } : { kind: 'delete' }
  return jobs.create(
    caller,
    {
      type: 'digitaltwin-bulk-edit',
      title,
      total: twins.length,
      accountId: first.accountId,
      scopeId: first.scopeId,
      resourceType: 'account',
      resourceId: first.accountId,
      params: { errand: beginErrand(caller), mode: kept },
      demands: {
        permissions: mayWriteTwins,
        scopeIds: twins.map(({ scopeId }) => scopeId),
        everywhere: false,
      },
    },
    { mode: kept, twins: twins.length },
    twins.map((twin, at) => ({
      row: at + 1,
      objectId: twin.id,
      title: twin.title,
      cells: null,
      faults: [],
    })),
  )
}

/** Whether all twins must belong to one account, because tags, zones and parent do. */
const needsOneAccount = ({ tags, zones, parentId }: TwinChanges) =>
  [tags, zones, parentId].some((each) => each !== undefined)

const Params = z.object({
  errand: Errand,
  mode: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('edit'), changes: TwinChanges }),
    z.object({ kind: z.literal('delete') }),
  ]),
})

/** Changes or deletes twins. */
export function twinEditKind({
  ctx,
  callerOf,
}: {
  ctx: Context
  callerOf: PeopleFeature['callerOf']
}): JobKind<z.infer<typeof Params>> {
  return {
    type: 'digitaltwin-bulk-edit',
    params: Params,
    renew: retryParams,
    page: async (job, { errand, mode }) => {
      const { rows } = await processPage(
        ctx,
        job,
        () => callerOf(errand),
        async (tx, caller, id) => {
          const now = ctx.clock.now()
          if (mode.kind === 'delete') await deleteTwin(tx, caller, id)
          else {
            const change = await editTwin(tx, caller, id, mode.changes, now)
            if (!(await keepUndo(tx, { twinId: id, change, jobId: job.id }, now))) return undefined
          }
          return id
        },
      )
      if (rows.length > 0) await advanceRows(ctx.db, job)
      return rows.length > 0
    },
  }
}
