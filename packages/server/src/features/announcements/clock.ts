import type { Context } from '../../platform/context.ts'
import type { Executor } from '../../platform/db/index.ts'
import { DueLoop } from '../../platform/dueLoop.ts'
import { system } from '../../platform/http/caller.ts'
import { recordActivities } from '../activity/index.ts'
import { titleOf } from './input.ts'
import { publish } from './live.ts'
import { type Due, nextDueAt, takeDue } from './store.ts'

const batchMax = 100

/** Makes announcements appear when they begin, and deactivates them after their end, whether a console is open or not. */
export function announcementClock(ctx: Context): DueLoop {
  const { db, clock, log } = ctx
  return new DueLoop({
    log,
    clock,
    failure: 'announcements do not begin or end; tried again soon',
    batchMax,
    nextAt: () => nextDueAt(db),
    async piece() {
      const due = await db.transaction().execute(async (tx) => {
        const taken = await takeDue(tx, clock.now(), batchMax)
        await recordEnds(tx, taken)
        return taken
      })
      await publish(ctx, [...new Set(due.map(({ accountId }) => accountId))])
      return due.length
    },
  })
}

async function recordEnds(tx: Executor, due: readonly Due[]): Promise<void> {
  const ended = due.filter(({ hasEnded }) => hasEnded)
  await recordActivities(
    tx,
    system('announcements'),
    ended.map(({ id, accountId, text }) => ({
      action: 'deactivate',
      subject: 'Announcement',
      objectId: id,
      objectTitle: titleOf(text),
      accountId,
    })),
  )
}
