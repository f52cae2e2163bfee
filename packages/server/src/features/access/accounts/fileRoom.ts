import type { Executor } from '../../../platform/db/index.ts'
import { AppError } from '../../../platform/errors.ts'
import type { Caller } from '../../../platform/http/caller.ts'
import { lockFileLimits, sumFiles } from './fileRoom.store.ts'

export const megabyte = 1_048_576

/**
 * Makes sure that an account, and each above it, may have more files. Until the transaction ends nobody else adds one
 * below an account with a limit.
 * @throws AppError TENANT_FILE_LIMIT with the limit in megabytes and the account, TENANT_FILE_LIMIT_ABOVE when the
 * caller does not see that account
 */
export async function demandRoomForFiles(
  tx: Executor,
  caller: Caller,
  accountId: number,
  bytes: number,
): Promise<void> {
  for (const { id, name, scopeId, megabytes } of await lockFileLimits(tx, accountId)) {
    const used = await sumFiles(tx, id)
    if (used + bytes <= megabytes * megabyte) continue
    const known = id === accountId || caller.scopeIds('VirtualDevice', 'read').includes(scopeId)
    if (!known) throw new AppError('TENANT_FILE_LIMIT_ABOVE', { limit: megabytes })
    throw new AppError('TENANT_FILE_LIMIT', { limit: megabytes, account: name, accountId: id })
  }
}
