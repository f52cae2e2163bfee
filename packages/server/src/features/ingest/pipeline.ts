import type { StandardPacket } from '@leitstand/contract/bridge'
import type { JsonValue } from '@leitstand/contract/common'
import type { ErrorCode } from '@leitstand/contract/errors'
import type { Context } from '../../platform/context.ts'
import type { Executor } from '../../platform/db/index.ts'
import { type RefusedValue, type SeriesFeature, typeOf, type ValueInput } from '../series/index.ts'
import { type Addressed, decode, type Meaning } from './decode.ts'
import type { Address, Directory } from './directory.ts'
import { type DevicePacket, dedupKey, type ReadPacket, type Refused, readPacket, valueAt } from './resolve.ts'
import {
  type DeadLetter,
  type DeviceRecord,
  findRouted,
  insertDeadLetters,
  insertPackets,
  insertStates,
  type ListenerRecord,
  type PacketRow,
  readVariableTitles,
  rememberKeys,
  touchDevices,
} from './store.ts'
import { type InboundMessage, ingestLimits, type Outcome } from './types.ts'

/** Something the batch relied on has changed since it was looked up: look up again. */
export class Outdated extends Error {}

/** A packet of a message on its way through the pipeline. */
interface Entry {
  message: InboundMessage
  outcome: Outcome
  standard: StandardPacket
  packet: ReadPacket | Refused
  key: string | null
}

/** A packet of a device with what its driver made of it. */
interface DeviceEntry extends Entry, Addressed {
  packet: DevicePacket
  meaning: Meaning
  error: { code: ErrorCode; message: string } | null
}

interface Tools {
  ctx: Context
  series: SeriesFeature
  directory: Directory
}

/**
 * Takes a batch of messages all the way: reads them, finds their devices, runs drivers, and stores packets, values and
 * what could not be used in one transaction.
 * @returns one outcome per message, in order, when everything is committed
 */
export async function processBatch(
  tools: Tools,
  messages: readonly InboundMessage[],
  now: Date,
): Promise<Outcome[]> {
  const started = performance.now()
  const { ctx, series, directory } = tools
  const outcomes = messages.map(
    (): Outcome => ({ accepted: 0, duplicates: 0, rejected: [], decoded: [], durationUs: 0 }),
  )
  const entries = await readAll(tools, messages, outcomes, now)
  const addresses = addressesOf(entries)
  const devices = await directory.devices(addresses)
  const listeners = await directory.listeners(addresses)
  const routed = await routedValues(tools, entries)

  const { letters, loose, addressed } = sort(entries, devices, listeners, routed)
  const meanings = await decode(ctx.scripts, addressed)
  const packets = addressed.map((entry, index): DeviceEntry => {
    const meaning = meanings[index] as Meaning
    return { ...entry, meaning, error: meaning.error }
  })
  await series.prepareMonths(
    'packets',
    messages.map(({ receivedAt }) => receivedAt),
  )
  await series.prepareMonths('state_values', timesOf(packets, loose))

  const stored = await series.store(async (tx, apply) => {
    const fresh = await dropDuplicates(tx, packets, now)
    const values = await deviceValues(tx, fresh)
    const all = [...values.map(({ input }) => input), ...loose.map(({ input }) => input)]
    const { refused } = await apply(all, true)
    noteRefused(refused, values, loose, letters, ctx)
    await insertDeadLetters(tx, letters)
    const ids = await insertPackets(tx, fresh.map(toRow))
    await touchDevices(tx, touchesOf(fresh))
    return { fresh, ids }
  })

  const durationUs = Math.round((performance.now() - started) * 1000)
  for (const outcome of outcomes) outcome.durationUs = durationUs
  for (const entry of stored.fresh) {
    entry.outcome.accepted++
    entry.outcome.decoded.push({
      identifier: entry.packet.identifier,
      deviceId: entry.device.id,
      variables: entry.meaning.variables,
      error: entry.error,
    })
  }
  publish(ctx, stored.fresh, stored.ids)
  return outcomes
}

/** Sorts packets by what happens to them: to a device, straight to states, or nowhere. */
function sort(
  entries: readonly Entry[],
  devices: ReadonlyMap<string, DeviceRecord>,
  listeners: ReadonlyMap<string, readonly ListenerRecord[]>,
  routed: ReadonlyMap<ReadPacket | Refused, ValueInput[]>,
) {
  const letters: DeadLetter[] = []
  const loose: { entry: Entry; input: ValueInput }[] = []
  const addressed: (Entry & Addressed)[] = []
  for (const entry of entries) {
    const { packet } = entry
    if (packet.kind === 'refused') reject(entry, letters, packet.code, packet.message)
    else if (packet.kind === 'routed') {
      const inputs = routed.get(packet) ?? []
      if (inputs.length === 0)
        reject(
          entry,
          letters,
          'ROUTING_UNMATCHED',
          `no twin has ${packet.routes.map(({ name, value }) => `${name} ${value}`).join()} and a state ${packet.variable}`,
        )
      else entry.outcome.accepted++
      loose.push(...inputs.map((input) => ({ entry, input })))
    } else {
      const name = `${entry.message.connector.id} ${packet.key}`
      const device = devices.get(name)
      const heard = listenerValues(listeners.get(name) ?? [], packet)
      loose.push(...heard.map((input) => ({ entry, input })))
      if (device !== undefined && !device.disabled) addressed.push({ ...entry, packet, device })
      else if (heard.length > 0) entry.outcome.accepted++
      else if (device === undefined)
        reject(entry, letters, 'DEVICE_UNKNOWN', `no virtual device with external id ${packet.key}`)
      else reject(entry, letters, 'DEVICE_DISABLED', `virtual device ${device.id} is disabled`, device.id)
    }
  }
  return { letters, loose, addressed }
}

