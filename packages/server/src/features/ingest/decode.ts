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

/** A packet with the device it belongs to. */
export interface Addressed {
  packet: DevicePacket
  device: DeviceRecord
  /** what was found out before the packet stood in the queue */
  ahead?: Meaning | undefined
}

/** What a packet means; with an error there may be nothing to store but the packet itself. */
export interface Meaning {
  measurements: Measured[]
  variables: Record<string, JsonValue> | null
  error: PacketFault | null
  driver: DriverRecord | null
  durationUs: number
}

/**
 * Runs the drivers over packets, one trip to the sandbox for each driver version that needs it and each account whose
 * packets it reads. One meaning per packet, in order.
 * @param again of packets that are stored: failures that pass are no result then
 * @param wait decides how long to wait for the scripts of each account
 * @throws AppError OVERLOADED when the sandbox cannot take them now, and what `wait` throws
 */
export async function decode(
  tools: ParserTools,
  packets: readonly Addressed[],
  { again = false, wait }: { again?: boolean; wait?: (runs: readonly ScriptRun[]) => Promise<void> } = {},
): Promise<Meaning[]> {
  const meanings = new Array<Meaning>(packets.length)
  const groups = new Map<DriverRecord, Map<number, number[]>>()
  for (const [index, { packet, device, ahead }] of packets.entries()) {
    if (ahead !== undefined && isOf(ahead, device)) {
      meanings[index] = ahead
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
    // Delivered drivers run for many accounts at once, and are never what others wait for.
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

/** Notes a packet under its driver, and the account whose data it is. */
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
  // Delivered scripts are shared by all, so the packets of all accounts make one trip; the first one stands for them.
  const isShared = driver.delivered && canShareCalls(driver)
  const [first = accountId] = isShared ? accounts.keys() : []
  const key = isShared ? first : accountId
  const indexes = accounts.get(key)
  if (indexes === undefined) accounts.set(key, [index])
  else indexes.push(index)
}

/** Whether a meaning came from the driver version the device still has. */
function isOf({ driver }: Meaning, device: DeviceRecord): boolean {
  return driver?.driverId === device.driver?.driverId && driver?.number === device.driver?.number
}

/**
 * Leaves out what a device or its driver says to have been measured before anything is kept, or after tomorrow: it would
 * stay the newest value for years, and every month so made up would get a table. The packet keeps the error.
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
    // Not run at all: the source is to send it again, nothing may be stored as its result. What is decoded again has a
    // result already, which a failure that passes must not replace.
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

/** What is kept of an error: not where in a script it happened. */
function faultOf({ code, message, params }: PacketFault): PacketFault {
  return { code, message, ...(params ? { params } : {}) }
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
