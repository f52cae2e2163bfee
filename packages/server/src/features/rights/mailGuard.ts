import type { Executor } from '../../platform/db/index.ts'
import { AppError } from '../../platform/errors.ts'
import { Rights } from './rights.ts'
import { rightsGained } from './roles/guard.ts'
import { readAccess } from './store/access.ts'
import { findOwnScope, readScopeTree } from './store/scopes.ts'

/**
 * Whether the administrators of an account have at least the rights a user has anywhere. They can read mails
 * sent through the account's mail server, so only then may sign-in links of this user go through it.
 */
export async function administratorsCover(db: Executor, accountId: number, userId: number): Promise<boolean> {
  const scopeId = await findOwnScope(db, accountId)
  if (scopeId === undefined) return false
  const everything = {
    scopeId,
    isMain: true,
    rules: [{ subject: 'all' as const, actions: ['manage' as const] }],
  }
  const administrators = new Rights(await readScopeTree(db, [scopeId]), [everything])
  return (await rightsGained(db, [], await readAccess(db, userId), administrators)) === null
}

/**
 * Refuses a link that may have been read by administrators who no longer cover the user's rights. This
 * protects users who gained rights after the mail was sent.
 * @param seenBy accounts whose mail servers the link went through
 * @throws AppError RESET_TOKEN_ERROR
 */
export async function requireUnseen(
  db: Executor,
  { id, seenBy }: { id: number; seenBy: readonly number[] | null },
): Promise<void> {
  for (const accountId of seenBy ?? [])
    if (!(await administratorsCover(db, accountId, id))) throw new AppError('RESET_TOKEN_ERROR')
}
