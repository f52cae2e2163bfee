import type { StandardPacket } from '@leitstand/contract/bridge'
import type { JsonValue } from '@leitstand/contract/common'
import type { Context } from '../../platform/context.ts'
import type { Lane } from '../../platform/mqtt/lane.ts'
import type { IngestFeature, Outcome, Rejection } from '../ingest/index.ts'
import type { Journal } from './journal.ts'
import {
  type ForeignMessage,
  type KeyedPacket,
  type Reading,
  type RefusedPart,
  type Translation,
  translate,
} from './presets/index.ts'

export const receiveLimits = {
  /** packets of one message handed to the pipeline at a time */
  windowMax: 500,
  /** parts of one message that are being kept as dead letters at a time */
  refusalsAtOnce: 10,
} as const

/** The part of a connector that receiving needs. */
export interface Receiving {
  readonly id: number
  readonly accountId: number
  readonly reading: Reading
}

/** What became of a message; everything is committed. */
export interface Report {
  accepted: number
  duplicates: number
  rejected: Rejection[]
  /** set when the message was no uplink but told something about the network */
  event: string | null
}

/**
 * The way of a message from any kind of connector into the pipeline: read by the connector's preset or template, handed
 * in, noted in its journal. Resolves when everything is committed.
 */
export class Receiver {
  readonly #ctx: Context
  readonly #ingest: IngestFeature
  readonly #journal: Journal

  constructor(ctx: Context, ingest: IngestFeature, journal: Journal) {
    this.#ctx = ctx
    this.#ingest = ingest
    this.#journal = journal
  }

  /** Whether the pipeline takes more; sources that can be told to come back ask first. */
  hasRoom(): boolean {
    return this.#ingest.hasRoom()
  }

  /**
   * @throws AppError OVERLOADED when the queue is full, the database away or the sandbox busy: send it again
   */
  async receive(connector: Receiving, message: ForeignMessage): Promise<Report> {
    const receivedAt = this.#ctx.clock.now()
    const translation = await translate(this.#ctx.scripts, connector.reading, message)
    return this.#store(connector, message, translation, receivedAt)
  }

  /** Like `receive`, in the order of a sender's messages, and waiting for room: the sender is not read meanwhile. */
  async receiveInOrder(connector: Receiving, message: ForeignMessage, lane: Lane): Promise<Report> {
    const receivedAt = this.#ctx.clock.now()
    return lane.run(
      () => translate(this.#ctx.scripts, connector.reading, message),
      (translation) => this.#store(connector, message, translation, receivedAt),
      async () => {
        if (!this.#ingest.hasRoom()) await this.#ingest.room()
      },
    )
  }

  /** Keeps a message that cannot be read at all, with the reason. */
  async refuse(connector: Receiving, refused: RefusedPart): Promise<void> {
    await this.#refuse(connector, refused, this.#ctx.clock.now())
  }

  async #store(
    connector: Receiving,
    message: ForeignMessage,
    { packets, refused, event }: Translation,
    receivedAt: Date,
  ): Promise<Report> {
    const report: Report = { accepted: 0, duplicates: 0, rejected: [], event: event?.name ?? null }
    if (event) {
      this.#journal.traffic(connector.id, {
        identifier: event.identifier,
        deviceId: null,
        raw: message.text,
        decoded: { event: event.name, ...event.detail },
        error: event.failed ? { code: event.name, message: `The network reports ${event.name}` } : null,
        durationUs: 0,
      })
    } else if (packets.length === 0 && refused.length === 0) {
      this.#note(connector, null, message.text, { decoded: { dropped: true } })
    }
    for (const window of windows(packets, receiveLimits.windowMax)) {
      if (window !== packets && !this.#ingest.hasRoom()) await this.#ingest.room()
      const alone = packets.length === 1
      const stored = window.map((keyed) => this.#submit(connector, keyed, alone, message, receivedAt))
      for (const outcome of await settled(stored)) add(report, outcome)
    }
    for (const window of windows(refused, receiveLimits.refusalsAtOnce)) {
      await settled(window.map((part) => this.#refuse(connector, part, receivedAt)))
      report.rejected.push(
        ...window.map(({ identifier, code, message: why }) => ({ identifier, code, message: why })),
      )
    }
    return report
  }

  /** Each packet goes in by itself, so that a dead letter holds this packet and not the thousand beside it. */
  async #submit(
    connector: Receiving,
    { packet, dedupKey }: KeyedPacket,
    alone: boolean,
    message: ForeignMessage,
    receivedAt: Date,
  ): Promise<Outcome> {
    const raw = alone ? message.text : JSON.stringify(packet)
    const outcome = await this.#ingest.submit({
      connector: { id: connector.id, accountId: connector.accountId },
      packets: [packet],
      raw,
      receivedAt,
      dedupKeys: [dedupKey],
    })
    this.#noteOutcome(connector, packet, raw, outcome)
    return outcome
  }

  async #refuse(connector: Receiving, part: RefusedPart, receivedAt: Date): Promise<void> {
    const { code, message, identifier, raw } = part
    await this.#ingest.refuse(
      { connector: { id: connector.id, accountId: connector.accountId }, raw, receivedAt },
      { code, message },
    )
    this.#note(connector, identifier, raw, { error: { code, message } })
  }

  #noteOutcome(connector: Receiving, packet: StandardPacket, raw: string, outcome: Outcome): void {
    const identifier = 'identifier' in packet ? packet.identifier : routeOf(packet.routing)
    const [decoded] = outcome.decoded
    const [rejected] = outcome.rejected
    const error = decoded?.error ?? (rejected ? { code: rejected.code, message: rejected.message } : null)
    const routed = 'routing' in packet ? { [packet.variable]: packet.data.value } : null
    this.#note(connector, identifier, raw, {
      deviceId: decoded?.deviceId ?? null,
      decoded: outcome.duplicates > 0 ? { duplicate: true } : (decoded?.variables ?? routed),
      error,
      durationUs: outcome.durationUs,
    })
  }

  #note(
    connector: Receiving,
    identifier: string | null,
    raw: string,
    result: {
      deviceId?: number | null
      decoded?: JsonValue
      error?: { code: string; message: string } | null
      durationUs?: number
    },
  ): void {
    this.#journal.traffic(connector.id, {
      identifier,
      deviceId: result.deviceId ?? null,
      raw,
      decoded: result.decoded ?? null,
      error: result.error ?? null,
      durationUs: result.durationUs ?? 0,
    })
  }
}

function routeOf(routing: Readonly<Record<string, string | number>>): string {
  return Object.entries(routing)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ')
}

function add(report: Report, outcome: Outcome): void {
  report.accepted += outcome.accepted
  report.duplicates += outcome.duplicates
  report.rejected.push(...outcome.rejected)
}

function* windows<T>(items: readonly T[], size: number): Iterable<readonly T[]> {
  if (items.length > 0 && items.length <= size) yield items
  else for (let at = 0; at < items.length; at += size) yield items.slice(at, at + size)
}

/** All results, or the first failure, but not before every one has ended: nothing goes on behind an answer. */
async function settled<T>(promises: readonly Promise<T>[]): Promise<T[]> {
  const ended = await Promise.allSettled(promises)
  return ended.map((result) => {
    if (result.status === 'rejected') throw result.reason
    return result.value
  })
}
