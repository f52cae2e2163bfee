import type { Executor } from '../../../platform/db/index.ts'
import { readUser } from '../store/access.ts'

/** The part of an activity entry that says whom it is about. */
export async function aboutUser(tx: Executor, userId: number) {
  const user = await readUser(tx, userId)
  return {
    subject: 'User',
    objectId: userId,
    objectTitle: user?.username ?? '',
    accountId: user?.account_id ?? null,
  }
}
