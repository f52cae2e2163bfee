import type { StandardPacket } from '@leitstand/contract/bridge'
import type { JsonValue } from '@leitstand/contract/common'
import type { ErrorCode } from '@leitstand/contract/errors'
import type { Context } from '../../platform/context.ts'
import { AppError } from '../../platform/errors.ts'
import type { Lane } from '../../platform/mqtt/lane.ts'
import { downlinkReported } from '../../topics/index.ts'
import type { InboundMessage, IngestFeature, MessageOrigin, Outcome, Rejection } from '../ingest/index.ts'
import type { Journal } from './journal.ts'
import type { Limiter } from './limits/limiter.ts'
import type { Reached } from './limits/turnstile.ts'
import { type Unreadable, unreadableLimits } from './limits/unreadable.ts'
import {
  type DownlinkReport,
  type ForeignMessage,
  foreignMessage,
  type KeyedPacket,
  type Reading,
  type RefusedPart,
  type Translation,
  translate,
} from './presets/index.ts'

export const receiveLimits = {
  /** packets of one message passed to the pipeline at a time */
  windowMax: 500,
  /** parts of one message stored as dead letters at a time */
  refusalsAtOnce: 10,
  /** maximum characters kept of a network server's text about a downlink */
  detailCharsMax: 500,
} as const

/** The fields of a connector needed to receive messages. */
export interface Receiving {
  readonly id: number
  readonly accountId: number
  readonly reading: Reading
}

/** A message of a sender that cannot be asked to send it again. */
export interface Incoming {
  readonly topic: string
  readonly payload: Buffer
  /** whether the sender's connection has closed, so that it will send the message again */
  readonly isGone: () => boolean
}

/** A message that has been read. */
interface Read {
  readonly message: ForeignMessage
  readonly translation: Translation
}

/** Outcome of a message; everything is committed. */
export interface Report {
  accepted: number
  duplicates: number
  rejected: Omit<Rejection, 'index'>[]
  /** set when the message was a network event instead of an uplink */
  event: string | null
}

/**
 * Passes messages from any kind of connector to the pipeline: parses them with the connector's preset or
 * template, submits the packets and records them in the journal. Resolves when everything is committed.
 */
export class Receiver {
  readonly #ctx: Context
  readonly #ingest: IngestFeature
  readonly #journal: Journal
  readonly #limiter: Limiter
  readonly #unreadable: Unreadable

  constructor(
    ctx: Context,
    ingest: IngestFeature,
    journal: Journal,
    limits: { limiter: Limiter; unreadable: Unreadable },
  ) {
    this.#ctx = ctx
    this.#ingest = ingest
    this.#journal = journal
    this.#limiter = limits.limiter
    this.#unreadable = limits.unreadable
  }

  /** Whether the pipeline accepts more; call this first for sources that can be asked to retry. */
  hasRoom(connector: Receiving): boolean {
    return this.#ingest.hasRoom(connector)
  }

  /**
   * Counts a message against the limits of connector and account, for sources that can be asked to retry.
   * @throws AppError TOO_MANY_REQUESTS with `limit`, `value` (messages a second) and `retryAfterSeconds`
   */
  demandPass(connector: Receiving): void {
    const reached = this.#limiter.tryPass(connector)
    if (reached === null) return
    this.countRefusal(connector.id, 'TOO_MANY_REQUESTS')
    this.#noteLimit(connector.id, reached, 'senders are answered with 429')
    const { limit, value, waitMs } = reached
    const retryAfterSeconds = Math.ceil(waitMs / 1000)
    throw new AppError(
      'TOO_MANY_REQUESTS',
      { limit, value, retryAfterSeconds },
      `The limit ${limit} of ${value} is reached`,
    )
  }

