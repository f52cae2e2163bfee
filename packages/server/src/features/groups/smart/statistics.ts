import type {
  GroupDeviceStatistics,
  LowDevice,
  PacketMonitoring,
  PacketStatistics,
} from '@leitstand/contract/smartGroups'
import type { Context } from '../../../platform/context.ts'
import type { Caller } from '../../../platform/http/caller.ts'
import { requireGroup } from './groups.ts'
import { membersFor } from './members.ts'
import { countLow, countMembers, hourMs, listLow, sumPackets } from './statistics.store.ts'

const usualWindowHours = 24

/** Fewer tables are read faster. */
const tablesOf = (monitoring: PacketMonitoring | null): ('device' | 'live')[] =>
  monitoring?.expected === 'driver' ? ['device', 'live'] : ['live']

/** @throws AppError SMART_GROUP_NOT_FOUND */
export async function deviceStatistics(
  { db, clock }: Context,
  caller: Caller,
  id: number,
): Promise<GroupDeviceStatistics> {
  const group = await requireGroup(db, caller, id)
  return countMembers(
    db,
    await membersFor(db, caller, group, { now: clock.now(), tables: ['twin', 'device', 'live'] }),
  )
}

/** @throws AppError SMART_GROUP_NOT_FOUND */
export async function packetStatistics(
  { db, clock }: Context,
  caller: Caller,
  id: number,
): Promise<PacketStatistics> {
  const group = await requireGroup(db, caller, id)
  const now = clock.now()
  const { monitoring } = group
  const windowHours = monitoring?.windowHours ?? usualWindowHours
  const members = await membersFor(db, caller, group, { now, tables: tablesOf(monitoring) })
  const asked = { now, windowHours, monitoring }
  const [sums, low] = await Promise.all([
    sumPackets(db, members, asked),
    monitoring ? countLow(db, id, members) : null,
  ])
  const dayMs = 24 * hourMs
  const timed = (numbers: readonly number[], stepMs: number) => {
    const last = Math.floor(now.getTime() / stepMs)
    return numbers.map((packets, index) => ({
      time: new Date((last - numbers.length + 1 + index) * stepMs).toISOString(),
      packets,
    }))
  }
  return {
    hours: timed(sums.hours, hourMs),
    days: timed(sums.days, dayMs),
    since: sums.since.toISOString(),
    devices: sums.devices,
    active: sums.active,
    windowHours,
    received: sums.received,
    expected: sums.expected,
    low,
  }
}

/** @throws AppError SMART_GROUP_NOT_FOUND */
export async function lowDevices(
  { db, clock }: Context,
  caller: Caller,
  { id, ...page }: { id: number; offset: number; limit: number },
): Promise<{ items: LowDevice[]; total: number; offset: number; limit: number }> {
  const group = await requireGroup(db, caller, id)
  const members = await membersFor(db, caller, group, { now: clock.now(), tables: ['twin', 'device'] })
  const [items, total] = await Promise.all([listLow(db, id, members, page), countLow(db, id, members)])
  return { items: items.map((row) => ({ ...row, since: row.since.toISOString() })), total, ...page }
}
