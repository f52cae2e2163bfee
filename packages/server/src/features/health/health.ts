import {
  type DeviceHealth,
  type HealthConfig,
  type HealthPeriod,
  healthFaults,
  noHealthConfig,
} from '@leitstand/contract/health'
import type { Context } from '../../platform/context.ts'
import type { Executor } from '../../platform/db/index.ts'
import { AppError } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { recordActivity } from '../activity/index.ts'
import { lockLive, requireDevice } from '../devices/index.ts'
import { faultEntries, requireExpressions } from '../drivers/index.ts'
import { homeAccountOf } from '../people/index.ts'
import { type ObjectRow, objectForChange, requireWrite, writeScopes } from '../twins/index.ts'
import { judgeDevices, Plans, recomputeRefreshes } from './recompute.ts'
import { followIgnoring, healthOf } from './step.ts'
import {
  type DeviceToJudge,
  listIgnored,
  listPeriods,
  loadEntries,
  lockDevices,
  noteRefreshes,
  type PeriodRow,
  readDevices,
  toState,
  writeConfig,
  writeIgnored,
} from './store.ts'
import { statementsOf } from './write.ts'

const configOf = ({ own, driver }: DeviceToJudge): HealthConfig =>
  own?.config ?? driver?.config ?? noHealthConfig()

/** The health of a device with its configuration and entries. @throws AppError VDEVICE_NOT_FOUND */
export async function getHealth(db: Executor, caller: Caller, id: number): Promise<DeviceHealth> {
  const row = await requireDevice(db, caller, id)
  const [device] = await readDevices(db, [id])
  if (device === undefined) throw new AppError('VDEVICE_NOT_FOUND', { id })
  const entries = (await loadEntries(db, [id])).get(id)
  const open = entries?.open ?? new Map()
  const ignored = await listIgnored(db, id)
  const config = configOf(device)
  const active = new Set(device.health_active ?? [])
  const sinceOf = (entry: string): string | null => open.get(entry)?.since.toISOString() ?? null
  return {
    health: healthOf({ evaluatedAt: device.evaluated_at, open }),
    faults: healthFaults.flatMap((kind) => {
      const since = sinceOf(faultEntries[kind])
      return since === null ? [] : [{ kind, since }]
    }),
    source: device.own === null ? 'driver' : device.own.fromTemplate ? 'template' : 'own',
    fixed: device.fixed,
    config,
    entries: config.entries.map(({ identifier }) => {
      const who = ignored.get(identifier)
      return {
        identifier,
        active: active.has(identifier),
        since: sinceOf(identifier),
        ignored: who === undefined ? null : { by: who.by, at: who.at.toISOString() },
      }
    }),
    evaluatedAt: device.evaluated_at?.toISOString() ?? null,
    editable: writeScopes(caller, 'virtualDevice').includes(row.scopeId),
    version: row.version,
  }
}

/**
 * Sets the own configuration of a device; null: uses the configuration of its driver again.
 * @throws AppError VDEVICE_NOT_FOUND, NO_PERMISSION, DEVICE_TEMPLATE_FIXED, VERSION_CONFLICT, SCRIPT_SYNTAX with
 * `issues`
 */
export async function changeConfig(
  ctx: Context,
  caller: Caller,
  input: { id: number; version: number; config: HealthConfig | null },
): Promise<void> {
  const { id, version } = input
  await requireDevice(ctx.db, caller, id)
  // `applyToAllVD` has no meaning for a single device.
  const config = input.config === null ? null : { ...input.config, applyToAllVD: false }
  if (config !== null) await requireExpressions(ctx.scripts, config, await homeAccountOf(ctx.db, caller))
  await ctx.db.transaction().execute(async (tx) => {
    await lockLive(tx, id)
    const row = await objectForChange(tx, caller, 'virtualDevice', id, { version })
    const [device] = await readDevices(tx, [id])
    if (device?.fixed) throw new AppError('DEVICE_TEMPLATE_FIXED', { field: 'health' })
    const before = device?.own?.config ?? null
    await writeConfig(tx, id, config, ctx.clock.now())
    await noteRefreshes([id]).execute(tx)
    await recordActivity(tx, caller, {
      ...about('update', row),
      changes: { healthConfig: { before, after: config } },
    })
  })
  await recomputeNow(ctx, [id])
}

