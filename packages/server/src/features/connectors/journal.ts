import type { ConnectorLogEntry, TrafficEntry } from '@leitstand/contract/bridge'
import type { JsonValue } from '@leitstand/contract/common'
import { LRUCache } from 'lru-cache'
import { upTo } from '../../platform/cache.ts'
import type { Context } from '../../platform/context.ts'
import { addRefusals, insertLogs, readTrafficSeqs, trafficSlots, upsertTraffic } from './store/journal.ts'

export const journalLimits = {
  rawCharsMax: 4096,
  /** maximum length of a packet's decoded JSON; longer values are omitted */
  decodedCharsMax: 16_384,
  logsMax: 100,
  messageCharsMax: 1000,
  flushMs: 1000,
  /** minimum time before the same event of a connector is logged again */
  repeatMs: 60_000,
  remembered: 10_000,
} as const

/** Longer messages are truncated at once: a hundred of them are held for each connector. */
const rawCharsHeldMax = 65_536

export type NewTraffic = Omit<TrafficEntry, 'seq' | 'at'>
export type NewLog = Omit<ConnectorLogEntry, 'id' | 'at'>

/** A packet that is not written yet; most never are, so nothing is computed for them. */
type HeldTraffic = NewTraffic & { seq: number; at: Date }

interface Pages {
  traffic: HeldTraffic[]
  logs: (NewLog & { at: Date })[]
  /** refusals since the last write, by reason; bounded by the number of error codes */
  refusals: Map<string, number>
  seq: number
}

/**
 * Recent activity of connectors for users: the last 100 packets and connection events. Kept in memory and
 * written once a second and on stop, outside of the pipeline; a crash may lose the last second of it, never a
 * packet.
 */
