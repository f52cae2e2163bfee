import type { Context } from '../../platform/context.ts'
import type { Executor } from '../../platform/db/index.ts'
import type { EventOf } from '../../platform/events/index.ts'
import { healthChanged } from '../../topics/healthChanged.ts'
import type { Happening } from './causes.ts'
import type { AlarmCategory, AlarmSeverity } from './store.ts'

/** Levels of health that open an alarm; an entry that cannot be evaluated (4) does not. */
const severities: ReadonlyMap<number, AlarmSeverity> = new Map([
  [1, 'warning'],
  [2, 'error'],
])

/** What the health of devices says about alarms: each entry that counts is a cause. */
export function happeningsOf(events: readonly EventOf<typeof healthChanged>[]): Happening[] {
  return events.flatMap(({ payload }): Happening[] => {
    const { deviceId, entry, category, description, to, at } = payload
    if (entry === null) return []
    const severity = severities.get(to)
    const content =
      severity === undefined
        ? null
        : {
            severity,
            category: (category ?? 'device') as AlarmCategory,
            message: description === '' ? entry : description,
            details: { entry },
          }
    const cause = { source: 'health', twinId: deviceId, connectorId: null, cause: entry } as const
    return [{ ...cause, event: { at: new Date(at), content } }]
  })
}

interface Follow {
  /** Follows causes in this transaction. @returns what to do after the commit */
  follow(tx: Executor, happenings: readonly Happening[]): Promise<() => void>
}

/** Opens and resolves alarms when the health of devices changes; each change counts once. */
export function consumeHealth(ctx: Pick<Context, 'events'>, { follow }: Follow): void {
  ctx.events.consume({
    name: 'alarms',
    topics: [healthChanged],
    partition: ({ payload }) => payload.deviceId,
    handleOnce: (events, tx) => follow(tx, happeningsOf(events)),
  })
}
