import type { Executor } from '../../../platform/db/index.ts'
import { AppError } from '../../../platform/errors.ts'
import type { Caller } from '../../../platform/http/caller.ts'
import { readUser } from '../store/users.ts'

/** The home account of a caller. @throws AppError TENANT_NOT_FOUND when there is none */
export async function homeAccountOf(db: Executor, { accountId, userId }: Caller): Promise<number> {
  const user = userId === null ? undefined : await readUser(db, userId)
  const found = user?.account_id ?? accountId
  if (found === undefined) throw new AppError('TENANT_NOT_FOUND')
  return found
}

/** The fields of an activity entry that identify the user it is about. */
export async function aboutUser(tx: Executor, userId: number) {
  const user = await readUser(tx, userId)
  return {
    subject: 'User',
    objectId: userId,
    objectTitle: user?.username ?? '',
    accountId: user?.account_id ?? null,
  }
}
