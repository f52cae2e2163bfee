import type { Context } from '../../platform/context.ts'
import { readAccountsBelow } from './store.ts'

/** Tells the consoles of everybody an account's announcements can reach to read them again; call it after the commit. */
export async function publish(
  { db, live, clock }: Pick<Context, 'db' | 'live' | 'clock'>,
  accountIds: readonly number[],
): Promise<void> {
  if (accountIds.length === 0) return
  const timeMs = clock.now().getTime()
  for (const id of await readAccountsBelow(db, accountIds)) {
    const topic = `announcements:${id}` as const
    live.publish(topic, { kind: 'announcements', topic, timeMs })
  }
}
