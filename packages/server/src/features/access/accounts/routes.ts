import type { Account } from '@leitstand/contract'
import type { Context } from '../../../platform/context.ts'
import { type Executor, violatedUnique } from '../../../platform/db/index.ts'
import { AppError } from '../../../platform/errors.ts'
import type { Caller } from '../../../platform/http/caller.ts'
import { os } from '../../../platform/http/implement.ts'
import { recordActivity } from '../../activity/index.ts'
import { changesBetween } from '../changes.ts'
import { findAccount, listAccounts } from '../store/access.ts'
import {
  deleteAccount,
  isSameOrBelow,
  lockTree,
  moveAccount,
  readDependencies,
  readDetails,
  replaceDomains,
  updateAccount,
  updateRetention,
} from './store.ts'

/** @param visible the scopes somebody sees, whatever they may do there */
export function accountRoutes(
  { db, clock }: Context,
  visible: (caller: Caller) => Promise<readonly number[]>,
) {
  const accountOf = async (tx: Executor, caller: Caller, id: number, scopeIds: readonly number[]) => {
    const [found] = scopeIds.length === 0 ? [] : await oneAccount(tx, id, scopeIds)
    if (!found) throw new AppError('TENANT_NOT_FOUND', { id })
    return { ...found, editable: caller.scopeIds('all', 'manage').includes(found.scopeId) }
  }
  const managed = (tx: Executor, caller: Caller, id: number) =>
    accountOf(tx, caller, id, caller.scopeIds('all', 'manage'))
  const seen = async (caller: Caller, id: number) => accountOf(db, caller, id, await visible(caller))

  return {
    get: os.tenant.get.handler(({ input, context: { caller } }) => seen(caller, input.id)),
    update: os.tenant.update.handler(async ({ input, context: { caller } }) => {
      const { id, version, renewConsent, domains: wantedDomains, ...wanted } = input
      const domains = [...wantedDomains].sort()
      if (new Set(domains).size < domains.length) throw new AppError('TENANT_DOMAIN_DUPLICATE')
      await db
        .transaction()
        .execute(async (tx) => {
          const before = await managed(tx, caller, id)
          const consentSince = renewConsent ? clock.now() : dateOf(before.consentSince)
          if (!(await updateAccount(tx, id, version, { ...wanted, consentSince })))
            throw new AppError('VERSION_CONFLICT')
          await replaceDomains(tx, id, domains)
          const after = { ...wanted, domains, consentSince: consentSince?.toISOString() ?? null }
          await note(tx, caller, 'update', { id, name: wanted.name }, changesBetween(before, after))
        })
        .catch(orDuplicate)
      return seen(caller, id)
    }),
    move: os.tenant.move.handler(async ({ input: { id, version, parentId }, context: { caller } }) => {
      await db
        .transaction()
        .execute(async (tx) => {
          await lockTree(tx)
          const moved = await managed(tx, caller, id)
          // Whoever takes an account away from the administrators above it has to be one of them.
          if (moved.parentId === null) throw new AppError('TENANT_ROOT')
          const from = await findAccount(tx, moved.parentId, caller.scopeIds('all', 'manage'))
          if (!from) throw new AppError('NO_PERMISSION', { subject: 'all', action: 'manage' })
          const to = await findAccount(tx, parentId, caller.scopeIds('all', 'manage'))
          if (!to) throw new AppError('TENANT_NOT_FOUND', { id: parentId })
          if (await isSameOrBelow(tx, parentId, id)) throw new AppError('TENANT_MOVE_TO_DESCENDANT')
          if (!(await moveAccount(tx, { id, scopeId: moved.scopeId, version }, to)))
            throw new AppError('VERSION_CONFLICT')
          await note(tx, caller, 'move', moved, { parent: [from.name, to.name] })
        })
        .catch(orDuplicate)
      return seen(caller, id)
    }),
    setRetention: os.tenant.setRetention.handler(async ({ input, context: { caller } }) => {
      const { id, version, months } = input
      await db.transaction().execute(async (tx) => {
        const before = await accountOf(tx, caller, id, caller.scopeIds('super.system', 'manage'))
        if (!(await updateRetention(tx, id, version, months))) throw new AppError('VERSION_CONFLICT')
        await note(tx, caller, 'update', before, { retentionMonths: [before.ownRetentionMonths, months] })
      })
      return seen(caller, id)
    }),
    dependencies: os.tenant.dependencies.handler(async ({ input: { id }, context: { caller } }) => {
      await managed(db, caller, id)
      return withBlocking(await readDependencies(db, id))
    }),
    delete: os.tenant.delete.handler(async ({ input: { id, virtualDevices }, context: { caller } }) => {
      await db.transaction().execute(async (tx) => {
        await lockTree(tx)
        const account = await managed(tx, caller, id)
        if (account.parentId === null) throw new AppError('TENANT_ROOT')
        const above = await findAccount(tx, account.parentId, caller.scopeIds('all', 'manage'))
        if (!above) throw new AppError('NO_PERMISSION', { subject: 'all', action: 'manage' })
        const left = await readDependencies(tx, id)
        if (left.items.length > 0)
          throw new AppError('TENANT_DELETE_HAS_DEPENDENCIES', { ...withBlocking(left) })
        if (left.virtualDevices !== virtualDevices)
          throw new AppError('TENANT_DELETE_COUNT', { virtualDevices: left.virtualDevices })
        await deleteAccount(tx, id)
        const about = { subject: 'Tenant', objectId: id, objectTitle: account.name }
        // The account is gone: what happened is kept with the one above.
        await recordActivity(tx, caller, { action: 'delete', ...about, accountId: above.id, changes: null })
      })
      return { ok: true as const }
    }),
  }
}

async function oneAccount(
  db: Executor,
  id: number,
  scopeIds: readonly number[],
): Promise<Omit<Account, 'editable'>[]> {
  const account = await findAccount(db, id, scopeIds)
  if (!account) return []
  const [listed] = await listAccounts(db, [account.scopeId])
  if (!listed) return []
  const { retentionMonths, consentSince, ...details } = await readDetails(db, id)
  return [
    {
      ...listed,
      ...{ ownRetentionMonths: retentionMonths, consentSince: consentSince?.toISOString() ?? null },
      ...{ domains: details.domains, terms: details.terms },
      passwordPolicy: details.passwordPolicy as Account['passwordPolicy'],
      feedback: { bug: [], featureRequest: [], ...(details.feedback as object) },
    },
  ]
}

function withBlocking(left: Awaited<ReturnType<typeof readDependencies>>) {
  return {
    ...left,
    blocking: left.items.length > 0,
    items: left.items.map((item) => ({ ...item, blocking: true })),
  }
}

function dateOf(time: string | null): Date | null {
  return time === null ? null : new Date(time)
}

async function note(
  tx: Executor,
  caller: Caller,
  action: string,
  account: { id: number; name: string },
  changes: object,
): Promise<void> {
  const about = { subject: 'Tenant', objectId: account.id, objectTitle: account.name, accountId: account.id }
  await recordActivity(tx, caller, { action, ...about, changes })
}

function orDuplicate(error: unknown): never {
  const index = violatedUnique(error)
  if (index === undefined) throw error
  if (index.startsWith('account_domains')) throw new AppError('TENANT_DOMAIN_EXISTS')
  throw new AppError('TENANT_DUPLICATE')
}
