import type { Context } from '../../platform/context.ts'
import type { Executor } from '../../platform/db/index.ts'
import { DueLoop } from '../../platform/dueLoop.ts'
import { nextDueCause } from './causes.store.ts'
import { followDueCauses } from './causes.ts'
import { releaseMaintained } from './maintenance.store.ts'
import { type AlarmChange, readChanges, wakeSnoozed } from './store.ts'

const batchMax = 500

/**
 * Opens and resolves alarms whose delay is over, and lets those count that were set aside or opened during maintenance:
 * none is missed or doubled, whichever process does it.
 * @param noted appends the events of changes. @returns what to do after the commit
 */
export function alarmClock(
  { db, clock, log }: Pick<Context, 'db' | 'clock' | 'log'>,
  noted: (tx: Executor, changes: readonly AlarmChange[]) => Promise<() => void>,
): DueLoop {
  return new DueLoop({
    log,
    clock,
    failure: 'alarms that wait for their delay are not looked at; tried again soon',
    batchMax,
    nextAt: () => nextDueCause(db),
    async piece() {
      const { taken, after } = await db.transaction().execute(async (tx) => {
        const now = clock.now()
        const due = await followDueCauses(tx, now, batchMax)
        const counting = [
          ...(await wakeSnoozed(tx, now, batchMax)),
          ...(await releaseMaintained(tx, now, batchMax)),
        ]
        const awake = await readChanges(tx, [...new Set(counting)])
        const changes = [...due.changes, ...awake.map((alarm) => ({ ...alarm, what: 'awake' as const }))]
        return { taken: Math.max(due.taken, awake.length), after: await noted(tx, changes) }
      })
      after()
      return taken
    },
  })
}
