import type { StandardPacket } from '@leitstand/contract/bridge'
import type { JsonValue } from '@leitstand/contract/common'
import type { ErrorCode } from '@leitstand/contract/errors'
import type { Context } from '../../platform/context.ts'
import type { Executor } from '../../platform/db/index.ts'
import { packetReceived } from '../../topics/packetReceived.ts'
import type { ValueSource } from '../../topics/valuesStored.ts'
import { touchDevices } from '../devices/index.ts'
import type { ParserTools } from '../drivers/index.ts'
import { followHealth, type Judged, judgeAgain, judgeHealth } from '../health/index.ts'
import type { ApplyMode, RefusedValue, SeriesFeature, ValueInput } from '../series/index.ts'
import { type Addressed, decode, type Meaning } from './decode.ts'
import type { Address, Directory } from './directory.ts'
import { type DeviceEntry, type Entry, Outdated } from './entry.ts'
import { findKnown, keyDay, rememberKeys } from './keys.store.ts'
import { createStates } from './newStates.ts'
import { type Patience, ScriptsLate } from './patience.ts'
import { clean, type RejectedMessage, type Rejections, rejectedMeta } from './rejected.ts'
import { type DevicePacket, dedupKey, type ReadPacket, type Refused, readPacket, valueAt } from './resolve.ts'
import { toEvent, toHealth, toRow, touchesOf } from './rows.ts'
import { type DeviceRecord, findRouted, insertPackets, type ListenerRecord } from './store.ts'
import { type InboundMessage, ingestLimits, type Outcome } from './types.ts'

/** Source of a value, where refusals are recorded. */
type Origin = { entry: DeviceEntry; variable: string } | { letterOf: Entry }
type OwnValue = ValueInput & { origin: Origin }

/** Dependencies of the uplink pipeline. */
export interface Tools {
  ctx: Context
  parsers: ParserTools
  series: SeriesFeature
  directory: Directory
  rejections: Rejections
}

/** A decoded batch that is ready to be stored. */
export interface Prepared {
  started: number
  /** day of reception under which keys are stored, `2026-11-20` */
  day: string
  outcomes: Outcome[]
  packets: DeviceEntry[]
  health: Judged
  /** transformed values of known states */
  values: OwnValue[]
  letters: RejectedMessage[]
}

/** Messages whose scripts would delay the rest of the batch, with the account of the scripts. */
export class LateMessages extends Error {
  readonly accountOf: ReadonlyMap<InboundMessage, number>

  constructor(entries: readonly { message: InboundMessage; accountId: number }[]) {
    super('the scripts for some messages are late')
    this.accountOf = new Map(entries.map(({ message, accountId }) => [message, accountId]))
  }
}

/** Results of drivers, so that they need not run again. */
export type Known = Map<StandardPacket, Meaning>

/**
 * First step, without writing: parses messages, finds their devices, runs drivers and transformers. May run
 * while the previous batch is being stored.
 * @param patience how long to wait for scripts; absent: until they finish
 * @param known results to reuse; filled when messages are late
 * @throws LateMessages; AppError OVERLOADED when the sandbox is busy
 */
