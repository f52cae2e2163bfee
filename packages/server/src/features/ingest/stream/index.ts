import {
  JetStreamApiError,
  type JetStreamManager,
  jetstreamManager,
  type StreamConfig,
} from '@nats-io/jetstream'
import type { Subscription } from '@nats-io/transport-node'
import type { Context } from '../../../platform/context.ts'
import { Cluster, readMark, writeMark } from '../../../platform/nodes/index.ts'
import type { InboundMessage, Outcome } from '../types.ts'
import { isStreamFull, isStreamHalfFull, messagesOf, type StreamState } from './capacity.ts'
import { Door } from './door.ts'
import { partitionCount } from './frame.ts'
import { beginReading, noteAlone, type Position, readPositions, writePositions } from './positions.store.ts'
import { PartitionReader, type ReaderTools, settledMs } from './reader.ts'
import {
  natsCodes,
  openPacketStream,
  packetStream,
  packetSubject,
  type StreamMark,
  wakeSubject,
} from './streams.ts'

/** How often it is read how the stream is divided. */
const measureEveryMs = 5_000

/** How often each node says how far it has come, and looks how full the stream is and whether it is still there. */
const watchEveryMs = 1_000

/** How long an answer of NATS is awaited; a server that does not lead the stream gives none. */
const answerMs = 2_000

/**
 * Looks in a row that must miss the stream before it counts as deleted: a server of NATS that begins or ends may not know its
 * streams, though they are there.
 */
const missesMax = 5

/** Looks in a row that may fail until the door closes: NATS might remove what waits unseen. With much in the stream none may. */
const failedLooksMax = 3

/**
 * Messages of the stream that are read again when another server has come to lead it, besides those of the last seconds. Servers of NATS may
 * have numbered the same messages differently: what was not read yet would have a number that was read already. Differences
 * of less than ten were seen (2.9).
 */
const againMessages = 1_000

/** For so long a server may answer without knowing that it no longer leads the stream: then they are read again once more. */
const againMs = 15_000

/** Readers that begin so soon after another server has come to lead it begin there, too: the one before may not have done it. */
const recentMs = 60_000

const markName = 'packetStream'
const leadName = 'packetStreamLead'

/** The server that leads the stream. */
interface Lead {
  /** when the stream was made */
  stream: string
  /** its name; empty on a server without others */
  leader: string
  /** number after which everything is read again, because it has come to lead it or knew less than before */
  backTo: number
  /** since when, in ms since 1970 */
  at: number
}

/** Of the node that fits the size of the stream. */
const sizeLease = 'packets-size'

/** Messages of a partition in NATS that are not stored yet. */
export interface PartitionLag {
  partition: number
  waiting: number
}

type Own = Omit<ReaderTools, 'jsm' | 'log' | 'settledSeq' | 'safeSeq' | 'noteAlone'>

/** The packets of several nodes: what is received waits in a stream of NATS, and the node that has its partition stores it. */
export class PacketStream implements AsyncDisposable {
  readonly #ctx: Context
  readonly #nodes: Cluster
  readonly #own: Own
  readonly #door: Door
  readonly #readers = new Map<number, PartitionReader>()
  /** what tells them that there is something new */
  readonly #wakes = new Map<number, Subscription>()
  /** positions of this node's partitions as they were written last */
  readonly #written = new Map<number, number>()
  /** positions of all partitions as they were read last */
  #positions: ReadonlyMap<number, number> = new Map()
  /** the last message of the stream when it was looked at, newest last */
  #seen: { at: number; seq: number }[] = []
  /** what is before the oldest message of the stream */
  #start = 0
  /** how much of the stream belongs to each partition, 0 to 1 */
  #shares: ReadonlyMap<number, number> = new Map()
  #timers: NodeJS.Timeout[] = []
  #createdAt = ''
  /** null: not known yet */
  #lead: Lead | null = null
  /** whether it is kept in the database, for nodes that start later */
  #isLeadNoted = true
  /** when to go back once more */
  #againAt = Number.POSITIVE_INFINITY
  #misses = 0
  #failedLooks = 0
  #isHalfFull = false
  #isGone = false
  #jsm: JetStreamManager | undefined

