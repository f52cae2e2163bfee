import type { Context } from '../../platform/context.ts'
import { type Executor, violatedUnique } from '../../platform/db/index.ts'
import { AppError } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { os } from '../../platform/http/implement.ts'
import { changesBetween, recordActivity } from '../activity/index.ts'
import { blockersOf, deleteOfAccount } from '../objects/index.ts'
import { accountFor, managedAccount as managed, note, requireAccount } from './account.ts'
import { boundChanges, columnsOf, demandBounds } from './bounds.ts'
import { demandClaimable, examine, replaceClaims } from './domains/claims.ts'
import type { Notifier } from './domains/notices.ts'
import { domainRoutes } from './domains/routes.ts'
import type { AccountHooks } from './hooks.ts'
import { integrationRoutes } from './integrations/routes.ts'
import { limitHitRoutes } from './limit-hits.ts'
import { mailRoutes } from './mail-routes.ts'
import { settingRoutes } from './setting-routes.ts'
import { isSameOrBelow, lockTree, moveAccount, updateAccount } from './store.ts'
import { findAccount } from './tree.store.ts'
import { treeRoutes } from './tree-routes.ts'

export function accountRoutes(ctx: Context & Notifier, hooks: AccountHooks) {
  const { db, clock, names } = ctx
  const seen = async (caller: Caller, id: number) => {
    const { hasDefaultMails, ...account } = await accountFor(db, caller, id, await hooks.visible(caller))
    return { ...account, ruleMailsDefault: hasDefaultMails ? ctx.config.ruleMailsPerHour : null }
  }

  return {
    ...treeRoutes(ctx, hooks),
    ...settingRoutes(ctx, seen),
    ...mailRoutes(ctx),
    ...domainRoutes(ctx),
    ...limitHitRoutes(ctx),
    ...integrationRoutes(ctx),
    get: os.tenant.get.handler(({ input, context: { caller } }) => seen(caller, input.id)),
    update: os.tenant.update.handler(async ({ input, context: { caller } }) => {
      const {
        id,
        version,
        renewConsent,
        acceptUnknownDomains,
        domains: wantedDomains,
        bounds,
        ...wanted
      } = input
      const account = await managed(db, caller, id)
      demandBounds(caller, account, bounds)
      const known = account.domains
      const domains = [...(wantedDomains ?? known)].sort()
      if (new Set(domains).size < domains.length) throw new AppError('TENANT_DOMAIN_DUPLICATE')
      const added = domains.filter((domain) => !known.includes(domain))
      demandClaimable(ctx, added)
      const { unknown, unchecked } = await examine(names, added)
      if (unknown.length > 0 && !acceptUnknownDomains)
        throw new AppError('TENANT_DOMAIN_UNKNOWN', { domains: unknown })
      await db
        .transaction()
        .execute(async (tx) => {
          const before = await managed(tx, caller, id)
          demandBounds(caller, before, bounds)
          const consentSince = renewConsent ? clock.now() : dateOf(before.consentSince)
          if (!(await updateAccount(tx, id, version, { ...wanted, consentSince }, columnsOf(bounds))))
            throw new AppError('VERSION_CONFLICT')
          await hooks.scopes.rename(tx, id, wanted.name)
          if (wantedDomains !== undefined) await replaceClaims(tx, id, domains, clock.now())
          const after = {
            ...wanted,
            ...(wantedDomains === undefined ? {} : { domains }),
            consentSince: consentSince?.toISOString() ?? null,
          }
          const changes = { ...changesBetween(before, after), ...boundChanges(before, bounds) }
          await note(tx, caller, 'update', { id, name: wanted.name }, changes)
        })
        .catch(orDuplicate)
      return { ...(await seen(caller, id)), uncheckedDomains: unchecked }
    }),
    move: os.tenant.move.handler(async ({ input: { id, version, parentId }, context: { caller } }) => {
      await db
        .transaction()
        .execute(async (tx) => {
          await lockTree(tx)
          const moved = await managed(tx, caller, id)
          // Moving an account away from its administrators above requires being one of them.
          if (moved.parentId === null) throw new AppError('TENANT_ROOT')
          const from = await findAccount(tx, moved.parentId, caller.scopeIds('all', 'manage'))
          if (!from) throw new AppError('NO_PERMISSION', { subject: 'all', action: 'manage' })
          const to = await requireAccount(tx, parentId, caller.scopeIds('all', 'manage'))
          if (await isSameOrBelow(tx, parentId, id)) throw new AppError('TENANT_MOVE_TO_DESCENDANT')
          if (!(await moveAccount(tx, { id, version }, to))) throw new AppError('VERSION_CONFLICT')
          await hooks.scopes.move(tx, moved.scopeId, to.scopeId)
          await note(tx, caller, 'move', moved, { parent: [from.name, to.name] })
        })
        .catch(orDuplicate)
      return seen(caller, id)
    }),
    dependencies: os.tenant.dependencies.handler(async ({ input: { id }, context: { caller } }) => {
      await managed(db, caller, id)
      return withBlocking(await blockersOf(db, id))
    }),
    delete: os.tenant.delete.handler(async ({ input: { id, virtualDevices }, context: { caller } }) => {
      await db.transaction().execute((tx) => deleteEmptyAccount(tx, caller, id, virtualDevices))
      return { ok: true as const }
    }),
  }
}

function withBlocking(left: Awaited<ReturnType<typeof blockersOf>>) {
  return {
    ...left,
    blocking: left.items.length > 0,
    items: left.items.map((item) => ({ ...item, blocking: true })),
  }
}

/**
 * Deletes an account in which nothing is left that blocks it, with everything else it owns.
 * @param virtualDevices how many the caller has seen
 * @throws AppError TENANT_NOT_FOUND, TENANT_ROOT, NO_PERMISSION, TENANT_DELETE_HAS_DEPENDENCIES, TENANT_DELETE_COUNT
 */
export async function deleteEmptyAccount(
  tx: Executor,
  caller: Caller,
  id: number,
  virtualDevices: number,
): Promise<void> {
  await lockTree(tx)
  const account = await managed(tx, caller, id)
  if (account.parentId === null) throw new AppError('TENANT_ROOT')
  const above = await findAccount(tx, account.parentId, caller.scopeIds('all', 'manage'))
  if (!above) throw new AppError('NO_PERMISSION', { subject: 'all', action: 'manage' })
  const left = await blockersOf(tx, id)
  if (left.items.length > 0) throw new AppError('TENANT_DELETE_HAS_DEPENDENCIES', { ...withBlocking(left) })
  if (left.virtualDevices !== virtualDevices)
    throw new AppError('TENANT_DELETE_COUNT', { virtualDevices: left.virtualDevices })
  await deleteOfAccount(tx, id)
  const about = { subject: 'Tenant', objectId: id, objectTitle: account.name }
  // The account no longer exists, so the entry belongs to the one above.
  await recordActivity(tx, caller, { action: 'delete', ...about, accountId: above.id, changes: null })
}

function dateOf(time: string | null): Date | null {
  return time === null ? null : new Date(time)
}

function orDuplicate(error: unknown): never {
  const index = violatedUnique(error)
  if (index === undefined) throw error
  if (index.startsWith('account_domains')) throw new AppError('TENANT_DOMAIN_DUPLICATE')
  throw new AppError('TENANT_DUPLICATE')
}