export class Journal implements AsyncDisposable {
  readonly #ctx: Context
  readonly #pages = new Map<number, Pages>()
  readonly #noted = new LRUCache<string, true>({
    ...upTo(journalLimits.remembered),
    ttl: journalLimits.repeatMs,
  })
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> = Promise.resolve()

  constructor(ctx: Context) {
    this.#ctx = ctx
  }

  /** Continues the sequence numbers of an earlier process. */
  async start(): Promise<void> {
    for (const { connectorId, seq } of await readTrafficSeqs(this.#ctx.db)) this.#page(connectorId).seq = seq
    this.#timer = setInterval(() => {
      this.flush().catch((error: unknown) =>
        this.#ctx.log.warn({ err: error }, 'connector logs could not be written; tried again in a second'),
      )
    }, journalLimits.flushMs)
  }

  /** Adds a packet; beyond 100 the oldest is dropped. */
  traffic(connectorId: number, entry: NewTraffic): void {
    const page = this.#page(connectorId)
    page.seq += 1
    page.traffic.push({
      ...entry,
      raw:
        entry.raw.length > rawCharsHeldMax
          ? copied(entry.raw.slice(0, journalLimits.rawCharsMax))
          : entry.raw,
      seq: page.seq,
      at: this.#ctx.clock.now(),
    })
    if (page.traffic.length > trafficSlots) page.traffic.shift()
  }

  /**
   * Adds a connection event. Repeated events, e.g. of clients that reconnect every second, are logged once a
   * minute.
   * @returns whether it was logged
   */
  log(connectorId: number, entry: NewLog): boolean {
    const key = `${connectorId} ${entry.event} ${entry.message}`
    if (this.#noted.has(key)) return false
    this.#noted.set(key, true)
    this.logAlways(connectorId, entry)
    return true
  }

  /** Counts a refusal, whether stored or not. */
  refused(connectorId: number, reason: string): void {
    const { refusals } = this.#page(connectorId)
    refusals.set(reason, (refusals.get(reason) ?? 0) + 1)
  }

  /** Logs a change of state, even if it repeats. */
  logAlways(connectorId: number, entry: NewLog): void {
    const { logs } = this.#page(connectorId)
    const message = entry.message.slice(0, journalLimits.messageCharsMax)
    logs.push({ ...entry, message, at: this.#ctx.clock.now() })
    if (logs.length > journalLimits.logsMax) logs.shift()
  }

  /** Forgets a deleted connector. */
  forget(connectorId: number): void {
    this.#pages.delete(connectorId)
  }

  /** Writes everything recorded so far, one write at a time. Failed writes are retried the next time. */
  flush(): Promise<void> {
    const written = this.#writing.then(() => this.#write())
    this.#writing = written.catch(() => {})
    return written
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer)
    try {
      await this.flush()
    } catch (error) {
      this.#ctx.log.warn({ err: error }, 'the last lines of connector logs could not be written')
    }
  }

  async #write(): Promise<void> {
    for (const [connectorId, page] of this.#pages) {
      const traffic = page.traffic.splice(0)
      const logs = page.logs.splice(0)
      const refusals = new Map(page.refusals)
      page.refusals.clear()
      if (traffic.length === 0 && logs.length === 0 && refusals.size === 0) continue
      try {
        // Nothing is written for a connector that was deleted in the meantime.
        if (this.#ctx.nodes.isCluster && traffic.length > 0) await this.#continue(connectorId, page, traffic)
        await upsertTraffic(this.#ctx.db, connectorId, traffic.map(storable))
        await insertLogs(this.#ctx.db, connectorId, logs, journalLimits.logsMax)
        // Last: refusals that were written are not counted again.
        await addRefusals(this.#ctx.db, connectorId, refusals, this.#ctx.clock.now())
      } catch (error) {
        page.traffic.unshift(...traffic)
        page.traffic.splice(0, page.traffic.length - trafficSlots)
        page.logs.unshift(...logs)
        page.logs.splice(0, page.logs.length - journalLimits.logsMax)
        for (const [reason, count] of refusals)
          page.refusals.set(reason, (page.refusals.get(reason) ?? 0) + count)
        throw error
      }
      if (traffic.length > 0) this.#tell(connectorId, traffic.length)
    }
  }

  /** Other nodes number packets of the same connector: go on after the last one. */
  async #continue(connectorId: number, page: Pages, traffic: readonly HeldTraffic[]): Promise<void> {
    const [last] = await readTrafficSeqs(this.#ctx.db, connectorId)
    const ahead = (last?.seq ?? 0) + 1 - (traffic[0]?.seq ?? 0)
    if (ahead <= 0) return
    for (const entry of [...traffic, ...page.traffic]) entry.seq += ahead
    page.seq += ahead
  }

  #tell(connectorId: number, count: number): void {
    const topic = `connector:${connectorId}` as const
    const timeMs = this.#ctx.clock.now().getTime()
    this.#ctx.live.publish(topic, { kind: 'traffic', topic, connectorId, count, timeMs })
  }

  #page(connectorId: number): Pages {
    let page = this.#pages.get(connectorId)
    if (!page) {
      page = { traffic: [], logs: [], refusals: new Map(), seq: 0 }
      this.#pages.set(connectorId, page)
    }
    return page
  }
}

/** A text of its own: a part of a text would keep all of it in memory. */
function copied(text: string): string {
  return Buffer.from(text, 'utf16le').toString('utf16le')
}

/** Truncated only on write: of thousands of packets a second only the last hundred are written. */
function storable(entry: HeldTraffic): TrafficEntry {
  return {
    ...entry,
    at: entry.at.toISOString(),
    identifier: entry.identifier?.slice(0, journalLimits.rawCharsMax) ?? null,
    raw: entry.raw.slice(0, journalLimits.rawCharsMax),
    decoded: bounded(entry.decoded),
  }
}

function bounded(decoded: JsonValue | null): JsonValue | null {
  if (decoded === null) return null
  return JSON.stringify(decoded).length > journalLimits.decodedCharsMax ? null : decoded
}
