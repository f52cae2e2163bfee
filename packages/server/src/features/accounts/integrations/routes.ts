import { type AccountIntegration, integrationKeys } from '@leitstand/contract'
import type { Context } from '../../../platform/context.ts'
import type { Executor } from '../../../platform/db/index.ts'
import { AppError } from '../../../platform/errors.ts'
import type { Caller } from '../../../platform/http/caller.ts'
import { os } from '../../../platform/http/implement.ts'
import { note, requireAccount } from '../account.ts'
import { type ActiveIntegration, insertIntegration, readIntegrations } from './store.ts'

/** Integrations of accounts. Activation is permanent. */
export function integrationRoutes({ db, clock }: Pick<Context, 'db' | 'clock'>) {
  return {
    listIntegrations: os.tenant.listIntegrations.handler(async ({ input: { id }, context: { caller } }) => {
      await managed(db, caller, id)
      return { items: await listed(db, caller, id) }
    }),
    activateIntegration: os.tenant.activateIntegration.handler(async ({ input, context: { caller } }) => {
      const { id, integration, name } = input
      return db.transaction().execute(async (tx) => {
        const account = await managed(tx, caller, id)
        if (name.trim() !== account.name) throw new AppError('INTEGRATION_NAME_DIFFERS')
        const before = await listed(tx, caller, id)
        const holds = before.some((one) => one.integration === integration && one.active)
        const row = { accountId: id, integration, at: clock.now(), by: caller.name }
        if (holds || !(await insertIntegration(tx, row))) throw new AppError('INTEGRATION_ACTIVE')
        await note(tx, caller, 'activate', account, { integration: [null, integration] })
        const after = (await listed(tx, caller, id)).find((one) => one.integration === integration)
        if (!after) throw new AppError('NOT_FOUND', { integration })
        return after
      })
    }),
  }
}

/** @throws AppError TENANT_NOT_FOUND */
async function managed(db: Executor, caller: Caller, id: number): Promise<{ id: number; name: string }> {
  const account = await requireAccount(db, id, caller.scopeIds('all', 'manage'))
  return { id, name: account.name }
}

async function listed(db: Executor, caller: Caller, id: number): Promise<AccountIntegration[]> {
  const active = await readIntegrations(db, id)
  const managedScopes = caller.scopeIds('all', 'manage')
  return integrationKeys.map((integration) => {
    const nearest = active.find((one) => one.integration === integration)
    if (!nearest) return { integration, active: false, since: null, by: null, from: null }
    return { integration, ...shown(nearest, id, managedScopes.includes(nearest.scopeId)) }
  })
}

/** Accounts below may not see which account above activated it. */
function shown({ accountId, accountName, at, by }: ActiveIntegration, id: number, isManaged: boolean) {
  return {
    active: true,
    since: at.toISOString(),
    by: isManaged ? by : null,
    from: accountId === id ? null : { name: isManaged ? accountName : '' },
  }
}
