import type { Tenant } from '@leitstand/contract'
import type { Context } from '../../platform/context.ts'
import { violatedUnique } from '../../platform/db/index.ts'
import { AppError } from '../../platform/errors.ts'
import { os } from '../../platform/http/implement.ts'
import { recordActivity } from '../activity/index.ts'
import { requireAccount } from './account.ts'
import type { AccountHooks } from './hooks.ts'
import { updateSettings } from './store.ts'
import { insertAccount, listAccounts } from './tree.store.ts'

/** Accounts below others: list, create and limit them. */
export function treeRoutes({ db }: Context, { visible, scopes }: AccountHooks) {
  const tenantOf = async ({ id, scopeId }: { id: number; scopeId: number }): Promise<Tenant> => {
    const [tenant] = await listAccounts(db, [scopeId])
    if (!tenant) throw new Error(`account ${id} vanished`)
    return tenant
  }
  return {
    fetchAll: os.tenant.fetchAll.handler(async ({ context: { caller } }) => ({
      items: await listAccounts(db, await visible(caller)),
    })),
    create: os.tenant.create.handler(async ({ input, context: { caller } }): Promise<Tenant> => {
      const parent = await requireAccount(db, input.parentId, caller.scopeIds('UserManagement', 'create'))
      const account = { ...input, parentScopeId: parent.scopeId }
      const created = await db
        .transaction()
        .execute(async (tx) => {
          const inserted = await insertAccount(tx, account, scopes)
          await recordActivity(tx, caller, {
            action: 'create',
            subject: 'Tenant',
            objectId: inserted.id,
            objectTitle: input.name,
            accountId: inserted.id,
            changes: input,
          })
          return inserted
        })
        .catch((error: unknown) => {
          if (violatedUnique(error) !== undefined)
            throw new AppError('TENANT_DUPLICATE', { name: input.name })
          throw error
        })
      return tenantOf(created)
    }),
    setLimits: os.tenant.setLimits.handler(async ({ input, context: { caller } }) => {
      const { id, version, messagesPerSecond } = input
      const account = await requireAccount(db, id, caller.scopeIds('super.system', 'manage'))
      const before = await tenantOf(account)
      await db.transaction().execute(async (tx) => {
        if (!(await updateSettings(tx, id, version, { messages_per_second: messagesPerSecond })))
          throw new AppError('VERSION_CONFLICT')
        await recordActivity(tx, caller, {
          action: 'update',
          subject: 'Tenant',
          objectId: id,
          objectTitle: account.name,
          accountId: id,
          changes: { messagesPerSecond: [before.messagesPerSecond, messagesPerSecond] },
        })
      })
      return tenantOf(account)
    }),
  }
}
