import type { Context } from '../../platform/context.ts'
import type { Executor } from '../../platform/db/index.ts'
import type { EventOf } from '../../platform/events/index.ts'
import { type ConnectorChanged, connectorChanged } from '../../topics/connectorChanged.ts'
import { type HealthChanged, healthChanged } from '../../topics/healthChanged.ts'
import { type ThresholdChanged, thresholdChanged } from '../../topics/thresholdChanged.ts'
import type { Happening } from './causes.ts'
import type { AlarmCategory, AlarmSeverity } from './store.ts'

/** Maximum length of what another system says. */
const reasonLengthMax = 500
/** Levels of health that open an alarm; an entry that cannot be evaluated (4) does not. */
const severities: ReadonlyMap<number, AlarmSeverity> = new Map([
  [1, 'warning'],
  [2, 'error'],
])

const topics = [healthChanged, thresholdChanged, connectorChanged]
type Event = EventOf<(typeof topics)[number]>

/** What events say about causes of alarms. */
export function happeningsOf(events: readonly Event[]): Happening[] {
  return events.flatMap(happenings)
}

function happenings(event: Event): Happening[] {
  switch (event.topic) {
    case 'health.changed':
      return ofHealth(event.payload)
    case 'threshold.changed':
      return [ofThreshold(event.payload)]
    case 'connector.changed':
      return [ofConnector(event.payload)]
  }
}

/** Each entry of the health of a device that counts is a cause. */
function ofHealth({ deviceId, entry, category, description, to, at }: HealthChanged): Happening[] {
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
}

/** A device that sends fewer packets than a smart group expects is a cause, for each of its groups. */
function ofThreshold(payload: ThresholdChanged): Happening {
  const { twinId, groupId, groupTitle, low, received, expected, windowHours: hours, at } = payload
  const content = low
    ? {
        severity: 'warning' as const,
        category: 'packet-threshold' as const,
        message: groupTitle,
        details: { received, expected: readable(expected), hours, groupId, groupTitle },
      }
    : null
  const cause = { source: 'packet-threshold', twinId, connectorId: null, cause: String(groupId) } as const
  return { ...cause, event: { at: new Date(at), content } }
}

/** Of a device that sends once a day, a fraction of a packet is expected in a short window: never none. */
function readable(expected: number): number {
  return expected < 10 ? Math.max(0.1, Math.round(expected * 10) / 10) : Math.round(expected)
}

/** A connector that fails is a cause until it works again or is switched off. */
function ofConnector({ connectorId, state, message, at }: ConnectorChanged): Happening {
  const reason = message.slice(0, reasonLengthMax).toWellFormed()
  const content =
    state === 'error'
      ? {
          severity: 'error' as const,
          category: 'connectivity' as const,
          message: reason,
          details: { reason },
        }
      : null
  const cause = { source: 'connector', twinId: null, connectorId, cause: 'state' } as const
  return { ...cause, event: { at: new Date(at), content } }
}

/** Everything about one thing is handled in order. */
function partition(event: Event): number | string {
  switch (event.topic) {
    case 'health.changed':
      return event.payload.deviceId
    case 'threshold.changed':
      return event.payload.twinId
    case 'connector.changed':
      return `connector ${event.payload.connectorId}`
  }
}

interface Follow {
  /** Follows causes in this transaction. @returns what to do after the commit */
  follow(tx: Executor, happenings: readonly Happening[]): Promise<() => void>
}

/** Opens and resolves alarms when their causes change; each change counts once. */
export function consumeCauses(ctx: Pick<Context, 'events'>, { follow }: Follow): void {
  ctx.events.consume({
    name: 'alarms',
    topics,
    partition,
    handleOnce: (events, tx) => follow(tx, happeningsOf(events)),
  })
}
