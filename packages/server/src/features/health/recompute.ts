import type { JsonValue } from '@leitstand/contract/common'
import type { Context } from '../../platform/context.ts'
import type { Executor } from '../../platform/db/index.ts'
import { faultEntries, type HealthPlan, judge, judgeExpressions, planOf } from '../drivers/index.ts'
import { followClock, type Known, recompute, type Step } from './step.ts'
import {
  type DeviceToJudge,
  type Entries,
  existing,
  type LastValue,
  type LiveRow,
  loadEntries,
  lockDevices,
  noteRefreshes,
  readLastValues,
  takeDue,
  takeRefreshes,
  toState,
} from './store.ts'
import { type DeviceStep, statementsOf } from './write.ts'

type Tools = Pick<Context, 'scripts' | 'events'>

/** Stable keys of configurations. */
export const driverKey = (driverId: number, number: number): string => `d${driverId}.${number}`
export const ownKey = (revision: number): string => `o${revision}`

/** Cache of prepared configurations for one piece of work. */
export class Plans {
  readonly #plans = new Map<string, HealthPlan | null>()

  of({ own, driver }: Pick<DeviceToJudge, 'own' | 'driver'>): HealthPlan | null {
    if (own !== null) return this.#plan(ownKey(own.revision), () => planOf(own.config, ownKey(own.revision)))
    if (driver === null) return null
    const key = driverKey(driver.id, driver.number)
    return this.#plan(key, () => planOf(driver.config, key))
  }

  #plan(key: string, make: () => HealthPlan | null): HealthPlan | null {
    const known = this.#plans.get(key)
    if (known !== undefined) return known
    const made = make()
    this.#plans.set(key, made)
    return made
  }
}

/** Re-evaluates the health of devices and stores changes. @returns the changed devices */
export async function recomputeHealth(
  { scripts, events }: Tools,
  tx: Executor,
  devices: readonly DeviceToJudge[],
  now: Date,
): Promise<number[]> {
  if (devices.length === 0) return []
  const ids = devices.map(({ twin_id: id }) => id)
  const plans = new Plans()
  const [entries, values] = [await loadEntries(tx, ids), await readLastValues(tx, ids)]
  const judged = devices.map((device) => ({ device, plan: plans.of(device) }))
  const known = await knowledge(scripts, judged, values)
  const steps = judged.map(({ device, plan }, index): DeviceStep => {
    const { open, ignored } = entries.get(device.twin_id) as Entries
    const about = { known: known[index] as Known, disabled: device.disabled, now }
    const step = recompute(toState(device, open), plan, ignored, about)
    return { deviceId: device.twin_id, accountId: device.accountId, step }
  })
  const moved = steps.filter(({ step }, index) => !isSame(step, devices[index] as DeviceToJudge))
  for (const statement of statementsOf({ events }, moved)) await statement.execute(tx)
  return changedOf(steps)
}

/** Whether nothing changed, as for most devices when a new driver version only changes the decoding. */
function isSame({ state, changes }: Step, row: LiveRow): boolean {
  const sameTime = (a: Date | null, b: Date | null) => a?.getTime() === b?.getTime()
  return (
    changes.length === 0 &&
    state.config === row.health_config &&
    sameTime(state.due, row.health_due) &&
    sameTime(state.evaluatedAt, row.evaluated_at) &&
    state.active.size === (row.health_active ?? []).length &&
    (row.health_active ?? []).every((entry) => state.active.has(entry))
  )
}

const changedOf = (steps: readonly DeviceStep[]): number[] =>
  steps.flatMap(({ deviceId, step }) => (step.changes.length > 0 ? [deviceId] : []))

/** Findings from the last values of devices, in the same order. */
async function knowledge(
  scripts: Tools['scripts'],
  judged: readonly { device: DeviceToJudge; plan: HealthPlan | null }[],
  values: ReadonlyMap<number, readonly LastValue[]>,
): Promise<Known[]> {
  const known = judged.map(({ device, plan }) => {
    const last = values.get(device.twin_id) ?? []
    const byVariable: Record<string, JsonValue> = Object.fromEntries(
      last.map(({ variable, value }) => [variable, value]),
    )
    const times = new Map(last.map(({ variable, time }) => [variable, time]))
    const { on, off } = plan === null ? { on: [], off: [] } : judge(plan, byVariable)
    return { seen: device.lastSeen, values: times, on, off, variables: { ...byVariable, ...device.memory } }
  })
  const asked = judged.flatMap(({ device, plan }, index) =>
    plan === null || plan.expressions.length === 0 || device.disabled || device.evaluated_at === null
      ? []
      : [
          {
            index,
            plan,
            dataAccountId: device.accountId,
            variables: (known[index] as (typeof known)[number]).variables,
          },
        ],
  )
  const verdicts = await judgeExpressions(
    scripts,
    asked.map(({ plan, dataAccountId, variables }) => ({
      plan,
      dataAccountId,
      variables: Object.fromEntries(Object.entries(variables).filter(([key]) => plan.stateKeys.has(key))),
    })),
  )
  return known.map(({ on, off, ...rest }, index) => {
    const verdict = verdicts[asked.findIndex((each) => each.index === index)]
    // Without an expression there is no expression fault.
    const said = verdict ?? { on: [], off: [faultEntries.expression] }
    return { ...rest, on: [...on, ...said.on], off: [...off, ...said.off] }
  })
}

/** Re-evaluates the next devices in the refresh list. @returns the number taken and the changed devices */
export async function recomputeNext(
  tools: Tools,
  tx: Executor,
  now: Date,
  limit: number,
): Promise<{ taken: number; changed: number[] }> {
  const ids = await takeRefreshes(tx, limit)
  if (ids.length === 0) return { taken: 0, changed: [] }
  const devices = await lockDevices(tx, ids)
  const changed = await recomputeHealth(tools, tx, devices, now)
  const free = new Set(devices.map(({ twin_id: id }) => id))
  const missing = ids.filter((id) => !free.has(id))
  // Devices locked by another transaction go back to the list; deleted ones do not.
  const busy = missing.length === 0 ? [] : await existing(tx, missing)
  if (busy.length > 0) await noteRefreshes(busy).execute(tx)
  return { taken: devices.length, changed }
}

/** Re-evaluates devices that are due by time. @returns the number evaluated and the changed devices */
export async function evaluateDue(
  { events }: Tools,
  tx: Executor,
  now: Date,
  limit: number,
): Promise<{ taken: number; changed: number[] }> {
  const devices = await takeDue(tx, now, limit)
  if (devices.length === 0) return { taken: 0, changed: [] }
  const plans = new Plans()
  const ids = devices.map(({ twin_id: id }) => id)
  const [entries, values] = [await loadEntries(tx, ids), await readLastValues(tx, ids)]
  const steps = devices.map((device): DeviceStep => {
    const { open, ignored } = entries.get(device.twin_id) as Entries
    const times = (values.get(device.twin_id) ?? []).map(({ variable, time }) => [variable, time] as const)
    const last = { seen: device.lastSeen, values: new Map(times) }
    const step = followClock(toState(device, open), plans.of(device), ignored, last, now)
    return { deviceId: device.twin_id, accountId: device.accountId, step }
  })
  for (const statement of statementsOf({ events }, steps)) await statement.execute(tx)
  return { taken: devices.length, changed: changedOf(steps) }
}