  constructor(ctx: Context, nodes: Cluster, own: Own) {
    this.#ctx = ctx
    this.#nodes = nodes
    this.#own = own
    this.#door = new Door(nodes.nc, ctx.log, own.setAside)
  }

  get door(): Door {
    return this.#door
  }

  /** Messages waiting in partitions of this node; of those that were not read yet, about as many as seen a second ago. */
  get lag(): readonly PartitionLag[] {
    const last = this.#seen.at(-1)?.seq ?? 0
    return [...this.#readers]
      .map(([partition, { underWay, behindFrom }]) => {
        const unread = behindFrom === null ? 0 : Math.max(0, last - Math.max(behindFrom, this.#start))
        return { partition, waiting: underWay + Math.round(unread * (this.#shares.get(partition) ?? 0)) }
      })
      .sort((one, other) => one.partition - other.partition)
  }

  put(message: InboundMessage): Promise<Outcome> {
    return this.#door.put(message)
  }

  async start(): Promise<void> {
    const { config, db, log } = this.#ctx
    const { nc } = this.#nodes
    const jsm = await jetstreamManager(nc, { timeout: answerMs })
    this.#jsm = jsm
    const known = config.isPacketStreamNew ? null : await readMark<StreamMark>(db, markName)
    const mark = await openPacketStream(nc, jsm, config.packetStreamBytes, known)
    this.#createdAt = mark.createdAt
    await writeMark(db, markName, mark)
    const lead = await readMark<Lead>(db, leadName)
    if (lead?.stream === mark.createdAt) this.#lead = lead
    // Else everything in the stream would count as waiting at first.
    this.#positions = await readPositions(db, mark.createdAt)
    nc.subscribe(`$JS.EVENT.ADVISORY.STREAM.DELETED.${packetStream}`, {
      callback: () => {
        this.#misses = missesMax - 1
      },
    })
    const tools: ReaderTools = {
      ...this.#own,
      jsm,
      log,
      settledSeq: () => this.#settledSeq(),
      safeSeq: () => this.#safeSeq(),
      noteAlone: (partition, place) => noteAlone(db, partition, place),
    }
    for (let partition = 0; partition < partitionCount; partition++) this.#share(tools, partition)
    this.#nodes.share({ key: sizeLease, role: 'ingest', start: async () => {}, stop: async () => {} })
    const every = (ms: number, work: () => Promise<unknown>, problem: string) => {
      let isBusy = false
      const turn = async () => {
        if (isBusy) return
        isBusy = true
        await work().catch((error: unknown) => log.warn({ err: error }, problem))
        isBusy = false
      }
      return setInterval(() => void turn(), ms)
    }
    this.#timers = [
      every(watchEveryMs, () => this.#watch(), 'the stream of packets could not be looked at'),
      every(measureEveryMs, () => this.#measure(), 'the stream of packets could not be measured'),
    ]
  }

  /** Says how far this node has come, closes the door while the stream is full, and tells when somebody has deleted it. */
  async #watch(): Promise<void> {
    const jsm = this.#jsm
    if (jsm === undefined) return
    const looked = await Promise.allSettled([this.#look(jsm), this.#exchangePositions()])
    for (const one of looked) if (one.status === 'rejected') throw one.reason
  }

  async #look(jsm: JetStreamManager): Promise<void> {
    const at = performance.now()
    try {
      const { state, created, config, cluster } = await jsm.streams.info(packetStream)
      this.#misses = 0
      this.#failedLooks = 0
      this.#start = state.first_seq - 1
      this.#setGone(created !== this.#createdAt)
      const bytesMax = this.#ctx.config.packetStreamBytes
      const committed = this.#committed(state.first_seq - 1)
      const isFull = isStreamFull(bytesMax, state, config.max_msgs, committed)
      this.#isHalfFull = isStreamHalfFull(state, config.max_msgs, committed)
      this.#door.setClosed(this.#isGone ? 'gone' : isFull ? 'full' : null)
      if (!this.#isGone) this.#noteLead(cluster?.leader ?? '', state.last_seq)
      this.#seen.push({ at, seq: state.last_seq })
      const settled = this.#seen.findLastIndex((seen) => seen.at <= at - settledMs)
      if (settled > 0) this.#seen.splice(0, settled)
    } catch (error) {
      this.#failedLooks++
      if (this.#isHalfFull || this.#failedLooks >= failedLooksMax) this.#door.setClosed('unknown')
      if (!(error instanceof JetStreamApiError && error.code === natsCodes.streamNotFound)) throw error
      this.#misses++
      if (this.#misses < missesMax) return
      this.#setGone(true)
      this.#door.setClosed('gone')
    }
  }

  /** What was seen of another server says nothing of which numbers this one has given. */
  #noteLead(leader: string, lastSeq: number): void {
    const { clock, log } = this.#ctx
    const known = this.#lead
    const before = this.#seen.at(-1)?.seq ?? Math.max(0, ...this.#positions.values())
    if (known?.leader === leader && lastSeq >= before) {
      if (performance.now() >= this.#againAt) this.#goBack(known)
      return
    }
    const backTo = Math.min(this.#safeSeq(), Math.max(0, lastSeq - againMessages))
    this.#lead = { stream: this.#createdAt, leader, backTo, at: clock.now().getTime() }
    this.#isLeadNoted = false
    this.#seen = []
    if (known === null && lastSeq >= before) return
    this.#goBack(this.#lead)
    this.#againAt = performance.now() + againMs
    log.warn(
      { leader, after: backTo },
      'messages of the stream of packets may have other numbers now: the last ones are read again',
    )
  }

  /** Infinite before the first look, which tells whether another server leads the stream since the node has ended. */
  #safeSeq(): number {
    const [oldest, newest] = [this.#seen[0], this.#seen.at(-1)]
    if (oldest === undefined || newest === undefined) return Number.POSITIVE_INFINITY
    return Math.max(0, Math.min(oldest.seq, newest.seq - againMessages))
  }

  /** Number after which a reader begins at the latest, wherever the one before has ended. */
  #beginningMax(): number {
    const lead = this.#lead
    const isRecent = lead !== null && this.#ctx.clock.now().getTime() - lead.at < recentMs
    return Math.min(
      isRecent ? lead.backTo : Number.POSITIVE_INFINITY,
      this.#seen.at(-1)?.seq ?? Number.POSITIVE_INFINITY,
    )
  }

  #goBack({ backTo }: Lead): void {
    this.#againAt = Number.POSITIVE_INFINITY
    for (const reader of this.#readers.values()) if (!reader.isCareful) reader.goBack(backTo)
  }

  #settledSeq(): number {
    const [oldest] = this.#seen
    return oldest !== undefined && oldest.at <= performance.now() - settledMs ? oldest.seq : 0
  }

  /** Number of a message up to which all partitions are committed. @param start number before which there is nothing */
  #committed(start: number): number {
    let committed = Number.POSITIVE_INFINITY
    for (let partition = 0; partition < partitionCount; partition++)
      committed = Math.min(committed, this.#positions.get(partition) ?? start)
    return Math.max(start, committed)
  }

  /** Writes how far this node's partitions are, and reads how far all are. */
  async #exchangePositions(): Promise<void> {
    const { db } = this.#ctx
    // Of one that stores message after message only the end is told: else what it has noted would be forgotten on the way.
    const changed = new Map<number, Position>(
      [...this.#readers]
        .filter(
          ([partition, { position, isCareful }]) => !isCareful && this.#written.get(partition) !== position,
        )
        .map(([partition, { position, underWay }]) => [partition, { seq: position, isIdle: underWay === 0 }]),
    )
    if (changed.size > 0) {
      await writePositions(db, this.#createdAt, changed)
      for (const [partition, { seq }] of changed) this.#written.set(partition, seq)
    }
    this.#positions = await readPositions(db, this.#createdAt)
    const lead = this.#lead
    if (lead === null || this.#isLeadNoted) return
    await writeMark(db, leadName, lead)
    this.#isLeadNoted = this.#lead === lead
  }

  /** Reads how the messages are divided among partitions, and fits the size of the stream. */
  async #measure(): Promise<void> {
    const jsm = this.#jsm
    if (jsm === undefined) return
    const { state, config } = await jsm.streams.info(packetStream, { subjects_filter: packetSubject('*') })
    const shareOf = (partition: number) =>
      (state.subjects?.[packetSubject(partition)] ?? 0) / Math.max(1, state.messages)
    this.#shares = new Map(
      Array.from({ length: partitionCount }, (_, partition) => [partition, shareOf(partition)]),
    )
    if (this.#nodes.holds(sizeLease) && !this.#isGone) await this.#fit(jsm, config, state)
  }

  async #fit(jsm: JetStreamManager, config: StreamConfig, state: StreamState): Promise<void> {
    const waiting = state.last_seq - this.#committed(state.first_seq - 1)
    const wanted = messagesOf(this.#ctx.config.packetStreamBytes, state, config.max_msgs, waiting)
    if (wanted !== config.max_msgs) await jsm.streams.update(packetStream, { ...config, max_msgs: wanted })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer)
    await Promise.all([...this.#readers.keys()].map((partition) => this.#stop(partition)))
  }

  #setGone(isGone: boolean): void {
    if (this.#isGone === isGone) return
    this.#isGone = isGone
    if (!isGone) {
      this.#ctx.log.warn(`the stream ${packetStream} of NATS is there again, as it was`)
      this.#nodes.setProblem(null)
      return
    }
    const text = `the stream ${packetStream} of NATS was deleted, and with it the packets that were not stored yet: nothing is received until the nodes are started with NATS_STREAM_NEW=1`
    this.#ctx.log.error(text)
    this.#nodes.setProblem({ code: 'streamGone', text })
  }

  #share(tools: ReaderTools, partition: number): void {
    this.#nodes.share({
      key: `packets.${partition}`,
      role: 'ingest',
      start: async () => {
        const beginning = await beginReading(this.#ctx.db, this.#createdAt, partition)
        const reader = new PartitionReader(tools, partition, beginning)
        this.#readers.set(partition, reader)
        if (!reader.isCareful) reader.goBack(this.#beginningMax())
        // Before its first look, so that nothing comes unnoticed after it.
        const wake = this.#nodes.nc.subscribe(wakeSubject(partition), { callback: () => reader.wake() })
        this.#wakes.set(partition, wake)
        reader.start()
      },
      stop: () => this.#stop(partition),
    })
  }

  /** The next reader begins where this one has stopped. If it cannot be told, it stores some again and recognises them. */
  async #stop(partition: number): Promise<void> {
    const reader = this.#readers.get(partition)
    this.#readers.delete(partition)
    this.#wakes.get(partition)?.unsubscribe()
    this.#wakes.delete(partition)
    this.#written.delete(partition)
    if (reader === undefined) return
    await reader.stop()
    const end: Position = { seq: reader.position, isIdle: true }
    await writePositions(this.#ctx.db, this.#createdAt, new Map([[partition, end]])).catch((error: unknown) =>
      this.#ctx.log.warn({ err: error, partition }, 'how far a partition was stored could not be kept'),
    )
  }
}

/** The stream of packets where there are several nodes; null on a single one. */
export function packetStreamOf(ctx: Context, own: Own): PacketStream | null {
  return ctx.nodes instanceof Cluster ? new PacketStream(ctx, ctx.nodes, own) : null
}