export async function prepareBatch(
  tools: Tools,
  messages: readonly InboundMessage[],
  now: Date,
  patience?: Patience,
  known: Known = new Map(),
): Promise<Prepared> {
  const started = performance.now()
  const { ctx, series, directory } = tools
  const outcomes = messages.map(
    (): Outcome => ({ accepted: 0, duplicates: 0, rejected: [], decoded: [], durationUs: 0 }),
  )
  const entries = await readAll(tools, messages, outcomes, now)
  const addresses = addressesOf(entries)
  const [devices, listeners, routed] = await Promise.all([
    directory.devices(addresses),
    directory.listeners(addresses),
    routedValues(tools, entries),
  ])
  const { letters, loose, addressed } = sort(entries, devices, listeners, routed, known)
  const refused = addressed.filter(({ device }) => patience?.refuses(device.accountId))
  if (refused.length > 0) throw new LateMessages(refused.map(withAccount))
  const day = keyDay(now)
  const fresh = await dropDuplicates(ctx.db, addressed, [day, keyDay(now, -1)])
  const meanings = await decode(tools.parsers, fresh, patience).catch((error: unknown) => {
    if (!(error instanceof ScriptsLate)) throw error
    remember(known, fresh, error.meanings)
    throw new LateMessages(fresh.map(withAccount).filter(({ accountId }) => error.accounts.has(accountId)))
  })
  const packets = fresh.map(({ message, outcome, standard, packet, key, device }, index): DeviceEntry => {
    const meaning = meanings[index] as Meaning
    return { message, outcome, standard, packet, key, device, meaning, error: meaning.error }
  })
  await series.prepareMonths(
    'packets',
    messages.map(({ receivedAt }) => receivedAt),
  )
  await series.prepareMonths('state_values', timesOf(packets, loose))
  const all = [...valuesOf(packets), ...loose]
  const transformed = await series.transform(all, patience?.wait).catch(async (error: unknown) => {
    if (!(error instanceof ScriptsLate)) throw error
    remember(known, fresh, meanings)
    throw new LateMessages(await messagesOf(tools, all, error.accounts))
  })
  const { values } = transformed
  const health = await judgeHealth(ctx, packets.map(toHealth), patience?.wait).catch((error: unknown) => {
    if (!(error instanceof ScriptsLate)) throw error
    remember(known, fresh, meanings)
    throw new LateMessages(fresh.map(withAccount).filter(({ accountId }) => error.accounts.has(accountId)))
  })
  noteRefused(transformed.refused, letters, ctx)
  return { started, day, outcomes, packets, health, values, letters }
}

function remember(known: Known, entries: readonly Entry[], meanings: readonly (Meaning | undefined)[]): void {
  for (const [index, { standard }] of entries.entries()) {
    const meaning = meanings[index]
    if (meaning !== undefined) known.set(standard, meaning)
  }
}

function withAccount({ message, device }: Entry & Addressed) {
  return { message, accountId: device.accountId }
}

/** The messages with values for states of these accounts. */
async function messagesOf(
  { ctx, series }: Tools,
  values: readonly OwnValue[],
  accounts: ReadonlySet<number>,
) {
  const states = await series.catalog.get(
    ctx.db,
    values.map(({ stateId }) => stateId),
  )
  return values.flatMap(({ stateId, origin }) => {
    const accountId = states.get(stateId)?.accountId
    if (accountId === undefined || !accounts.has(accountId)) return []
    const { message } = 'entry' in origin ? origin.entry : origin.letterOf
    return [{ message, accountId }]
  })
}

/**
 * Second step, one batch at a time: stores packets, values and dead letters in one transaction.
 * @returns one outcome per message, in order, after the commit
 * @throws Outdated when data has changed since the batch was prepared: prepare it again
 */
export async function storeBatch(
  { ctx, series, rejections }: Tools,
  prepared: Prepared,
  mode: ApplyMode,
): Promise<Outcome[]> {
  const { started, day, outcomes, packets, values, letters } = prepared
  // The previous batch may have changed the same devices.
  const judged = await judgeAgain(ctx, prepared.health)
  const ids = await series.store(async (unit, apply) => {
    const keyed = packets.flatMap(({ device, key }) => (key === null ? [] : [{ deviceId: device.id, key }]))
    // Fails if a packet was stored since the batch was prepared, which is then prepared again.
    if (keyed.length > 0) void unit.send(rememberKeys(day, keyed))
    const created = await valuesOfNewStates(unit.db, packets)
    const { refused } = await apply(created.length === 0 ? values : [...values, ...created], mode)
    noteRefused(refused, letters, ctx)
    if (letters.length > 0) await rejections.store(unit.db, letters)
    if (packets.length === 0) return []
    // Must read the devices before they are touched.
    const followed = followHealth(ctx, unit, judged)
    const isFollowed = ctx.live.hasFollowersOf('packets')
    const stored = unit.send(insertPackets(packets.map(toRow), isFollowed))
    if (ctx.events.isWanted(packetReceived))
      for (const statement of ctx.events.appending(packets.map(toEvent))) void unit.send(statement)
    if (!(await followed)) throw new Outdated('devices have changed since their packets were judged')
    void unit.send(touchDevices(touchesOf(packets, judged.packets)))
    return isFollowed ? (await stored).map(({ id }) => id) : []
  })

  const durationUs = Math.round((performance.now() - started) * 1000)
  for (const outcome of outcomes) outcome.durationUs = durationUs
  for (const entry of packets) {
    entry.outcome.accepted++
    entry.outcome.decoded.push({
      identifier: entry.packet.identifier,
      deviceId: entry.device.id,
      variables: entry.meaning.variables,
      error: entry.error,
    })
  }
  if (ids.length > 0) publish(ctx, packets, ids)
  return outcomes
}