/** Re-evaluates the health of a device. @throws AppError VDEVICE_NOT_FOUND, NO_PERMISSION, OVERLOADED */
export async function syncDevice(ctx: Context, caller: Caller, id: number): Promise<void> {
  const row = await requireDevice(ctx.db, caller, id)
  requireWrite(caller, 'virtualDevice', row.scopeId)
  await ctx.db.transaction().execute(async (tx) => {
    await noteRefreshes([id]).execute(tx)
    await recordActivity(tx, caller, about('health-sync', row))
  })
  const left = await recomputeNow(ctx, [id])
  if (left.length > 0) throw new AppError('OVERLOADED', { retryAfterSeconds: 1 })
}

/**
 * Ignores an entry of a device, or stops ignoring it.
 * @throws AppError VDEVICE_NOT_FOUND, NO_PERMISSION, HEALTH_ENTRY_NOT_FOUND
 */
export async function ignoreEntry(
  ctx: Context,
  caller: Caller,
  { id, identifier, flag }: { id: number; identifier: string; flag: boolean },
): Promise<void> {
  const row = await requireDevice(ctx.db, caller, id)
  requireWrite(caller, 'virtualDevice', row.scopeId)
  await ctx.db.transaction().execute(async (tx) => {
    await lockLive(tx, id)
    const device = (await lockDevices(tx, [id]))[0]
    if (device === undefined) throw new AppError('VDEVICE_NOT_FOUND', { id })
    if (!configOf(device).entries.some((entry) => entry.identifier === identifier))
      throw new AppError('HEALTH_ENTRY_NOT_FOUND', { id, identifier })
    const before = (await loadEntries(tx, [id])).get(id)
    if (before === undefined || before.ignored.has(identifier) === flag) return
    const now = ctx.clock.now()
    await writeIgnored(tx, id, identifier, flag ? { by: caller.name, at: now } : null)
    const ignored = new Set(before.ignored)
    if (flag) ignored.add(identifier)
    else ignored.delete(identifier)
    const step = followIgnoring(toState(device, before.open), new Plans().of(device), ignored, now)
    const moved = [{ deviceId: id, accountId: device.accountId, step }]
    for (const statement of statementsOf(ctx, moved)) await statement.execute(tx)
    await recordActivity(tx, caller, {
      ...about(flag ? 'ignore-health' : 'heed-health', row),
      changes: { healthEntry: identifier },
    })
  })
}

/** How often devices that change while their expressions run are tried again. */
const attemptsMax = 3

/**
 * Re-evaluates devices of the refresh list now instead of in the background.
 * @returns those left for the background: the sandbox is busy, or they change all the time
 */
export async function recomputeNow(ctx: Context, ids: readonly number[]): Promise<number[]> {
  let left = [...ids]
  for (let attempt = 0; attempt < attemptsMax && left.length > 0; attempt++) {
    const verdicts = await judgeDevices(ctx, left)
    left = await ctx.db.transaction().execute(async (tx) => {
      // A single device is waited for; several could deadlock with storing packets.
      const [only] = left
      if (left.length === 1 && only !== undefined) await lockLive(tx, only)
      const { outdated } = await recomputeRefreshes(ctx, tx, ctx.clock.now(), { ids: left, verdicts })
      return outdated
    })
  }
  return left
}

/** Periods of a device, newest first. @throws AppError VDEVICE_NOT_FOUND */
export async function healthLog(
  db: Executor,
  caller: Caller,
  { id, offset, limit }: { id: number; offset: number; limit: number },
) {
  await requireDevice(db, caller, id)
  const { rows, total } = await listPeriods(db, id, { offset, limit })
  return { items: rows.map(toPeriod), total, offset, limit }
}

function toPeriod({ entry, since, until, ...row }: PeriodRow): HealthPeriod {
  const fault = healthFaults.find((kind) => faultEntries[kind] === entry) ?? null
  return {
    ...row,
    entry: fault === null ? entry : null,
    fault,
    since: since.toISOString(),
    until: until?.toISOString() ?? null,
  }
}

function about(action: string, device: ObjectRow) {
  return {
    action,
    subject: 'VirtualDevice',
    objectId: device.id,
    objectTitle: device.title,
    accountId: device.accountId,
  }
}
