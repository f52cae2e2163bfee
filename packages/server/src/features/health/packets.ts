import { isDeepStrictEqual } from 'node:util'
import type { JsonValue } from '@leitstand/contract/common'
import type { Context } from '../../platform/context.ts'
import { kept, type Unit } from '../../platform/db/writer.ts'
import { setHealthMemories } from '../devices/index.ts'
import { faultEntries, type HealthPlan, judge, judgeExpressions, remembered } from '../drivers/index.ts'
import { type Finding, followPackets } from './step.ts'
import {
  type Before,
  findConcerned,
  type Hint,
  loadEntries,
  type Memory,
  readMemories,
  toState,
} from './store.ts'
import { type DeviceStep, statementsOf } from './write.ts'

/** The parts of a packet that device health needs. */
export interface HealthPacket {
  deviceId: number
  accountId: number
  plan: HealthPlan | null
  time: Date
  receivedAt: Date
  measurements: readonly { time: Date; variables: Readonly<Record<string, JsonValue>> }[]
  /** decoding failed completely */
  failed: boolean
}

/** Findings from the packets of a device. */
interface DeviceFindings {
  deviceId: number
  accountId: number
  plan: HealthPlan | null
  findings: Finding[]
}

/** Health findings from the packets of a batch, including expressions. */
export interface Judged {
  packets: readonly HealthPacket[]
  byDevice: ReadonlyMap<number, DeviceFindings>
  /** the memory of the devices that the expressions used */
  before: ReadonlyMap<number, Before>
  changed: ReadonlyMap<number, Memory>
}

/**
 * Evaluates packets before the transaction that stores them, because expressions are scripts.
 * @param wait decides how long to wait for the scripts of each account
 * @throws AppError OVERLOADED when the sandbox is busy, and any error of `wait`
 */
export async function judgeHealth(
  { scripts, db }: Pick<Context, 'scripts' | 'db'>,
  packets: readonly HealthPacket[],
  wait: (runs: readonly { accountId: number; done: Promise<unknown> }[]) => Promise<void> = async () =>
    undefined,
): Promise<Judged> {
  const byDevice = findingsByDevice(packets)
  const experts = expertsOf(packets)
  if (experts.length === 0) return { packets, byDevice, before: new Map(), changed: new Map() }
  const before = await readMemories(db, devicesOf(experts))
  const changed = await askExperts(scripts, before, experts, byDevice, wait)
  return { packets, byDevice, before, changed }
}

/** Repeats the evaluation if devices have changed since. */
export async function judgeAgain(context: Pick<Context, 'scripts' | 'db'>, judged: Judged): Promise<Judged> {
  if (judged.before.size === 0) return judged
  const before = await readMemories(context.db, [...judged.before.keys()])
  return isDeepStrictEqual(before, judged.before) ? judged : judgeHealth(context, judged.packets)
}

/**
 * Updates the health of devices for the packets of a batch, in the transaction that stores them. Usually
 * nothing changes, which costs one query for the batch.
 * @returns resolves when all statements are sent; false: devices have changed since their packets were
 *   evaluated, and nothing was sent
 */
export async function followHealth(
  { events, clock }: Pick<Context, 'events' | 'clock'>,
  unit: Unit,
  { packets, byDevice, before, changed }: Judged,
): Promise<boolean> {
  if (packets.length === 0) return true
  if (before.size > 0) {
    const now = await readMemories(unit.db, [...before.keys()], { lock: true })
    if (!isDeepStrictEqual(now, before)) return false
  }
  if (changed.size > 0) void unit.send(setHealthMemories(changed))
  const concerned = await unit.send(findConcerned([...byDevice.values()].map(hintOf)))
  if (concerned.length === 0) return true
  const ids = concerned.map(({ twin_id: id }) => id)
  const entries = await loadEntries(unit.db, ids)
  const now = clock.now()
  const steps = concerned.map((row): DeviceStep => {
    const { deviceId, accountId, plan, findings } = byDevice.get(row.twin_id) as DeviceFindings
    const { open, ignored } = entries.get(row.twin_id) ?? { open: new Map(), ignored: new Set() }
    return { deviceId, accountId, step: followPackets(toState(row, open), findings, plan, ignored, now) }
  })
  for (const statement of statementsOf({ events }, steps)) void unit.send(statement)
  return true
}

function expertsOf(packets: readonly HealthPacket[]): HealthPacket[] {
  return packets.filter(({ plan }) => plan !== null && plan.expressions.length > 0)
}

function devicesOf(packets: readonly HealthPacket[]): number[] {
  return [...new Set(packets.map(({ deviceId }) => deviceId))]
}

const decodeOnly = [faultEntries.decode]
const nothing: readonly string[] = []
const noTimes: ReadonlyMap<string, Date> = new Map()

/** Findings from packets without expressions, by device. */
export function findingsByDevice(packets: readonly HealthPacket[]): Map<number, DeviceFindings> {
  const byDevice = new Map<number, DeviceFindings>()
  for (const packet of packets) {
    const { deviceId, accountId, plan } = packet
    const known = byDevice.get(deviceId)
    if (known === undefined)
      byDevice.set(deviceId, { deviceId, accountId, plan, findings: findingsOf(packet) })
    else known.findings.push(...findingsOf(packet))
  }
  return byDevice
}

