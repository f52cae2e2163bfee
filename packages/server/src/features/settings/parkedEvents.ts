import type { Context } from '../../platform/context.ts'
import type { Executor } from '../../platform/db/index.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { os } from '../../platform/http/implement.ts'
import { recordActivity } from '../activity/index.ts'
import { listParked } from './store.ts'

/** Events that consumers could not handle: list, retry and discard them. */
export function parkedEventRoutes({ db, events }: Pick<Context, 'db' | 'events'>) {
  return {
    parkedEvents: os.system.parkedEvents.handler(async ({ input }) => {
      const page = await listParked(db, input)
      return { ...page, offset: input.offset, limit: input.limit }
    }),
    retryParkedEvents: os.system.retryParkedEvents.handler(({ input: { ids }, context: { caller } }) =>
      db.transaction().execute(async (tx) => {
        const found = await events.requestRetry(tx, ids)
        await recordParked(tx, caller, 'retryEvents', found)
        return { count: found.length }
      }),
    ),
    discardParkedEvents: os.system.discardParkedEvents.handler(({ input: { ids }, context: { caller } }) =>
      db.transaction().execute(async (tx) => {
        const found = await events.discardParked(tx, ids)
        await recordParked(tx, caller, 'discardEvents', found)
        return { count: found.length }
      }),
    ),
  }
}

async function recordParked(
  tx: Executor,
  caller: Caller,
  action: string,
  events: readonly { id: number; consumer: string; topic: string }[],
): Promise<void> {
  if (events.length === 0) return
  const names = [...new Set(events.map(({ consumer, topic }) => `${consumer}: ${topic}`))]
  await recordActivity(tx, caller, {
    action,
    subject: 'ParkedEvent',
    objectId: null,
    objectTitle: names.slice(0, 5).join(', '),
    accountId: null,
    changes: { ids: events.map(({ id }) => id) },
  })
}