async function readAll(
  { directory }: Tools,
  messages: readonly InboundMessage[],
  outcomes: readonly Outcome[],
  now: Date,
): Promise<Entry[]> {
  const oldest = await directory.oldest(
    messages.map(({ connector }) => connector.accountId),
    now,
  )
  return messages.flatMap((message, at) =>
    message.packets.map((standard, index): Entry => {
      const limit = oldest.get(message.connector.accountId) as Date
      const packet = readPacket(standard, message.receivedAt, limit)
      const key = packet.kind === 'device' ? dedupKey(packet, message.dedupKeys?.[index]) : null
      return { message, outcome: outcomes[at] as Outcome, standard, packet, key }
    }),
  )
}

function addressesOf(entries: readonly Entry[]): Address[] {
  return entries.flatMap(({ message, packet }) =>
    packet.kind === 'device' ? [{ connectorId: message.connector.id, key: packet.key }] : [],
  )
}

/** Values of routing packets for the states they reach, by packet. */
async function routedValues(
  { ctx }: Tools,
  entries: readonly Entry[],
): Promise<Map<ReadPacket | Refused, ValueInput[]>> {
  const wanted = entries.flatMap(({ message, packet }) =>
    packet.kind === 'routed'
      ? packet.routes.map((route) => ({
          ...route,
          accountId: message.connector.accountId,
          variable: packet.variable,
          packet,
        }))
      : [],
  )
  const found = await findRouted(ctx.db, wanted)
  const nameOf = (each: { accountId: number; name: string; value: string; variable: string }) =>
    JSON.stringify([each.accountId, each.name, each.value, each.variable])
  const byName = Map.groupBy(found, nameOf)
  return new Map(
    wanted.map(({ packet, ...each }) => {
      const ids = new Set((byName.get(nameOf(each)) ?? []).map(({ stateId }) => stateId))
      return [packet, [...ids].map((stateId) => ({ stateId, value: packet.value, time: packet.time }))]
    }),
  )
}

function listenerValues(
  listeners: readonly { stateId: number; variable: string | null }[],
  packet: DevicePacket,
): ValueInput[] {
  return listeners.flatMap(({ stateId, variable }) => {
    const value = valueAt(packet.data, variable)
    return value === undefined ? [] : [{ stateId, value, time: packet.time }]
  })
}

/** Leaves out packets that were stored before and counts them. */
async function dropDuplicates(
  tx: Executor,
  packets: readonly DeviceEntry[],
  now: Date,
): Promise<DeviceEntry[]> {
  const day = now.toISOString().slice(0, 10)
  const previous = new Date(now.getTime() - 86_400_000).toISOString().slice(0, 10)
  const isNew = await rememberKeys(
    tx,
    day,
    previous,
    packets.map(({ device, key }) => ({ deviceId: device.id, key })),
  )
  return packets.filter(({ outcome }, index) => {
    if (isNew[index]) return true
    outcome.duplicates++
    return false
  })
}

interface DeviceValue {
  entry: DeviceEntry
  variable: string
  input: ValueInput
}

/** Values for the states of devices; variables not known before get a state of their own. */
async function deviceValues(tx: Executor, packets: readonly DeviceEntry[]): Promise<DeviceValue[]> {
  const created = await createStates(tx, packets)
  const values: DeviceValue[] = []
  for (const entry of packets) {
    for (const { time, variables } of entry.meaning.measurements) {
      for (const [variable, value] of Object.entries(variables)) {
        const stateId = entry.device.states.get(variable) ?? created.get(`${entry.device.id} ${variable}`)
        if (stateId !== undefined) values.push({ entry, variable, input: { stateId, value, time } })
      }
    }
  }
  return values
}

const keyPattern = /^[A-Za-z0-9_.]{1,100}$/

