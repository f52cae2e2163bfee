import type { Context } from '../../platform/context.ts'
import type { Executor } from '../../platform/db/index.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { os } from '../../platform/http/implement.ts'
import { insertActivity, listActivities } from './store.ts'

export interface ActivityEntry {
  /** create, update, delete, or the verb of the operation */
  action: string
  /** noun, e.g. `VirtualDevice` */
  subject: string
  objectId: number | null
  objectTitle: string
  /** null: concerns the whole platform */
  accountId: number | null
  /** what changed, JSON; never passwords, tokens or keys */
  changes?: object | null | undefined
}

/** Notes who did what, in the transaction of the change itself. */
export async function recordActivity(
  tx: Executor,
  caller: Pick<Caller, 'userId' | 'name' | 'ip' | 'impersonator'>,
  entry: ActivityEntry,
): Promise<void> {
  await insertActivity(tx, {
    ...entry,
    ...{ userId: caller.userId, userName: caller.name, ip: caller.ip },
    impersonator: caller.impersonator ?? null,
  })
}

export function register(ctx: Context) {
  const routes = {
    activityLog: {
      list: os.activityLog.list.handler(async ({ input, context: { caller } }) => {
        const withSystem = caller.can('super.system', 'manage')
        const page = await listActivities(ctx.db, caller.scopeIds('all', 'manage'), withSystem, input)
        return { ...page, offset: input.offset, limit: input.limit }
      }),
    },
  }
  return { routes }
}
