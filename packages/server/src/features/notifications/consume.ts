import type { Context } from '../../platform/context.ts'
import { alarmChanged } from '../../topics/alarmChanged.ts'
import { groupsOfDevices } from '../groups/index.ts'
import { toldAs } from './match.ts'
import { insertNotices, type Listener, type NewNotice, readListeners, readTwinsAbove } from './store.ts'
import { dueAt } from './times.ts'

const none: ReadonlySet<number> = new Set()

/** Stores which notifications each change of an alarm needs, once. */
export function consumeAlarms(ctx: Pick<Context, 'events' | 'clock'>): void {
  ctx.events.consume({
    name: 'notifications',
    topics: [alarmChanged],
    partition: ({ payload }) => payload.alarmId,
    handleOnce: async (events, tx) => {
      const listeners = await readListeners(tx, [...new Set(events.map(({ payload }) => payload.scopeId))])
      if (listeners.length === 0) return undefined
      const byScope = Map.groupBy(listeners, ({ scopeId }) => scopeId)
      const isPlaced = listeners.some(({ twinId }) => twinId !== null)
      const twinIds = [...new Set(events.flatMap(({ payload }) => payload.twinId ?? []))]
      const above = isPlaced ? await readTwinsAbove(tx, twinIds) : new Map<number, Set<number>>()
      const now = ctx.clock.now()
      const groupIds = [...new Set(listeners.flatMap(({ groupId }) => groupId ?? []))]
      const groups = await groupsOfDevices(tx, groupIds, twinIds, now)
      // The same for all that a listener is told of now.
      const due = new Map<number, Date>()
      const dueOf = (listener: Listener): Date => {
        const at = due.get(listener.id) ?? dueAt(listener, now)
        due.set(listener.id, at)
        return at
      }
      const notices = events.flatMap(({ payload }) =>
        (byScope.get(payload.scopeId) ?? []).flatMap((listener): NewNotice[] => {
          const twinId = payload.twinId ?? 0
          const what = toldAs(listener, payload, above.get(twinId) ?? none, groups.get(twinId) ?? none)
          if (what === null) return []
          return [{ notificationId: listener.id, alarmId: payload.alarmId, what, dueAt: dueOf(listener) }]
        }),
      )
      await insertNotices(tx, notices)
      return undefined
    },
  })
}