const noListeners: readonly ListenerRecord[] = []

/** Sorts packets by target: a device, states directly, or none. */
function sort(
  entries: readonly Entry[],
  devices: ReadonlyMap<string, DeviceRecord>,
  listeners: ReadonlyMap<string, readonly ListenerRecord[]>,
  routed: ReadonlyMap<ReadPacket | Refused, ValueInput[]>,
  known: Known,
) {
  const letters: RejectedMessage[] = []
  const loose: OwnValue[] = []
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
      loose.push(...looseValues(inputs, entry, null))
    } else {
      const name = `${entry.message.connector.id} ${packet.key}`
      const device = devices.get(name)
      const heard = listenerValues(listeners.get(name) ?? noListeners, packet)
      loose.push(...looseValues(heard, entry, device?.id ?? null))
      if (device !== undefined && !device.disabled)
        addressed.push({
          ...entry,
          packet,
          device,
          prefetched: known.get(entry.standard) ?? entry.message.prefetched?.get(entry.standard),
        })
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
  const entries: Entry[] = []
  for (const [at, message] of messages.entries()) {
    const limit = oldest.get(message.connector.accountId) as Date
    const outcome = outcomes[at] as Outcome
    for (const [index, standard] of message.packets.entries()) {
      const packet = readPacket(standard, message.receivedAt, limit)
      const key = packet.kind === 'device' ? keyOf(packet, message, index) : null
      entries.push({ message, outcome, standard, packet, key })
    }
  }
  return entries
}

/** The key of its source or of its contents; else, of several nodes, its place in the stream, which may deliver it again. */
function keyOf(packet: DevicePacket, { dedupKeys, streamKey }: InboundMessage, index: number): bigint | null {
  const key = dedupKey(packet, dedupKeys?.[index])
  return key === null && streamKey !== undefined ? dedupKey(packet, `stream ${streamKey} ${index}`) : key
}

function addressesOf(entries: readonly Entry[]): Address[] {
  return entries.flatMap(({ message, packet }) =>
    packet.kind === 'device' ? [{ connectorId: message.connector.id, key: packet.key }] : [],
  )
}

/** Values of routed packets for their states, by packet. */
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
  if (wanted.length === 0) return new Map()
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
  if (listeners.length === 0) return []
  return listeners.flatMap(({ stateId, variable }) => {
    const value = valueAt(packet.data, variable)
    return value === undefined ? [] : [{ stateId, value, time: packet.time }]
  })
}

/** Drops and counts packets that are already stored or occur earlier in the batch. */
async function dropDuplicates<T extends Entry & Addressed>(
  db: Executor,
  packets: readonly T[],
  days: readonly [today: string, yesterday: string],
): Promise<T[]> {
  if (packets.length === 0) return []
  const known = await findKnown(
    db,
    days,
    packets.map(({ device, key }) => ({ deviceId: device.id, key })),
  )
  const seen = new Set<string>()
  return packets.filter(({ device, key, outcome }, index) => {
    if (key === null) return true
    const name = `${device.id} ${key}`
    if (!known.has(index) && !seen.has(name)) {
      seen.add(name)
      return true
    }
    outcome.duplicates++
    return false
  })
}

