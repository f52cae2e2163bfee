import type { RawBuilder } from 'kysely'
import type { Context } from '../../platform/context.ts'
import { type HealthChanged, healthChanged } from '../../topics/healthChanged.ts'
import type { HealthChange, Step } from './step.ts'
import { healthOf } from './step.ts'
import {
  type EndedPeriod,
  endPeriods,
  insertPeriods,
  type NewPeriod,
  noteRefreshes,
  writeStates,
} from './store.ts'

export interface DeviceStep {
  deviceId: number
  accountId: number
  step: Step
}

/** The statements that store changes with their periods and events. */
export function statementsOf(
  { events }: Pick<Context, 'events'>,
  steps: readonly DeviceStep[],
): RawBuilder<unknown>[] {
  if (steps.length === 0) return []
  const statements = [
    writeStates(steps.map(({ deviceId, step: { state } }) => ({ deviceId, state, health: healthOf(state) }))),
  ]
  const { ended, begun } = periodsOf(steps)
  if (ended.length > 0) statements.push(endPeriods(ended))
  if (begun.length > 0) statements.push(insertPeriods(begun))
  const outdated = steps.filter(({ step }) => step.outdated).map(({ deviceId }) => deviceId)
  if (outdated.length > 0) statements.push(noteRefreshes(outdated))
  const news = steps.flatMap(({ deviceId, accountId, step }) =>
    step.changes.map((change) => healthChanged.event(accountId, toEvent(deviceId, change))),
  )
  return [...statements, ...events.appending(news)]
}

function toEvent(deviceId: number, change: HealthChange): HealthChanged {
  const { entry, info, from, to, health, at } = change
  const { category = null, description = '' } = info ?? {}
  return { deviceId, entry, category, description, from, to, health, at: at.toISOString() }
}

/** Ended and started periods; a period that starts and ends in the same step is written once. */
function periodsOf(steps: readonly DeviceStep[]) {
  const ended: EndedPeriod[] = []
  const begun: NewPeriod[] = []
  for (const { deviceId, step } of steps) {
    const open = new Map<string, NewPeriod>()
    for (const { entry, info, to, at, end } of step.changes) {
      if (entry === null || info === null) continue
      const period = open.get(entry)
      if (to > 0) {
        const begins = { ...info, deviceId, entry, since: at, until: null, end: null }
        open.set(entry, begins)
        begun.push(begins)
      } else if (period === undefined) ended.push({ deviceId, entry, until: at, end: end ?? 'over' })
      else {
        period.until = at
        period.end = end
        open.delete(entry)
      }
    }
  }
  return { ended, begun }
}