  /**
   * Refuses a large message of a connector whose messages could not be read lately, before its body is: reading
   * it takes time from everybody.
   * @param bytes length of the body
   * @throws AppError TOO_MANY_REQUESTS like `demandPass`; the value is in characters a second
   */
  demandReadable(connector: Receiving, bytes: number): void {
    const waitMs = this.#unreadable.waitMs(connector.id, bytes)
    if (waitMs === 0) return
    this.countRefusal(connector.id, 'TOO_MANY_REQUESTS')
    this.#noteUnread(connector, 'senders of further ones are answered with 429')
    throw new AppError(
      'TOO_MANY_REQUESTS',
      {
        limit: 'connector.unreadable',
        value: unreadableLimits.allowed.perSecond,
        retryAfterSeconds: Math.ceil(waitMs / 1000),
      },
      'Messages of this connector could not be read',
    )
  }

  #noteUnread({ id, accountId }: Receiving, consequence: string): void {
    this.#ctx.limitHits.note(accountId, 'unreadable', { detail: this.#limiter.nameOf(id) })
    const message = `Many large messages could not be read: for now, ${consequence}`
    this.#journal.log(id, { level: 'warning', event: 'limit-reached', message })
  }

  /**
   * @throws AppError OVERLOADED when the queue is full, the database unavailable or the sandbox busy: send it
   * again
   */
  async receive(connector: Receiving, message: ForeignMessage): Promise<Report> {
    const receivedAt = this.#ctx.clock.now()
    const read = await this.#translate(connector, message)
    return this.#store(connector, read, receivedAt)
  }

  /**
   * Like `receive`, but keeps the order of a sender's messages and waits for limits and for room; the
   * sender's socket is not read while waiting.
   */
  receiveInOrder(connector: Receiving, incoming: Incoming, lane: Lane): Promise<Report> {
    const receivedAt = this.#ctx.clock.now()
    return lane.run(
      () => this.#readInTime(connector, incoming),
      (read) => this.#store(connector, read, receivedAt),
      () => this.#admit(connector, incoming.isGone),
    )
  }

  #readInTime(connector: Receiving, { topic, payload, isGone }: Incoming): Promise<Read> | Read {
    const read = () => this.#translate(connector, foreignMessage(payload.toString('utf8'), { topic }))
    if (this.#unreadable.waitMs(connector.id, payload.length) === 0) return read()
    this.#noteUnread(connector, 'connections with further ones are not read')
    return this.#unreadable.readLater(connector.id, payload.length, isGone, read)
  }

  #translate(connector: Receiving, message: ForeignMessage): Promise<Read> | Read {
    const done = (translation: Translation): Read => {
      if (isUnreadable(translation)) this.#unreadable.note(connector.id, message.text.length)
      return { message, translation }
    }
    const translation = translate(this.#ctx.scripts, connector.reading, message)
    return translation instanceof Promise ? translation.then(done) : done(translation)
  }

  #admit(connector: Receiving, isGone: () => boolean): Promise<void> | undefined {
    const room = () => (this.#ingest.hasRoom(connector) ? undefined : this.#ingest.room(connector))
    const passing = this.#limiter.pass(connector, isGone, (reached) =>
      this.#noteLimit(connector.id, reached, 'connections are not read until there is room again'),
    )
    return passing === undefined ? room() : passing.then(room)
  }

  #noteLimit(connectorId: number, { limit, value }: Reached, consequence: string): void {
    const of = limit === 'connector.messagesPerSecond' ? 'connector' : 'account'
    const message = `More than ${value} messages a second, the limit of the ${of}: ${consequence}`
    this.#journal.log(connectorId, { level: 'warning', event: 'limit-reached', message })
  }

  /** Stores a message that cannot be parsed, with the reason. */
  async refuse(connector: Receiving, refused: RefusedPart, message: ForeignMessage): Promise<void> {
    this.#unreadable.note(connector.id, message.text.length)
    await this.#refuse(connector, refused, originOf(connector, message, 'message'), this.#ctx.clock.now())
  }

  /**
   * Records a message whose body was too large to accept. Every one is counted; of identical ones, one a
   * minute becomes a dead letter without a body. Never rejects.
   */
  async refuseUnread(connector: Receiving, code: ErrorCode, message: string): Promise<void> {
    this.countRefusal(connector.id, code)
    if (!this.#journal.log(connector.id, { level: 'warning', event: 'too-large', message })) return
    const origin: MessageOrigin = { stage: 'message', preset: connector.reading.preset, cut: true }
    const { id, accountId } = connector
    const receivedAt = this.#ctx.clock.now()
    try {
      await this.#ingest.keep(
        { connector: { id, accountId }, raw: '', receivedAt, origin },
        { code, message },
      )
    } catch (error) {
      // It is counted and in the status log, and the sender was refused in any case.
      this.#ctx.log.warn({ err: error, connector: id }, 'a message that was too large left no dead letter')
    }
  }

  /** Counts messages that are refused without being stored, e.g. above a rate limit. */
  countRefusal(connectorId: number, code: ErrorCode): void {
    this.#ingest.countRefusal(code)
    this.#journal.refused(connectorId, code)
  }

  async #store(
    connector: Receiving,
    { message, translation: { packets, refused, event } }: Read,
    receivedAt: Date,
  ): Promise<Report> {
    const [only] = packets
    if (only !== undefined && packets.length === 1 && refused.length === 0) {
      const origin = originOf(connector, message, 'message')
      const { accepted, duplicates, rejected } = await this.#submit(
        connector,
        only,
        origin,
        message,
        receivedAt,
      )
      return { accepted, duplicates, rejected, event: null }
    }
    this.#limiter.charge(connector, packets.length + refused.length - 1)
    const report: Report = { accepted: 0, duplicates: 0, rejected: [], event: event?.name ?? null }
    if (event) {
      if (event.downlink) await this.#tell(connector, event.downlink)
      this.#journal.traffic(connector.id, {
        identifier: event.identifier,
        deviceId: null,
        raw: message.text,
        decoded: { event: event.name, ...event.detail },
        error: event.failed ? { code: event.name, message: `The network reports ${event.name}` } : null,
        durationUs: 0,
      })
    } else if (packets.length === 0 && refused.length === 0) {
      this.#note(connector.id, null, message.text, { decoded: { dropped: true } })
    }
    for (const window of windows(packets, receiveLimits.windowMax)) {
      if (window !== packets && !this.#ingest.hasRoom(connector)) await this.#ingest.room(connector)
      const alone = packets.length === 1
      const origin = originOf(connector, message, alone ? 'message' : 'packet')
      const stored = window.map((keyed) => this.#submit(connector, keyed, origin, message, receivedAt))
      for (const outcome of await settled(stored)) add(report, outcome)
    }
    for (const window of windows(refused, receiveLimits.refusalsAtOnce)) {
      const origin = (part: RefusedPart) =>
        originOf(connector, message, part.isCut || part.raw === message.text ? 'message' : 'packet')
      await settled(window.map((part) => this.#refuse(connector, part, origin(part), receivedAt)))
      report.rejected.push(
        ...window.map(({ identifier, code, message: why }) => ({ identifier, code, message: why })),
      )
    }
    return report
  }

  /**
   * Reports the status to downlink users even across restarts: the event is committed before the sender gets
   * a response.
   */
  async #tell({ id, accountId }: Receiving, { names, what, detail }: DownlinkReport): Promise<void> {
    const reported = downlinkReported.event(accountId, {
      connectorId: id,
      names,
      what,
      detail: detail.slice(0, receiveLimits.detailCharsMax),
      at: this.#ctx.clock.now().toISOString(),
    })
    await this.#ctx.db.transaction().execute((tx) => this.#ctx.events.append(tx, reported))
  }

  /**
   * Submits each packet separately, so that a dead letter contains only this packet and not a thousand
   * others.
   */
  async #submit(
    connector: Receiving,
    { packet, dedupKey }: KeyedPacket,
    origin: MessageOrigin,
    message: ForeignMessage,
    receivedAt: Date,
  ): Promise<Outcome> {
    const raw = origin.stage === 'message' ? message.text : JSON.stringify(packet)
    const outcome = await this.#ingest.submit({
      connector: { id: connector.id, accountId: connector.accountId },
      packets: [packet],
      raw,
      receivedAt,
      dedupKeys: [dedupKey],
      origin,
    })
    if (!outcome.isQueued) this.#noteOutcome(connector.id, packet, raw, outcome)
    return outcome
  }

  /** Records what became of a message that waited in the stream of packets. */
  noteStored({ connector, packets, raw }: InboundMessage, outcome: Outcome): void {
    const [packet] = packets
    if (packet !== undefined) this.#noteOutcome(connector.id, packet, raw, outcome)
  }

  async #refuse(
    connector: Receiving,
    part: RefusedPart,
    origin: MessageOrigin,
    receivedAt: Date,
  ): Promise<void> {
    const { code, message, identifier, raw, isCut } = part
    const known = isCut ? { ...origin, cut: true as const } : origin
    await this.#ingest.refuse(
      { connector: { id: connector.id, accountId: connector.accountId }, raw, receivedAt, origin: known },
      { code, message },
    )
    this.#journal.refused(connector.id, code)
    this.#note(connector.id, identifier, raw, { error: { code, message } })
  }

  #noteOutcome(connectorId: number, packet: StandardPacket, raw: string, outcome: Outcome): void {
    const identifier = 'identifier' in packet ? packet.identifier : routeOf(packet.routing)
    const [decoded] = outcome.decoded
    const [rejected] = outcome.rejected
    for (const { code } of outcome.rejected) this.#journal.refused(connectorId, code)
    if (decoded?.error) this.#journal.refused(connectorId, decoded.error.code)
    const error = decoded?.error ?? (rejected ? { code: rejected.code, message: rejected.message } : null)
    const routed = 'routing' in packet ? { [packet.variable]: packet.data.value } : null
    this.#note(connectorId, identifier, raw, {
      deviceId: decoded?.deviceId ?? null,
      decoded: outcome.duplicates > 0 ? { duplicate: true } : (decoded?.variables ?? routed),
      error,
      durationUs: outcome.durationUs,
    })
  }

  #note(
    connectorId: number,
    identifier: string | null,
    raw: string,
    result: {
      deviceId?: number | null
      decoded?: JsonValue
      error?: { code: string; message: string } | null
      durationUs?: number
    },
  ): void {
    this.#journal.traffic(connectorId, {
      identifier,
      deviceId: result.deviceId ?? null,
      raw,
      decoded: result.decoded ?? null,
      error: result.error ?? null,
      durationUs: result.durationUs ?? 0,
    })
  }
}

