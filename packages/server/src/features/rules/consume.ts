import type { RuleTrigger } from '@leitstand/contract/rules'
import type { Context } from '../../platform/context.ts'
import type { EventOf } from '../../platform/events/index.ts'
import { alarmChanged, healthChanged, ruleWoken, valuesStored } from '../../topics/index.ts'
import type { SeriesFeature } from '../series/index.ts'
import type { RuleCache } from './cache.ts'
import type { HeavyRules } from './heavy.ts'
import type { RunRule } from './store/pipeline.ts'
import { readTwinsAbove } from './store/triggers.ts'
import { isWokenByAlarm } from './triggers/alarm/index.ts'
import { isWokenByHealth } from './triggers/health/index.ts'
import { wakesOfValues, wakingStates } from './triggers/values/plan.ts'
import { batchWakes, distinctPlaces, placeKey, type Wake } from './wakes.ts'
import type { WindowCache } from './windows/cache.ts'

const topics = [valuesStored, ruleWoken, alarmChanged, healthChanged]
type Event = EventOf<(typeof topics)[number]>
type ValuesEvent = EventOf<typeof valuesStored>
type AlarmEvent = EventOf<typeof alarmChanged>
/** An alarm of a twin or device that was raised or resolved. */
type TwinAlarmEvent = AlarmEvent & { payload: { twinId: number } }
type TwinEvent = TwinAlarmEvent | EventOf<typeof healthChanged>

interface Parts {
  ctx: Context
  series: Pick<SeriesFeature, 'follow'>
  cache: RuleCache
  windows: Pick<WindowCache, 'add' | 'forget'>
  heavy: Pick<HeavyRules, 'sift' | 'forget' | 'keepOwn'>
  /** Evaluates rules in one transaction, in this order. */
  run(wakes: readonly Wake[]): Promise<void>
}

/**
 * Starts waking rules.
 * @returns the consumer of events, for replays and tests
 */
export function consumeEvents({
  ctx,
  series,
  cache,
  windows,
  heavy,
  run,
}: Parts): (events: readonly Event[]) => Promise<void> {
  /**
   * Handles a batch of events, in order. Throws when something other than a rule fails; then the batch is
   * retried.
   */
  const handle = async (events: readonly Event[]): Promise<void> => {
    const stored = events.filter((event): event is ValuesEvent => event.topic === 'values.stored')
    windows.add(stored.map(({ payload }) => payload))
    const placesOf = await cache.wokenBy(wakingStates(stored))
    const twinsOf = await cache.twins()
    const wakesOfTwins = await twinWakes(
      { ctx, cache },
      events.filter(
        (event): event is TwinEvent =>
          event.topic === 'health.changed' || (event.topic === 'alarm.changed' && isTwinAlarm(event)),
      ),
    )
    const perEvent = events.map((event): Wake[] => {
      switch (event.topic) {
        case 'values.stored':
          return wakesOfValues(event, placesOf)
        case 'rule.woken':
          return wokenBy(event, twinsOf)
        default:
          return wakesOfTwins.get(event.id) ?? []
      }
    })
    for (const wakes of batchWakes(perEvent)) {
      const own = ctx.events.ownsAll ? wakes : await heavy.keepOwn(wakes, await accountsOf(wakes))
      const now = await heavy.sift(own)
      if (now.length > 0) await run(now)
    }
  }
  const accountsOf = async (wakes: readonly Wake[]): Promise<Map<number, number>> => {
    const rules = await cache.rules(distinctPlaces(wakes))
    return new Map([...rules.values()].map(({ id, accountId }) => [id, accountId]))
  }
  series.follow((stateId) => cache.mayWake(stateId))
  ctx.events.consume({
    name: 'rules',
    topics,
    partition: ({ accountId }) => accountId ?? 0,
    // Another process may have handled events in the meantime.
    resumed: () => {
      windows.forget('*')
      heavy.forget()
    },
    handle,
  })
  ctx.configChanges.on('state_values', (ids) => windows.forget(ids))
  return handle
}

/** @param twinsOf the twins that a rule runs on */
function wokenBy(event: EventOf<typeof ruleWoken>, twinsOf: (ruleId: number) => readonly number[]): Wake[] {
  const { ruleId, twinId, cause, depth, dueMs } = event.payload
  const woken = twinId === undefined ? twinsOf(ruleId) : [twinId]
  const wakes = woken.map((each) => ({ ruleId, twinId: each, cause, depth, ...momentOf(event) }))
  if (dueMs === undefined) return wakes
  // The clock of the database may be behind: evaluated before its time, the rule would be due again at once.
  const at = new Date(Math.max(dueMs, event.at.getTime()))
  return wakes.map((wake) => ({ ...wake, at, until: at, recheck: true }))
}

function momentOf({ id: eventId, at }: Event): Pick<Wake, 'eventId' | 'at' | 'until' | 'values'> {
  return { eventId, at, until: at, values: new Map() }
}

/** The rules that alarms and the health of devices wake, by event. */
async function twinWakes(
  { ctx, cache }: Pick<Parts, 'ctx' | 'cache'>,
  events: readonly TwinEvent[],
): Promise<Map<number, Wake[]>> {
  const wakes = new Map<number, Wake[]>()
  // Storms of alarms cost nothing where no rule wants to know.
  if (events.length === 0 || !(await cache.watchesAny())) return wakes
  const watches = await cache.watches()
  const above = await readTwinsAbove(ctx.db, [...new Set(events.map(twinOf))])
  const watchers = events.map((event) => {
    const kind = event.topic === 'alarm.changed' ? 'alarm' : 'health'
    const far = (above.get(twinOf(event)) ?? []).flatMap((id) =>
      watches(kind, id).filter(({ below }) => below),
    )
    return distinctPlaces([...watches(kind, twinOf(event)), ...far])
  })
  const rules = await cache.rules(watchers.flat())
  for (const [index, event] of events.entries()) {
    const woken = (watchers[index] ?? []).filter((place) => {
      const rule = rules.get(placeKey(place))
      return rule !== undefined && isWoken(rule, event)
    })
    const cause = causeOf(event)
    wakes.set(
      event.id,
      woken.map((place) => ({ ...place, cause, depth: 0, ...momentOf(event) })),
    )
  }
  return wakes
}

/** Other changes of an alarm, such as its severity, wake no rule. */
function isTwinAlarm(event: AlarmEvent): event is TwinAlarmEvent {
  const { twinId, what = 'raised' } = event.payload
  return twinId !== null && ['raised', 'again', 'resolved'].includes(what)
}

function twinOf(event: TwinEvent): number {
  return event.topic === 'alarm.changed' ? event.payload.twinId : event.payload.deviceId
}

function isWoken({ id, twinId, triggers }: RunRule, event: TwinEvent): boolean {
  const isOwnTwin = twinOf(event) === twinId
  const reaches = (trigger: RuleTrigger) => isOwnTwin || ('below' in trigger && trigger.below)
  if (event.topic === 'health.changed') {
    return triggers.some(
      (trigger) => trigger.kind === 'health' && reaches(trigger) && isWokenByHealth(trigger, event.payload),
    )
  }
  if (event.payload.ruleId === id) return false
  return triggers.some(
    (trigger) => trigger.kind === 'alarm' && reaches(trigger) && isWokenByAlarm(trigger, event.payload),
  )
}

function causeOf(event: TwinEvent): Wake['cause'] {
  if (event.topic === 'health.changed') {
    const { deviceId: twinId, health } = event.payload
    return { kind: 'health', twinId, health }
  }
  const { twinId, message, resolved } = event.payload
  return { kind: 'alarm', twinId, message, resolved }
}
