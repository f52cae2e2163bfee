import type { Executor } from '../../platform/db/index.ts'
import { provenDomainsOf } from '../accounts/index.ts'
import { isTopmost } from './store.ts'

/**
 * The domains an account can have brands for: those it has proven, and for the topmost account the empty one,
 * which stands for all addresses that nobody has proven.
 */
export async function domainsOf(db: Executor, accountId: number): Promise<string[]> {
  const [topmost, proven] = await Promise.all([isTopmost(db, accountId), provenDomainsOf(db, accountId)])
  return topmost ? ['', ...proven] : proven
}