async function createStates(tx: Executor, packets: readonly DeviceEntry[]): Promise<Map<string, number>> {
  const wanted = new Map<
    string,
    { device: DeviceRecord; variable: string; value: JsonValue; meaning: Meaning }
  >()
  for (const { device, meaning } of packets) {
    for (const { variables } of meaning.measurements) {
      for (const [variable, value] of Object.entries(variables)) {
        const name = `${device.id} ${variable}`
        const room = device.keys.size < ingestLimits.autoStatesMax
        if (device.states.has(variable) || device.keys.has(variable) || wanted.has(name) || !room) continue
        if (value !== null && keyPattern.test(variable))
          wanted.set(name, { device, variable, value, meaning })
      }
    }
  }
  if (wanted.size === 0) return new Map()
  const all = [...wanted.values()]
  const drivers = new Map(
    all.flatMap(({ meaning: { driver } }) =>
      driver === null ? [] : [[`${driver.driverId} ${driver.number}`, driver]],
    ),
  )
  const titles = await readVariableTitles(tx, [...drivers.values()])
  const created = await insertStates(
    tx,
    all.map(({ device, variable, value, meaning: { driver } }) => {
      const named =
        driver === null ? undefined : titles.get(`${driver.driverId} ${driver.number} ${variable}`)
      const title = named?.title || titleOf(variable)
      return {
        deviceId: device.id,
        variable,
        key: variable,
        title,
        unit: named?.unit ?? '',
        valueType: typeOf(value),
      }
    }),
  )
  if (created.length < wanted.size) throw new Outdated('states were created by somebody else meanwhile')
  return new Map(created.map(({ deviceId, variable, stateId }) => [`${deviceId} ${variable}`, stateId]))
}

/** `battery_voltage` → `Battery voltage`. */
function titleOf(variable: string): string {
  const words = variable.replaceAll('_', ' ').trim()
  return words === '' ? variable : words.charAt(0).toUpperCase() + words.slice(1)
}

/** A value that was refused marks its packet; one without a packet becomes a dead letter. All are counted. */
function noteRefused(
  refused: readonly RefusedValue[],
  values: readonly DeviceValue[],
  loose: readonly { entry: Entry; input: ValueInput }[],
  letters: DeadLetter[],
  ctx: Context,
): void {
  for (const refusal of refused) {
    if (refusal.code === 'DTWIN_STATE_NOT_FOUND') throw new Outdated(refusal.message)
    const same = ({ input }: { input: ValueInput }) =>
      input.stateId === refusal.stateId && input.time.getTime() === refusal.time.getTime()
    const origin = values.find(same)
    const heard = origin === undefined ? loose.find(same) : undefined
    if (origin !== undefined)
      origin.entry.error = { code: refusal.code, message: `${origin.variable}: ${refusal.message}` }
    else if (heard !== undefined) reject(heard.entry, letters, refusal.code, refusal.message)
    else
      ctx.log.warn(
        { stateId: refusal.stateId, code: refusal.code },
        `a computed value was refused: ${refusal.message}`,
      )
  }
}

function reject(
  entry: Entry,
  letters: DeadLetter[],
  code: ErrorCode,
  message: string,
  deviceId: number | null = null,
): void {
  const { packet } = entry
  const identifier =
    packet.kind === 'routed'
      ? packet.routes.map(({ name, value }) => `${name}=${value}`).join(' ')
      : packet.identifier
  entry.outcome.rejected.push({ identifier, code, message })
  letters.push({
    receivedAt: entry.message.receivedAt,
    accountId: entry.message.connector.accountId,
    connectorId: entry.message.connector.id,
    deviceId,
    identifier: identifier === null ? null : clean(identifier),
    reason: code,
    detail: clean(message),
    body: clean(bodyOf(entry).slice(0, ingestLimits.rawCharsMax)),
  })
}

/** The message as it came; of a message with many packets only the one in question, or every refusal would hold all. */
function bodyOf({ message, standard }: Entry): string {
  return message.packets.length === 1 ? message.raw : JSON.stringify(standard)
}

/** PostgreSQL's text has no NUL; it is shown as the replacement character. */
export function clean(text: string): string {
  return text.replaceAll('\u0000', '\ufffd')
}

function* timesOf(packets: readonly DeviceEntry[], loose: readonly { input: ValueInput }[]): Iterable<Date> {
  for (const { meaning } of packets) for (const { time } of meaning.measurements) yield time
  for (const { input } of loose) yield input.time
}

function toRow(entry: DeviceEntry): PacketRow {
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
    variables: meaning.variables,
    error: entry.error,
    driverId: meaning.driver?.driverId ?? null,
    driverVersion: meaning.driver?.number ?? null,
    durationUs: meaning.durationUs,
  }
}

function touchesOf(packets: readonly DeviceEntry[]) {
  return [...Map.groupBy(packets, ({ device }) => device.id)].map(([deviceId, own]) => {
    const last = own.reduce((a, b) => (b.message.receivedAt >= a.message.receivedAt ? b : a))
    return { deviceId, lastSeen: last.message.receivedAt, packets: own.length, error: last.error }
  })
}

function publish(ctx: Context, packets: readonly DeviceEntry[], ids: readonly number[]): void {
  for (const [index, { device, message }] of packets.entries()) {
    const topic = `packets:${device.id}` as const
    if (!ctx.live.hasFollowers(topic)) continue
    const timeMs = message.receivedAt.getTime()
    ctx.live.publish(topic, {
      kind: 'packet',
      topic,
      packetId: ids[index] as number,
      deviceId: device.id,
      timeMs,
    })
  }
}