/** Whether nothing of a message could be read, or too much to be kept. */
function isUnreadable({ packets, refused }: Translation): boolean {
  return (refused.length > 0 && packets.length === 0) || refused.some(({ isCut }) => isCut)
}

function originOf(
  { reading: { preset } }: Receiving,
  { topic, query }: ForeignMessage,
  stage: MessageOrigin['stage'],
): MessageOrigin {
  const origin: MessageOrigin = topic === undefined ? { stage, preset } : { stage, preset, topic }
  for (const _ in query) return { ...origin, query }
  return origin
}

function routeOf(routing: Readonly<Record<string, string | number>>): string {
  return Object.entries(routing)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ')
}

function add(report: Report, outcome: Outcome): void {
  report.accepted += outcome.accepted
  report.duplicates += outcome.duplicates
  report.rejected.push(
    ...outcome.rejected.map(({ identifier, code, message }) => ({ identifier, code, message })),
  )
}

function* windows<T>(items: readonly T[], size: number): Iterable<readonly T[]> {
  if (items.length > 0 && items.length <= size) yield items
  else for (let at = 0; at < items.length; at += size) yield items.slice(at, at + size)
}

/**
 * All results, or the first error once every promise has settled, so that no work continues after the
 * response.
 */
async function settled<T>(promises: readonly Promise<T>[]): Promise<T[]> {
  const ended = await Promise.allSettled(promises)
  return ended.map((result) => {
    if (result.status === 'rejected') throw result.reason
    return result.value
  })
}
