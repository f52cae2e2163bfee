import type { Account } from '@leitstand/contract'
import type { Executor } from '../../platform/db/index.ts'
import { AppError } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { recordActivity } from '../activity/index.ts'
import { limitsOf } from './limits.ts'
import { readDetails } from './store.ts'
import { findAccount, listAccounts } from './tree.store.ts'

/**
 * Id, name and scope of an account whose own scope is one of these.
 * @throws AppError TENANT_NOT_FOUND
 */
export async function requireAccount(
  db: Executor,
  id: number,
  scopeIds: readonly number[],
): Promise<{ id: number; name: string; scopeId: number }> {
  const account = await findAccount(db, id, scopeIds)
  if (!account) throw new AppError('TENANT_NOT_FOUND', { id })
  return account
}

/** An account as the API shows it, without settings of the installation. */
export type StoredAccount = Omit<Account, 'ruleMailsDefault'> & { hasDefaultMails: boolean }

/**
 * An account as the API shows it, when its own scope is one of these.
 * @throws AppError TENANT_NOT_FOUND
 */
export async function accountFor(
  db: Executor,
  caller: Caller,
  id: number,
  scopeIds: readonly number[],
): Promise<StoredAccount> {
  const { scopeId } = await requireAccount(db, id, scopeIds)
  const [listed] = await listAccounts(db, [scopeId])
  if (!listed) throw new AppError('TENANT_NOT_FOUND', { id })
  const { retentionMonths, consentSince, ...details } = await readDetails(db, id)
  const managed = caller.scopeIds('all', 'manage')
  return {
    ...listed,
    ownRetentionMonths: retentionMonths,
    consentSince: consentSince?.toISOString() ?? null,
    domains: details.domains,
    terms: details.terms,
    passwordPolicy: details.passwordPolicy as Account['passwordPolicy'],
    feedback: { bug: [], featureRequest: [], ...(details.feedback as object) },
    ...(await limitsOf(db, id, scopeIds)),
    editable: managed.includes(listed.scopeId),
    limitsEditable:
      listed.parentId === null
        ? caller.can('super.system', 'manage')
        : (await findAccount(db, listed.parentId, managed)) !== undefined,
  }
}

/** An account the caller administers. @throws AppError TENANT_NOT_FOUND */
export function managedAccount(db: Executor, caller: Caller, id: number): Promise<StoredAccount> {
  return accountFor(db, caller, id, caller.scopeIds('all', 'manage'))
}

/** Writes an activity entry about an account. */
export async function note(
  tx: Executor,
  caller: Caller,
  action: string,
  account: { id: number; name: string },
  changes: object,
): Promise<void> {
  const about = { subject: 'Tenant', objectId: account.id, objectTitle: account.name, accountId: account.id }
  await recordActivity(tx, caller, { action, ...about, changes })
}
