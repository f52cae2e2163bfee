import type { JsonValue } from '@leitstand/contract/common'
import type { PacketFault } from '@leitstand/contract/errors'
import { kept } from '../../platform/db/writer.ts'
import { AppError } from '../../platform/errors.ts'
import {
  canShareCalls,
  decodePackets,
  flattenOutput,
  type ParserTools,
  passingFailures,
} from '../drivers/index.ts'
import type { ScriptRun } from '../series/index.ts'
import { ScriptsLate } from './patience.ts'
import type { DevicePacket } from './resolve.ts'
import type { DeviceRecord, DriverRecord } from './store.ts'
import { ingestLimits, type Measured } from './types.ts'

/** A packet with its device. */
export interface Addressed {
  packet: DevicePacket
  device: DeviceRecord
  /** result of a remote parser, from before the packet was queued */
  prefetched?: Meaning | undefined
}

/** The decoded content of a packet; with an error, possibly only the packet itself is stored. */
export interface Meaning {
  measurements: Measured[]
  variables: Record<string, JsonValue> | null
  error: PacketFault | null
  driver: DriverRecord | null
  durationUs: number
}

/**
 * Runs the drivers over packets, with one sandbox call per driver version and account. Returns one meaning
 * per packet, in order.
 * @param again for stored packets: temporary failures throw instead of becoming the result
 * @param wait decides how long to wait for the scripts of each account
 * @throws AppError OVERLOADED when the sandbox is busy, and what `wait` throws
 */
export async function decode(
  tools: ParserTools,
  packets: readonly Addressed[],
  { again = false, wait }: { again?: boolean; wait?: (runs: readonly ScriptRun[]) => Promise<void> } = {},
): Promise<Meaning[]> {
  const meanings = new Array<Meaning>(packets.length)
  const groups = new Map<DriverRecord, Map<number, number[]>>()
  for (const [index, { packet, device, prefetched }] of packets.entries()) {
    if (prefetched !== undefined && isOf(prefetched, device)) {
      meanings[index] = prefetched
      continue
    }
    if (device.driver === null) {
      meanings[index] = withoutDriver(packet)
      continue
    }
    put(groups, device.driver, device.accountId, index)
  }
  const runs = [...groups].flatMap(([driver, accounts]) =>
    [...accounts].map(([accountId, indexes]) => {
      const of = { driver, dataAccountId: accountId }
      const done = kept(decodeGroup(tools, of, packets, indexes, meanings, again))
      return { accountId, done, isOurs: driver.delivered }
    }),
  )
  try {
    // Do not limit the time of delivered drivers: they run for many accounts at once.
    await wait?.(runs.filter(({ isOurs }) => !isOurs))
  } catch (error) {
    if (error instanceof ScriptsLate) error.meanings = Array.from(meanings)
    throw error
  }
  await Promise.all(runs.map(({ done }) => done))
  for (const [index, { packet }] of packets.entries()) {
    meanings[index] = inTime(meanings[index] as Meaning, packet)
  }
  return meanings
}

/** Groups a packet by its driver and account. */
function put(
  groups: Map<DriverRecord, Map<number, number[]>>,
  driver: DriverRecord,
  accountId: number,
  index: number,
): void {
  let accounts = groups.get(driver)
  if (accounts === undefined) {
    accounts = new Map()
    groups.set(driver, accounts)
  }
  // Delivered scripts are shared, so all accounts use one call, listed under the first account.
  const isShared = driver.delivered && canShareCalls(driver)
  const [first = accountId] = isShared ? accounts.keys() : []
  const key = isShared ? first : accountId
  const indexes = accounts.get(key)
  if (indexes === undefined) accounts.set(key, [index])
  else indexes.push(index)
}

/** Whether a meaning is from the current driver version of the device. */
function isOf({ driver }: Meaning, device: DeviceRecord): boolean {
  return driver?.driverId === device.driver?.driverId && driver?.number === device.driver?.number
}

/**
 * Drops measurements with times before the retention period or too far in the future. These would stay the
 * newest value for years, and every month with such a time would get a partition. The packet keeps the error.
 */
function inTime(meaning: Meaning, { time: packetTime, oldest }: DevicePacket): Meaning {
  const latest = packetTime.getTime() + ingestLimits.aheadMaxMs
  const isInTime = (measured: Measured) => measured.time.getTime() <= latest && measured.time >= oldest
  const wrong = meaning.measurements.find((measured) => !isInTime(measured))
  if (wrong === undefined) return meaning
  const isAhead = wrong.time.getTime() > latest
  const time = wrong.time.toISOString()
  const error: PacketFault = {
    code: isAhead ? 'PACKET_TOO_FAR_AHEAD' : 'PACKET_TOO_OLD',
    message: `measured at ${time}: ${isAhead ? 'more than 24 hours ahead' : 'older than the retention'}`,
    params: { time },
  }
  return { ...meaning, measurements: meaning.measurements.filter(isInTime), error }
}

async function decodeGroup(
  tools: ParserTools,
  { driver, dataAccountId }: { driver: DriverRecord; dataAccountId: number },
  packets: readonly Addressed[],
  indexes: readonly number[],
  meanings: Meaning[],
  again: boolean,
): Promise<void> {
  const answers = await decodePackets(
    tools,
    driver,
    indexes.map((index) => (packets[index] as Addressed).packet),
    { patient: again, dataAccountId },
  )
  for (const [at, index] of indexes.entries()) {
    const answer = answers[at]
    if (answer === undefined) throw new Error('a driver answered fewer packets than it got')
    // The script did not run: the source must send the packet again, and no result is stored. A stored packet
    // already has a result, which a temporary failure must not replace.
    const code = answer.error?.code
    if (code === 'SCRIPT_ENGINE_BUSY' || (again && code !== undefined && passingFailures.has(code)))
      throw new AppError('OVERLOADED', { retryAfterSeconds: 1 })
    meanings[index] = {
      measurements: answer.measurements,
      variables: answer.measurements.length > 0 || answer.error === null ? answer.variables : null,
      error: answer.error === null ? null : faultOf(answer.error),
      driver,
      durationUs: Math.round(answer.durationUs),
    }
  }
}

/** The stored part of an error, without its position in the script. */
function faultOf({ code, message, params }: PacketFault): PacketFault {
  return { code, message, ...(params ? { params } : {}) }
}

/** Without a driver, the fields of a JSON payload are the variables; binary payloads are an error. */
function withoutDriver(packet: DevicePacket): Meaning {
  if (packet.encoding === 'hex') {
    const error = { code: 'DRIVER_MISSING', message: 'The device has no driver that is published' } as const
    return { measurements: [], variables: null, error, driver: null, durationUs: 0 }
  }
  const { measurements, error } = flattenOutput(packet.data, packet.time)
  const variables = Object.fromEntries(measurements.flatMap((each) => Object.entries(each.variables)))
  return { measurements, variables: error === null ? variables : null, error, driver: null, durationUs: 0 }
}
