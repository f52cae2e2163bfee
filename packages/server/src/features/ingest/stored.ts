import type { JsonValue } from '@leitstand/contract/common'
import type { PacketFault } from '@leitstand/contract/errors'
import { normaliseExternalId } from '@leitstand/contract/identifiers'
import * as z from 'zod'
import type { Context } from '../../platform/context.ts'
import { isSteady } from '../drivers/index.ts'
import { type Addressed, decode, type Meaning } from './decode.ts'
import type { Tools } from './pipeline.ts'
import { type DeviceRecord, type DriverRecord, findAddresses, readDrivers } from './store.ts'

/** A stored packet. */
export interface StoredPacket {
  id: number
  receivedAt: Date
  time: Date
  deviceId: number
  fPort: number | null
  fCnt: number | null
  payload: string
  encoding: 'hex' | 'json'
  meta: Record<string, JsonValue>
  variables: Record<string, JsonValue> | null
  error: PacketFault | null
  driverId: number | null
  driverVersion: number | null
}

/** A stored packet with its previous and new decoded content. */
export interface Redecoded {
  packet: StoredPacket
  device: DeviceRecord
  /** null if the version that decoded it no longer exists */
  before: Meaning | null
  after: Meaning
}

/** The driver version to decode with; null: the current one of each device. */
export const Using = z.object({ driverId: z.int(), number: z.int() }).nullable()
export type Using = z.infer<typeof Using>

/**
 * Decodes packets with their previous driver version and with another one. Packets of deleted devices are
 * left out.
 * @throws AppError OVERLOADED when the sandbox or a remote parser is busy
 */
export async function decodeStored(
  { ctx, directory, parsers }: Pick<Tools, 'ctx' | 'directory' | 'parsers'>,
  packets: readonly StoredPacket[],
  using: Using,
): Promise<Redecoded[]> {
  const addresses = await findAddresses(ctx.db, [...new Set(packets.map(({ deviceId }) => deviceId))])
  const found = await directory.devices(addresses)
  const devices = new Map([...found.values()].map((device) => [device.id, device]))
  const versions = await versionsOf(ctx, packets, using)
  const accountIds = [...new Set([...devices.values()].map(({ accountId }) => accountId))]
  const oldest = await directory.oldest(accountIds, ctx.clock.now())
  const present = packets.flatMap((packet) => {
    const device = devices.get(packet.deviceId)
    return device === undefined ? [] : [{ packet, device }]
  })
  const driverOf = ({ driverId, driverVersion }: StoredPacket): DriverRecord | null | undefined =>
    driverId === null ? null : versions.get(`${driverId} ${driverVersion}`)
  const chosen = using === null ? undefined : versions.get(`${using.driverId} ${using.number}`)
  if (using !== null && chosen === undefined) throw new Error('the driver version to decode with is gone')
  const after = await decode(
    parsers,
    present.map(({ packet, device }) => address(packet, device, chosen ?? device.driver, oldest)),
    { again: true },
  )
  // A remote parser may return a different result now, so use the stored one.
  const again = present.filter(({ packet }) => {
    const driver = driverOf(packet)
    return driver !== undefined && (driver === null || isSteady(driver))
  })
  const before = await decode(
    parsers,
    again.map(({ packet, device }) => address(packet, device, driverOf(packet) ?? null, oldest)),
    { again: true },
  )
  const beforeOf = new Map(again.map(({ packet }, index) => [packet, before[index] as Meaning]))
  return present.map(({ packet, device }, index) => ({
    packet,
    device,
    before: beforeOf.get(packet) ?? null,
    after: after[index] as Meaning,
  }))
}

async function versionsOf(ctx: Context, packets: readonly StoredPacket[], using: Using) {
  const wanted = new Map<string, { driverId: number; number: number }>()
  const want = (driverId: number | null, number: number | null) => {
    if (driverId !== null && number !== null) wanted.set(`${driverId} ${number}`, { driverId, number })
  }
  for (const { driverId, driverVersion } of packets) want(driverId, driverVersion)
  if (using !== null) want(using.driverId, using.number)
  const found = await readDrivers(ctx.db, [...wanted.values()])
  return new Map(found.map((driver) => [`${driver.driverId} ${driver.number}`, driver]))
}

/** A stored packet as before decoding. */
function address(
  packet: StoredPacket,
  device: DeviceRecord,
  driver: DriverRecord | null,
  oldest: ReadonlyMap<number, Date>,
): Addressed {
  const { payload, encoding, time, meta, fPort, fCnt } = packet
  return {
    packet: {
      kind: 'device',
      payload,
      encoding,
      time,
      timed: true,
      fPort,
      fCnt,
      meta: JSON.stringify(meta),
      identifier: device.externalId,
      key: normaliseExternalId(device.externalId),
      oldest: oldest.get(device.accountId) ?? packet.time,
      data: encoding === 'hex' ? payload : (JSON.parse(payload) as JsonValue),
    },
    device: { ...device, driver },
  }
}
