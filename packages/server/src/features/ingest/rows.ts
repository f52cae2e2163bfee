import type { NewEvent } from '../../platform/events/topic.ts'
import { packetReceived } from '../../topics/packetReceived.ts'
import { evaluatedTime, type HealthPacket } from '../health/index.ts'
import type { DeviceEntry } from './entry.ts'
import type { PacketRow } from './store.ts'

/** A packet as a database row. */
export function toRow(entry: DeviceEntry): PacketRow {
  const { packet, device, meaning, message } = entry
  return {
    receivedAt: message.receivedAt,
    time: packet.time,
    accountId: device.accountId,
    connectorId: message.connector.id,
    deviceId: device.id,
    fPort: packet.fPort,
    fCnt: packet.fCnt,
    payload: packet.payload,
    encoding: packet.encoding,
    meta: packet.meta,
    variables: meaning.variables === null ? null : JSON.stringify(meaning.variables),
    error: entry.error,
    driverId: meaning.driver?.driverId ?? null,
    driverVersion: meaning.driver?.number ?? null,
    durationUs: meaning.durationUs,
  }
}

/** A packet as an event `packet.received`. */
export function toEvent({ packet, device, meaning, message, error }: DeviceEntry): NewEvent {
  const { identifier, time, fPort, fCnt, payload, encoding, meta } = packet
  return packetReceived.event(device.accountId, {
    deviceId: device.id,
    connectorId: message.connector.id,
    identifier,
    receivedAt: message.receivedAt.toISOString(),
    time: time.toISOString(),
    fPort,
    fCnt,
    payload,
    encoding,
    meta,
    variables: meaning.variables,
    error: error === null ? null : { code: error.code, message: error.message },
  })
}

/** A packet as input of device health. */
export function toHealth({ device, meaning, packet, message }: DeviceEntry): HealthPacket {
  const plan = device.ownHealth === undefined ? (device.driver?.health ?? null) : device.ownHealth
  const { measurements, error } = meaning
  return {
    deviceId: device.id,
    accountId: device.accountId,
    plan,
    measurements,
    time: packet.time,
    receivedAt: message.receivedAt,
    // A wrong type of a value, or one measurement that is too old, is not a decoding failure.
    failed: error !== null && measurements.length === 0,
  }
}

/** One row per device, in the order of devices to avoid deadlocks. */
export function touchesOf(packets: readonly DeviceEntry[], health: readonly HealthPacket[]) {
  const touches = new Map<
    number,
    {
      deviceId: number
      lastSeen: Date
      evaluatedAt: Date
      packets: number
      error: DeviceEntry['error']
    }
  >()
  for (const [index, { device, message, error }] of packets.entries()) {
    const evaluatedAt = evaluatedTime(health[index] as HealthPacket)
    const known = touches.get(device.id)
    if (known === undefined) {
      const lastSeen = message.receivedAt
      touches.set(device.id, { deviceId: device.id, lastSeen, evaluatedAt, packets: 1, error })
      continue
    }
    known.packets++
    if (evaluatedAt > known.evaluatedAt) known.evaluatedAt = evaluatedAt
    if (message.receivedAt < known.lastSeen) continue
    known.lastSeen = message.receivedAt
    known.error = error
  }
  return [...touches.values()].sort((a, b) => a.deviceId - b.deviceId)
}
