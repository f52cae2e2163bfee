import type { JsonValue } from '@leitstand/contract/common'
import type { ErrorCode } from '@leitstand/contract/errors'
import { AppError } from '../../platform/errors.ts'
import type { ScriptEngine } from '../../platform/scripts/types.ts'
import { flattenOutput, runDriver } from '../drivers/index.ts'
import type { DevicePacket } from './resolve.ts'
import type { DeviceRecord, DriverRecord } from './store.ts'
import type { Measured } from './types.ts'

/** A packet with the device it belongs to. */
export interface Addressed {
  packet: DevicePacket
  device: DeviceRecord
}

/** What a packet means; with an error there is nothing to store but the packet itself. */
export interface Meaning {
  measurements: Measured[]
  variables: Record<string, JsonValue> | null
  error: { code: ErrorCode; message: string } | null
  driver: DriverRecord | null
  durationUs: number
}

/** Runs the drivers over packets, one trip to the sandbox per driver version. One meaning per packet, in order. */
export async function decode(scripts: ScriptEngine, packets: readonly Addressed[]): Promise<Meaning[]> {
  const meanings = new Array<Meaning>(packets.length)
  const byDriver = new Map<string, number[]>()
  for (const [index, { packet, device }] of packets.entries()) {
    if (device.driver === null) {
      meanings[index] = withoutDriver(packet)
      continue
    }
    const name = `${device.driver.driverId} ${device.driver.number}`
    const indexes = byDriver.get(name)
    if (indexes === undefined) byDriver.set(name, [index])
    else indexes.push(index)
  }
  await Promise.all([...byDriver.values()].map((indexes) => decodeGroup(scripts, packets, indexes, meanings)))
  return meanings
}

async function decodeGroup(
  scripts: ScriptEngine,
  packets: readonly Addressed[],
  indexes: readonly number[],
  meanings: Meaning[],
): Promise<void> {
  const group = indexes.map((index) => packets[index] as Addressed)
  const driver = group[0]?.device.driver as DriverRecord
  const decoded = await runDriver(
    scripts,
    driver,
    group.map(({ packet: { payload, encoding, fPort, time, meta } }) => ({
      payload,
      encoding,
      fPort,
      time,
      meta,
    })),
  )
  for (const [at, index] of indexes.entries()) {
    const answer = decoded[at]
    if (answer === undefined) throw new Error('a driver answered fewer packets than it got')
    // Not run at all: the source is to send it again, nothing may be stored as its result.
    if (answer.error?.code === 'SCRIPT_ENGINE_BUSY')
      throw new AppError('OVERLOADED', { retryAfterSeconds: 1 })
    meanings[index] = {
      measurements: answer.measurements,
      variables: answer.error === null ? answer.variables : null,
      error: answer.error === null ? null : { code: answer.error.code, message: answer.error.message },
      driver,
      durationUs: Math.round(answer.durationUs),
    }
  }
}

/** Without a driver a JSON payload is its own variables; bytes mean nothing. */
function withoutDriver(packet: DevicePacket): Meaning {
  if (packet.encoding === 'hex') {
    const error = { code: 'DRIVER_MISSING', message: 'The device has no driver that is published' } as const
    return { measurements: [], variables: null, error, driver: null, durationUs: 0 }
  }
  const { measurements, error } = flattenOutput(packet.data, packet.time)
  const variables = Object.fromEntries(measurements.flatMap((each) => Object.entries(each.variables)))
  return { measurements, variables: error === null ? variables : null, error, driver: null, durationUs: 0 }
}
