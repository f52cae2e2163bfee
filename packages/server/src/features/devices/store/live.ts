import type { JsonValue } from '@leitstand/contract/common'
import type { Fault } from '@leitstand/contract/errors'
import { type RawBuilder, sql } from 'kysely'
import { int2Array, int4Array, jsonbArray, textArray, timeArray } from '../../../platform/db/arrays.ts'
import type { Executor } from '../../../platform/db/index.ts'

/**
 * Locks the live row of a device. Call it before other locks of the device, in the same order as storing
 * packets.
 */
export async function lockLive(tx: Executor, deviceId: number): Promise<void> {
  await sql`select from device_live where twin_id = ${deviceId} for update`.execute(tx)
}

/**
 * Statement that updates packet counts, last seen and evaluation times, and last errors of devices.
 * Devices that were never evaluated keep no evaluation time; only `followHealth` sets the first one.
 */
export function touchDevices(
  devices: readonly {
    deviceId: number
    lastSeen: Date
    /** time of the newest packet that counts for the health */
    evaluatedAt: Date
    packets: number
    error: Fault | null
  }[],
): RawBuilder<unknown> {
  const errors = devices.map(({ error }) => (error === null ? null : JSON.stringify(error)))
  return sql`
    /* prepared: devices.touch */
    update device_live l set
      last_seen = greatest(l.last_seen, t.last_seen), packets = l.packets + t.packets,
      last_error = t.error,
      evaluated_at = case when l.evaluated_at < t.evaluated_at then t.evaluated_at else l.evaluated_at end
    from unnest(${int4Array(devices.map((each) => each.deviceId))}::int4[],
      ${timeArray(devices.map((each) => each.lastSeen))}::timestamptz[],
      ${timeArray(devices.map((each) => each.evaluatedAt))}::timestamptz[],
      ${int4Array(devices.map((each) => each.packets))}::int4[], ${jsonbArray(errors)}::jsonb[])
      as t (twin_id, last_seen, evaluated_at, packets, error)
    where l.twin_id = t.twin_id`
}

/** Sets the last error of devices; null: their newest packet was decoded. */
export async function setLastErrors(
  tx: Executor,
  devices: readonly { deviceId: number; error: Fault | null }[],
): Promise<void> {
  const errors = devices.map(({ error }) => (error === null ? null : JSON.stringify(error)))
  await sql`
    update device_live l set last_error = n.error
    from unnest(${int4Array(devices.map(({ deviceId }) => deviceId))}::int4[], ${jsonbArray(errors)}::jsonb[])
      as n (twin_id, error)
    where l.twin_id = n.twin_id and l.last_error is distinct from n.error`.execute(tx)
}

/** Health of a device and the data it was evaluated from. */
export interface LiveHealth {
  deviceId: number
  health: number
  evaluatedAt: Date | null
  /** key of the configuration */
  config: string | null
  /** entries that are true */
  active: readonly string[]
  /** earliest time at which an entry may become too old */
  due: Date | null
}

/** Statement that sets the health of devices. */
export function setHealth(devices: readonly LiveHealth[]): RawBuilder<unknown> {
  const active = devices.map((device) => (device.active.length === 0 ? null : device.active.join(' ')))
  return sql`
    /* prepared: devices.setHealth */
    update device_live l set health = s.health, evaluated_at = s.evaluated_at, health_config = s.config,
      health_active = string_to_array(s.active, ' '), health_due = s.due
    from unnest(${int4Array(devices.map(({ deviceId }) => deviceId))}::int4[],
      ${int2Array(devices.map(({ health }) => health))}::int2[],
      ${timeArray(devices.map(({ evaluatedAt }) => evaluatedAt))}::timestamptz[],
      ${textArray(devices.map(({ config }) => config))}::text[], ${textArray(active)}::text[],
      ${timeArray(devices.map(({ due }) => due))}::timestamptz[])
      as s (twin_id, health, evaluated_at, config, active, due)
    where l.twin_id = s.twin_id`
}

/** Statement that stores the last values of the state keys used for health. */
export function setHealthMemories(
  memories: ReadonlyMap<number, Readonly<Record<string, JsonValue>>>,
): RawBuilder<unknown> {
  return sql`
    update device_live l set health_memory = m.memory
    from unnest(${int4Array([...memories.keys()])}::int4[],
      ${jsonbArray([...memories.values()].map((memory) => JSON.stringify(memory)))}::jsonb[]) as m (twin_id, memory)
    where l.twin_id = m.twin_id`
}
