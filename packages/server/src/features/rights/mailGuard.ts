import type { Executor } from '../../platform/db/index.ts'
import { AppError } from '../../platform/errors.ts'
import { Rights } from './rights.ts'
import { rightsGained } from './roles/guard.ts'
import { readAccess } from './store/access.ts'
import { findOwnScope, readScopeTree } from './store/scopes.ts'

/**
 * Whether the administrators of an account may do at least what a user may do everywhere. They read what leaves through
 * the account's mail server, so links that let somebody in as this user may go that way only then.
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
 * Refuses a link that administrators have seen who may no longer do all that the user may do: who got more rights since
 * the mail was sent is not given away by it.
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