/** Values for existing states of devices. */
function valuesOf(packets: readonly DeviceEntry[]): OwnValue[] {
  const values: OwnValue[] = []
  for (const entry of packets) {
    const source = sourceOf(entry, entry.device.id)
    for (const { time, variables } of entry.meaning.measurements) {
      for (const variable in variables) {
        const stateId = entry.device.states.get(variable)
        if (stateId === undefined) continue
        const value = variables[variable] as JsonValue
        values.push({ stateId, value, time, source, origin: { entry, variable } })
      }
    }
  }
  return values
}

/** Values of new variables, for which states are created. */
async function valuesOfNewStates(tx: Executor, packets: readonly DeviceEntry[]): Promise<OwnValue[]> {
  const created = await createStates(tx, packets)
  if (created.size === 0) return []
  const values: OwnValue[] = []
  for (const entry of packets) {
    const source = sourceOf(entry, entry.device.id)
    for (const { time, variables } of entry.meaning.measurements) {
      for (const [variable, value] of Object.entries(variables)) {
        const stateId = created.get(`${entry.device.id} ${variable}`)
        if (stateId !== undefined) values.push({ stateId, value, time, source, origin: { entry, variable } })
      }
    }
  }
  return values
}

/** Values for states without a device. */
function looseValues(inputs: readonly ValueInput[], entry: Entry, deviceId: number | null): OwnValue[] {
  if (inputs.length === 0) return []
  const source = sourceOf(entry, deviceId)
  return inputs.map((input) => ({ ...input, source, origin: { letterOf: entry } }))
}

/** Source of the values of a packet; one object per packet, so that events contain it once. */
function sourceOf({ message, packet }: Entry, deviceId: number | null): ValueSource {
  return {
    kind: 'packet',
    connectorId: message.connector.id,
    deviceId,
    receivedMs: message.receivedAt.getTime(),
    ...(packet.kind === 'device' ? { meta: packet.meta } : {}),
  }
}

/** Records refused values as errors of their packets, or as dead letters without a packet. Counts all. */
function noteRefused(refused: readonly RefusedValue[], letters: RejectedMessage[], ctx: Context): void {
  for (const refusal of refused) {
    if (refusal.code === 'DTWIN_STATE_NOT_FOUND') throw new Outdated(refusal.message)
    const { code, message, params, stateId } = refusal
    const origin = refusal.origin as Origin | undefined
    if (origin === undefined) ctx.log.warn({ stateId, code }, `a computed value was refused: ${message}`)
    else if ('entry' in origin)
      origin.entry.error = { code, message: `${origin.variable}: ${message}`, ...(params ? { params } : {}) }
    else reject(origin.letterOf, letters, code, message)
  }
}

function reject(
  entry: Entry,
  letters: RejectedMessage[],
  code: ErrorCode,
  message: string,
  deviceId: number | null = null,
): void {
  const { packet } = entry
  const identifier =
    packet.kind === 'routed'
      ? packet.routes.map(({ name, value }) => `${name}=${value}`).join(' ')
      : packet.identifier
  const index = entry.message.packets.indexOf(entry.standard)
  entry.outcome.rejected.push({ identifier, code, message, index })
  if (entry.message.isReplay) return
  const body = bodyOf(entry)
  letters.push({
    receivedAt: entry.message.receivedAt,
    accountId: entry.message.connector.accountId,
    connectorId: entry.message.connector.id,
    deviceId,
    identifier: identifier === null ? null : clean(identifier),
    reason: code,
    detail: clean(message),
    body: clean(body.slice(0, ingestLimits.rawCharsMax)),
    meta: rejectedMeta(entry.message, body, index),
  })
}

/**
 * The raw message, or only the affected packet if there are several, to avoid storing all of them per
 * refusal.
 */
function bodyOf({ message, standard }: Entry): string {
  return message.packets.length === 1 ? message.raw : JSON.stringify(standard)
}

function* timesOf(packets: readonly DeviceEntry[], loose: readonly ValueInput[]): Iterable<Date> {
  for (const { meaning } of packets) for (const { time } of meaning.measurements) yield time
  for (const { time } of loose) yield time
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