function findingsOf(packet: HealthPacket): Finding[] {
  const { plan, receivedAt, measurements, failed } = packet
  const notLater = (measured: Date) => (measured > receivedAt ? receivedAt : measured)
  if (failed)
    return [{ time: evaluatedTime(packet), receivedAt, on: decodeOnly, off: nothing, agingFrom: noTimes }]
  if (plan === null || measurements.length === 0)
    return [
      {
        time: evaluatedTime(packet),
        receivedAt,
        on: nothing,
        off: decodeOnly,
        agingFrom: noTimes,
      },
    ]
  return measurements.map((measured): Finding => {
    const { on, off } = judge(plan, measured.variables)
    const at = notLater(measured.time)
    const aged = plan.agings.filter(({ variable }) => Object.hasOwn(measured.variables, variable))
    const agingFrom = aged.length === 0 ? noTimes : new Map(aged.map(({ identifier }) => [identifier, at]))
    return { time: at, receivedAt, on, off: [...off, ...decodeOnly], agingFrom }
  })
}

/** The time of a packet for health: of its newest measurement, but not after its reception. */
export function evaluatedTime({ measurements, time, receivedAt }: HealthPacket): Date {
  const newest = newestOf(measurements) ?? time
  return newest > receivedAt ? receivedAt : newest
}

function newestOf(measurements: HealthPacket['measurements']): Date | undefined {
  let newest: Date | undefined
  for (const { time } of measurements) if (newest === undefined || time > newest) newest = time
  return newest
}

function hintOf({ deviceId, plan, findings }: DeviceFindings): Hint {
  const on = new Set<string>()
  const off = new Set<string>()
  let dueMs = Number.POSITIVE_INFINITY
  for (const finding of findings) {
    for (const entry of finding.on) on.add(entry)
    for (const entry of finding.off) off.add(entry)
    if (plan === null) continue
    for (const { identifier, durationMs } of plan.silences) {
      off.add(identifier)
      dueMs = Math.min(dueMs, finding.receivedAt.getTime() + durationMs)
    }
    for (const { identifier, durationMs } of plan.agings) {
      const from = finding.agingFrom.get(identifier)
      if (from === undefined) continue
      off.add(identifier)
      dueMs = Math.min(dueMs, from.getTime() + durationMs)
    }
  }
  const due = Number.isFinite(dueMs) ? new Date(dueMs) : null
  return { deviceId, config: plan?.key ?? null, on, off, due }
}

/**
 * Evaluates the expressions of expert mode. They get the last values of the state keys at each measurement,
 * so the measurements of a device are processed in time order, and late ones are left out.
 */
async function askExperts(
  scripts: Context['scripts'],
  before: ReadonlyMap<number, Before>,
  packets: readonly HealthPacket[],
  byDevice: ReadonlyMap<number, DeviceFindings>,
  wait: NonNullable<Parameters<typeof judgeHealth>[2]>,
): Promise<Map<number, Memory>> {
  const changed = new Map<number, Memory>()
  const questions: { finding: Finding; plan: HealthPlan; dataAccountId: number; variables: Memory }[] = []
  for (const [deviceId, own] of Map.groupBy(packets, (packet) => packet.deviceId)) {
    const { findings, accountId: dataAccountId } = byDevice.get(deviceId) as DeviceFindings
    const { memory, evaluatedAt } = before.get(deviceId) ?? { memory: {}, evaluatedAt: null }
    let last = memory
    for (const { finding, plan, variables } of inTime(own, findings)) {
      if (evaluatedAt !== null && finding.time < evaluatedAt) continue
      const seen = { ...last, ...pick(plan, variables) }
      questions.push({ finding, plan, dataAccountId, variables: seen })
      last = { ...pick(plan, last), ...remembered(plan, variables) }
      changed.set(deviceId, last)
    }
  }
  const runs = [...Map.groupBy(questions, ({ dataAccountId }) => dataAccountId)].map(([accountId, own]) => ({
    accountId,
    own,
    done: kept(judgeExpressions(scripts, own)),
  }))
  await wait(runs)
  for (const { own, done } of runs) {
    const verdicts = await done
    for (const [index, { finding }] of own.entries()) {
      const { on, off } = verdicts[index] as (typeof verdicts)[number]
      finding.on = [...finding.on, ...on]
      finding.off = [...finding.off, ...off]
    }
  }
  return changed
}

/** Findings of a device with their measurements, in time order. */
function inTime(packets: readonly HealthPacket[], findings: readonly Finding[]) {
  let next = 0
  const pairs = packets.flatMap(({ plan, measurements, failed }) => {
    if (failed || plan === null || measurements.length === 0) {
      next++
      return []
    }
    return measurements.map(({ variables }) => ({ finding: findings[next++] as Finding, plan, variables }))
  })
  return pairs.sort((a, b) => a.finding.time.getTime() - b.finding.time.getTime())
}

function pick(plan: HealthPlan, variables: Readonly<Record<string, JsonValue>>): Memory {
  return Object.fromEntries(Object.entries(variables).filter(([key]) => plan.stateKeys.has(key)))
}
