import { serviceBuildersMax } from '@leitstand/contract/serviceBuilders'
import type { Context } from '../../../platform/context.ts'
import type { Executor } from '../../../platform/db/index.ts'
import { AppError } from '../../../platform/errors.ts'
import type { Caller } from '../../../platform/http/caller.ts'
import { os } from '../../../platform/http/implement.ts'
import { requireAccount } from '../../accounts/index.ts'
import { changesBetween, recordActivity } from '../../activity/index.ts'
import {
  type BuilderInput,
  countBuilders,
  deleteBuilder,
  findBuilder,
  insertBuilder,
  isUsable,
  listBuilders,
  updateBuilder,
} from './store.ts'

/** Instances of the service builder of accounts. */
export function builderRoutes({ db }: Pick<Context, 'db'>) {
  /** An account in which the caller administers the installation; its service builders stay as they are meanwhile. */
  const managed = async (tx: Executor, caller: Caller, id: number) => {
    const account = await requireAccount(tx, id, caller.scopeIds('super.system', 'manage'))
    await tx.selectFrom('accounts').select('id').where('id', '=', id).forUpdate().execute()
    return account
  }
  const required = async (tx: Executor, accountId: number, id: number) => {
    const found = await findBuilder(tx, accountId, id)
    if (!found) throw new AppError('SERVICE_BUILDER_NOT_FOUND', { id })
    return found
  }
  return {
    list: os.serviceBuilder.list.handler(async ({ input, context: { caller } }) => {
      const { id, offset, limit } = input
      await requireAccount(db, id, caller.scopeIds('all', 'manage'))
      return { ...(await listBuilders(db, id, { offset, limit })), offset, limit }
    }),
    create: os.serviceBuilder.create.handler(({ input: { id, ...input }, context: { caller } }) =>
      db.transaction().execute(async (tx) => {
        await managed(tx, caller, id)
        if ((await countBuilders(tx, id)) >= serviceBuildersMax)
          throw new AppError('VALIDATION_ERROR', { maximum: serviceBuildersMax })
        await requireUsable(tx, id, input)
        const builder = await required(tx, id, await insertBuilder(tx, id, input))
        await note(tx, caller, 'create', builder, input)
        return builder
      }),
    ),
    update: os.serviceBuilder.update.handler(
      ({ input: { id, builderId, version, ...input }, context: { caller } }) =>
        db.transaction().execute(async (tx) => {
          await managed(tx, caller, id)
          const before = await required(tx, id, builderId)
          await requireUsable(tx, id, input)
          if (!(await updateBuilder(tx, builderId, version, input))) throw new AppError('VERSION_CONFLICT')
          const after = await required(tx, id, builderId)
          await note(tx, caller, 'update', after, changesBetween(inputOf(before), { ...input }))
          return after
        }),
    ),
    delete: os.serviceBuilder.delete.handler(async ({ input: { id, builderId }, context: { caller } }) => {
      await db.transaction().execute(async (tx) => {
        await managed(tx, caller, id)
        const builder = await required(tx, id, builderId)
        await deleteBuilder(tx, builderId)
        await note(tx, caller, 'delete', builder, { url: builder.url })
      })
      return { ok: true as const }
    }),
  }
}

/** @throws AppError APPLICATION_NOT_FOUND for one of another branch of the tree */
async function requireUsable(
  tx: Executor,
  accountId: number,
  { applicationId }: BuilderInput,
): Promise<void> {
  if (applicationId !== null && !(await isUsable(tx, accountId, applicationId)))
    throw new AppError('APPLICATION_NOT_FOUND', { id: applicationId })
}

type Builder = NonNullable<Awaited<ReturnType<typeof findBuilder>>>

function inputOf({ title, description, url, application }: Builder): Record<string, unknown> {
  return { title, description, url, applicationId: application?.id ?? null }
}

async function note(
  tx: Executor,
  caller: Caller,
  action: string,
  { id, title, accountId }: Builder,
  changes: object,
): Promise<void> {
  const about = { subject: 'ServiceBuilder', objectId: id, objectTitle: title, accountId }
  await recordActivity(tx, caller, { action, ...about, changes })
}
