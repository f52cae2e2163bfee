import { isDeepStrictEqual } from 'node:util'
import type { JsonValue } from '@leitstand/contract/common'
import type { Context } from '../../platform/context.ts'
import type { Executor } from '../../platform/db/index.ts'
import { AppError } from '../../platform/errors.ts'
import {
  type ExpressionInput,
  faultEntries,
  type HealthPlan,
  judge,
  judgeExpressions,
  planOf,
  type Verdict,
} from '../drivers/index.ts'
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
  readDevices,
  readLastValues,
  takeDue,
  takeRefreshes,
  toState,
} from './store.ts'
import { type DeviceStep, statementsOf } from './write.ts'

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

/** Verdicts of the expressions of devices, with the input they are for. */
export type Verdicts = ReadonlyMap<
  number,
  Pick<ExpressionInput, 'variables'> & { plan: string; verdict: Verdict }
>

/**
 * Runs the expressions of devices, before the transaction that needs the verdicts: scripts may take long, and
 * storing packets waits for devices that are locked. A device has no verdict when it needs none, or when the
 * sandbox is too busy for its account.
 */
export async function judgeDevices(
  { scripts, db }: Pick<Context, 'scripts' | 'db'>,
  ids: readonly number[],
): Promise<Verdicts> {
  const verdicts = new Map<number, Pick<ExpressionInput, 'variables'> & { plan: string; verdict: Verdict }>()
  if (ids.length === 0) return verdicts
  const plans = new Plans()
  const [devices, values] = [await readDevices(db, ids), await readLastValues(db, ids)]
  const inputs = devices.flatMap((device) => {
    const input = inputOf(device, plans.of(device), values.get(device.twin_id) ?? [])
    return input === null ? [] : [{ deviceId: device.twin_id, ...input }]
  })
  const byAccount = Map.groupBy(inputs, ({ dataAccountId }) => dataAccountId)
  const judging = [...byAccount.values()].map(async (ofAccount) => {
    const found = await judgeExpressions(scripts, ofAccount).catch(noneWhenBusy)
    for (const [index, verdict] of found.entries()) {
      const { deviceId, plan, variables } = ofAccount[index] as (typeof ofAccount)[number]
      verdicts.set(deviceId, { plan: plan.key, variables, verdict })
    }
  })
  await Promise.all(judging)
  return verdicts
}

function noneWhenBusy(error: unknown): Verdict[] {
  if (error instanceof AppError && error.code === 'OVERLOADED') return []
  throw error
}

/**
 * Re-evaluates the health of locked devices and stores changes.
 * @param verdicts from `judgeDevices`
 * @returns the changed devices, and those left out because a verdict is missing or for an input that has changed
 */
async function recomputeHealth(
  { events }: Pick<Context, 'events'>,
  tx: Executor,
  devices: readonly DeviceToJudge[],
  now: Date,
  verdicts: Verdicts,
): Promise<{ changed: number[]; outdated: number[] }> {
  if (devices.length === 0) return { changed: [], outdated: [] }
  const ids = devices.map(({ twin_id: id }) => id)
  const plans = new Plans()
  const [entries, values] = [await loadEntries(tx, ids), await readLastValues(tx, ids)]
  const outdated: number[] = []
  const steps: DeviceStep[] = []
  for (const device of devices) {
    const { twin_id: deviceId, accountId, disabled } = device
    const plan = plans.of(device)
    const last = values.get(deviceId) ?? []
    const verdict = verdictOf(inputOf(device, plan, last), verdicts.get(deviceId))
    if (verdict === undefined) {
      outdated.push(deviceId)
      continue
    }
    const { open, ignored } = entries.get(deviceId) as Entries
    const about = { known: knownOf(device, plan, last, verdict), disabled, now }
    const step = recompute(toState(device, open), plan, ignored, about)
    steps.push({ deviceId, accountId, step })
  }
  const rows = new Map(devices.map((device) => [device.twin_id, device]))
  const moved = steps.filter(({ deviceId, step }) => !isSame(step, rows.get(deviceId) as DeviceToJudge))
  for (const statement of statementsOf({ events }, moved)) await statement.execute(tx)
  return { changed: changedOf(steps), outdated }
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

const valuesByVariable = (last: readonly LastValue[]): Record<string, JsonValue> =>
  Object.fromEntries(last.map(({ variable, value }) => [variable, value]))

/** The input of the expressions of a device; null when none are evaluated for it. */
function inputOf(
  device: DeviceToJudge,
  plan: HealthPlan | null,
  last: readonly LastValue[],
): ExpressionInput | null {
  if (plan === null || plan.expressions.length === 0) return null
  if (device.disabled || device.evaluated_at === null) return null
  const variables = Object.entries({ ...valuesByVariable(last), ...device.memory })
  const wanted = variables.filter(([key]) => plan.stateKeys.has(key))
  return { plan, dataAccountId: device.accountId, variables: Object.fromEntries(wanted) }
}

/** Without expressions there is no expression fault. */
const withoutExpressions: Verdict = { on: [], off: [faultEntries.expression] }

/** The verdict for an input; undefined when it is missing or for another input. */
function verdictOf(input: ExpressionInput | null, found: ReturnType<Verdicts['get']>): Verdict | undefined {
  if (input === null) return withoutExpressions
  if (found?.plan !== input.plan.key || !isDeepStrictEqual(found.variables, input.variables)) return undefined
  return found.verdict
}

/** Findings from the last values of a device. */
function knownOf(
  device: DeviceToJudge,
  plan: HealthPlan | null,
  last: readonly LastValue[],
  verdict: Verdict,
): Known {
  const { on, off } = plan === null ? { on: [], off: [] } : judge(plan, valuesByVariable(last))
  return {
    seen: device.lastSeen,
    values: new Map(last.map(({ variable, time }) => [variable, time])),
    on: [...on, ...verdict.on],
    off: [...off, ...verdict.off],
  }
}

/**
 * Re-evaluates devices and takes them off the refresh list.
 * @param verdicts from `judgeDevices`
 * @returns the number re-evaluated, the changed devices, and those left out as in `recomputeHealth`
 */
export async function recomputeRefreshes(
  tools: Pick<Context, 'events'>,
  tx: Executor,
  now: Date,
  { ids, verdicts }: { ids: readonly number[]; verdicts: Verdicts },
): Promise<{ taken: number; changed: number[]; outdated: number[] }> {
  if (ids.length === 0) return { taken: 0, changed: [], outdated: [] }
  // Before the devices are read, so that a refresh noted by a later change stays on the list.
  const refreshes = await takeRefreshes(tx, ids)
  const devices = await lockDevices(tx, ids)
  const { changed, outdated } = await recomputeHealth(tools, tx, devices, now, verdicts)
  const locked = new Set(devices.map(({ twin_id: id }) => id))
  const missing = refreshes.filter((id) => !locked.has(id))
  // Devices locked by another transaction go back to the list; deleted ones do not.
  const busy = missing.length === 0 ? [] : await existing(tx, missing)
  const left = [...busy, ...refreshes.filter((id) => outdated.includes(id))]
  if (left.length > 0) await noteRefreshes(left).execute(tx)
  return { taken: devices.length - outdated.length, changed, outdated }
}

/** Re-evaluates devices that are due by time. @returns the number evaluated and the changed devices */
export async function evaluateDue(
  { events }: Pick<Context, 'events'>,
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
