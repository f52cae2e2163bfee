import { maintenanceLimits } from '@leitstand/contract/alarmMaintenance'
import type { Context } from '../../platform/context.ts'
import type { Executor } from '../../platform/db/index.ts'
import { AppError } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { os } from '../../platform/http/implement.ts'
import { requireAccount } from '../accounts/index.ts'
import { recordActivity } from '../activity/index.ts'
import { groupForChange, groupsOfDevices } from '../groups/index.ts'
import { findObject } from '../twins/index.ts'
import {
  endMaintenance,
  findMaintenance,
  insertMaintenance,
  listMaintenance,
  type MaintenanceRow,
  markMaintained,
  readMaintained,
  readTwinsOf,
} from './maintenance.store.ts'

const dayMs = 86_400_000
const nothing: ReadonlySet<number> = new Set()

/** Operations on maintenance windows. */
export function maintenanceRoutes({ db, clock }: Pick<Context, 'db' | 'clock'>) {
  return {
    list: os.alarmMaintenance.list.handler(async ({ input, context: { caller } }) => {
      const { past, offset, limit } = input
      const page = { past, now: clock.now(), offset, limit }
      const { items, total } = await listMaintenance(db, scopesOf(caller, 'read'), page)
      return { items: items.map(present), total, offset, limit }
    }),
    create: os.alarmMaintenance.create.handler(async ({ input, context: { caller } }) => {
      const { accountId, twinId, groupId, title } = input
      const [startsAt, endsAt] = [new Date(input.startsAt), new Date(input.endsAt)]
      const now = clock.now()
      const lengthMs = endsAt.getTime() - startsAt.getTime()
      if (lengthMs <= 0 || endsAt <= now || lengthMs > maintenanceLimits.lengthMax * dayMs)
        throw new AppError('MAINTENANCE_TIMES_INVALID', { days: maintenanceLimits.lengthMax })
      return db.transaction().execute(async (tx) => {
        const owner = await requirePlace(tx, caller, { accountId, twinId, groupId })
        const values = { accountId: owner, twinId, groupId, title, startsAt, endsAt }
        const limits = { now, max: maintenanceLimits.ofAccountMax }
        const id = await insertMaintenance(tx, values, caller, limits)
        if (id === undefined) throw new AppError('MAINTENANCE_LIMIT', { max: limits.max })
        await note(tx, caller, 'create', { id, title, accountId: owner })
        return present((await findMaintenance(tx, id)) as MaintenanceRow)
      })
    }),
    end: os.alarmMaintenance.end.handler(async ({ input: { id }, context: { caller } }) => {
      await db.transaction().execute(async (tx) => {
        const found = await findMaintenance(tx, id)
        if (found === undefined || !scopesOf(caller, 'manage').includes(found.scopeId))
          throw new AppError('NOT_FOUND')
        await endMaintenance(tx, id, clock.now())
        await note(tx, caller, 'end', found)
      })
      return { ok: true } as const
    }),
  }
}

/** @returns the account. @throws AppError DTWIN_NOT_FOUND, SMART_GROUP_NOT_FOUND, TENANT_NOT_FOUND, NO_PERMISSION */
async function requirePlace(
  tx: Executor,
  caller: Caller,
  { accountId, twinId, groupId }: { accountId: number; twinId: number | null; groupId: number | null },
): Promise<number> {
  if (groupId !== null) return (await groupForChange(tx, caller, groupId)).accountId
  const scopes = scopesOf(caller, 'manage')
  if (twinId === null) return (await requireAccount(tx, accountId, scopes)).id
  const twin =
    (await findObject(tx, 'digitalTwin', scopes, twinId)) ??
    (await findObject(tx, 'virtualDevice', caller.scopeIds('VirtualDevice', 'manage'), twinId))
  if (twin === undefined) throw new AppError('DTWIN_NOT_FOUND')
  return twin.accountId
}

/**
 * Marks new alarms that open where work is done.
 * @returns those that were marked
 */
export async function markNew(
  tx: Executor,
  alarmIds: readonly number[],
  now: Date,
): Promise<ReadonlySet<number>> {
  if (alarmIds.length === 0) return nothing
  const { isActive, groupIds } = await readMaintained(tx, now)
  if (!isActive) return nothing
  const twinIds = groupIds.length === 0 ? [] : await readTwinsOf(tx, alarmIds)
  const groups = await groupsOfDevices(tx, groupIds, twinIds, now)
  return markMaintained(tx, alarmIds, groups, now)
}

function scopesOf(caller: Caller, action: 'read' | 'manage'): number[] {
  const twins = caller.scopeIds('DigitalTwin', action === 'read' ? 'read' : 'write')
  return [...new Set([...caller.scopeIds('VirtualDevice', action), ...twins])]
}

async function note(
  tx: Executor,
  caller: Caller,
  action: 'create' | 'end',
  { id, title, accountId }: { id: number; title: string; accountId: number },
): Promise<void> {
  const what = { subject: 'AlarmMaintenance', objectId: id, objectTitle: title, accountId }
  await recordActivity(tx, caller, { action, ...what })
}

function present({ scopeId: _, ...row }: MaintenanceRow) {
  return row
}
