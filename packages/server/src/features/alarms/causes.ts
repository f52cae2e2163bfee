import type { Executor } from '../../platform/db/index.ts'
import {
  type AlarmToWrite,
  type Cause,
  defaultTimes,
  insertCauseAlarms,
  keyOf,
  lockCauses,
  numberAlarms,
  type Place,
  readConnectorPlaces,
  readRootPlace,
  readTimes,
  readTwinPlaces,
  takeDueCauses,
  updateCauseAlarms,
  type WaitingToWrite,
  writeWaiting,
} from './causes.store.ts'
import {
  type AlarmTimes,
  type CauseEvent,
  type CauseResult,
  type CauseState,
  followCause,
  followDue,
} from './machine.ts'
import type { AlarmChange } from './store.ts'

/** Something that became true or false, and of what. */
export interface Happening extends Cause {
  event: CauseEvent
}

/** As long as anything may have been resolved and still be the same alarm. */
const reopenMaxMs = 7 * 86_400_000

/**
 * Follows causes in one transaction.
 * @param happenings those of a cause in order; what no longer exists is left out
 * @returns what happened to alarms, in order
 */
export async function followCauses(
  tx: Executor,
  now: Date,
  happenings: readonly Happening[],
): Promise<AlarmChange[]> {
  const byKey = Map.groupBy(happenings, keyOf)
  const causes = [...byKey].map(([key, [first]]) => ({ key, cause: first as Happening }))
  return follow(tx, now, causes, (state, times, key) =>
    followCause(state, byKey.get(key)?.map(({ event }) => event) ?? [], times),
  )
}

/** Does what is due. @returns how many causes were, and what happened to alarms */
export async function followDueCauses(
  tx: Executor,
  now: Date,
  limit: number,
): Promise<{ taken: number; changes: AlarmChange[] }> {
  const due = await takeDueCauses(tx, now, limit)
  const causes = due.map((cause) => ({ key: keyOf(cause), cause }))
  const changes = await follow(tx, now, causes, (state, times) => followDue(state, now, times))
  return { taken: due.length, changes }
}

interface KeyedCause {
  key: string
  cause: Cause
}

async function follow(
  tx: Executor,
  now: Date,
  causes: readonly KeyedCause[],
  step: (state: CauseState, times: AlarmTimes, key: string) => CauseResult,
): Promise<AlarmChange[]> {
  if (causes.length === 0) return []
  const placeOf = await readPlaces(tx, causes)
  const standing = causes
    .flatMap((each) => {
      const place = placeOf(each.cause)
      return place === undefined ? [] : [{ ...each, place }]
    })
    .sort((a, b) => (a.key < b.key ? -1 : 1))
  const times = await readTimes(tx, [...new Set(standing.map(({ place }) => place.accountId))])
  const oldest = new Date(now.getTime() - reopenMaxMs)
  const states = await lockCauses(
    tx,
    standing.map(({ key }) => key),
    oldest,
  )
  const done = standing.map((each) => {
    const before = states.get(each.key) ?? { alarm: null, waiting: null }
    const own = times.get(each.place.accountId) ?? defaultTimes
    return { ...each, before, result: step(before, own, each.key) }
  })
  await write(tx, done)
  return done.flatMap(({ cause, place, result }) =>
    result.steps.map(({ what, alarm, at }): AlarmChange => {
      const stored = result.touched.find(({ raisedAt }) => raisedAt === alarm.raisedAt)
      return {
        id: stored?.id as number,
        twinId: cause.twinId,
        scopeId: place.scopeId,
        connectorId: cause.connectorId,
        originCategory: place.category,
        source: cause.source,
        ruleId: null,
        severity: alarm.severity,
        category: alarm.category,
        message: alarm.message,
        accountId: place.accountId,
        at,
        resolved: alarm.resolvedAt !== null,
        what,
      }
    }),
  )
}

async function readPlaces(tx: Executor, causes: readonly KeyedCause[]) {
  const twins = await readTwinPlaces(tx, [...new Set(causes.flatMap(({ cause }) => cause.twinId ?? []))])
  const connectors = await readConnectorPlaces(tx, [
    ...new Set(causes.flatMap(({ cause }) => cause.connectorId ?? [])),
  ])
  const root = causes.some(({ cause }) => cause.source === 'platform') ? await readRootPlace(tx) : undefined
  return ({ source, twinId, connectorId }: Cause): Place | undefined => {
    if (source === 'platform') return root
    if (twinId !== null) return twins.get(twinId)
    return connectorId === null ? undefined : connectors.get(connectorId)
  }
}

interface Done extends KeyedCause {
  place: Place
  before: CauseState
  result: CauseResult
}

async function write(tx: Executor, done: readonly Done[]): Promise<void> {
  const touched = done.flatMap(({ cause, place, result }) =>
    result.touched.map((alarm): AlarmToWrite => ({ cause, accountId: place.accountId, alarm })),
  )
  const isNew = new Set(touched.filter(({ alarm }) => alarm.id === null))
  // First what ends: of a cause one alarm is open at most.
  await updateCauseAlarms(
    tx,
    touched.filter((each) => !isNew.has(each)).map(({ alarm }) => alarm),
  )
  const fresh = touched.filter((each) => isNew.has(each))
  await numberAlarms(
    tx,
    fresh.map(({ alarm }) => alarm),
  )
  await insertCauseAlarms(tx, fresh)
  await writeWaiting(
    tx,
    done.flatMap(({ cause, place, before, result }): WaitingToWrite[] => {
      const { waiting } = result.state
      return waiting === before.waiting ? [] : [{ cause, accountId: place.accountId, waiting }]
    }),
  )
}
