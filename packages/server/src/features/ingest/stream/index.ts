import { JetStreamApiError, type JetStreamManager, jetstream, jetstreamManager } from '@nats-io/jetstream'
import type { Context } from '../../../platform/context.ts'
import { Cluster, readMark, writeMark } from '../../../platform/nodes/index.ts'
import type { InboundMessage, Outcome } from '../types.ts'
import { Door } from './door.ts'
import { partitionCount } from './frame.ts'
import { PartitionReader, type ReaderTools } from './reader.ts'
import { consumerName, natsCodes, openPacketStream, packetStream, type StreamMark } from './streams.ts'

/** How often the lag of the partitions is read for the metrics and the page of the nodes. */
const lagEveryMs = 5_000

/** How often each node looks how full the stream is, and whether it is still there. */
const watchEveryMs = 1_000

/** A partition that delivers nothing for so long although messages wait in it is read again. */
const silentMs = 5_000

const markName = 'packetStream'

/** Messages of a partition in NATS that are not stored yet. */
export interface PartitionLag {
  partition: number
  waiting: number
}

type Own = Omit<ReaderTools, 'js' | 'jsm' | 'log'> & {
  /** Keeps a message that NATS would not take, with the reason. */
  setAside(message: InboundMessage, why: string): Promise<void>
}

/** The packets of several nodes: what is received waits in a stream of NATS, and the node that has its partition stores it. */
export class PacketStream implements AsyncDisposable {
  readonly #ctx: Context
  readonly #nodes: Cluster
  readonly #own: Own
  readonly #door: Door
  readonly #readers = new Map<number, PartitionReader>()
  #lag: readonly PartitionLag[] = []
  #timers: NodeJS.Timeout[] = []
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

  /** Messages waiting in partitions of this node, as of some seconds ago. */
  get lag(): readonly PartitionLag[] {
    return this.#lag
  }

  put(message: InboundMessage): Promise<Outcome> {
    return this.#door.put(message)
  }

  async start(): Promise<void> {
    const { config, db, log } = this.#ctx
    const { nc } = this.#nodes
    const jsm = await jetstreamManager(nc)
    this.#jsm = jsm
    const known = config.isPacketStreamNew ? null : await readMark<StreamMark>(db, markName)
    await writeMark(db, markName, await openPacketStream(nc, jsm, config.packetStreamBytes, known))
    nc.subscribe(`$JS.EVENT.ADVISORY.STREAM.DELETED.${packetStream}`, { callback: () => this.#noteGone() })
    const tools: ReaderTools = { ...this.#own, js: jetstream(nc), jsm, log }
    for (let partition = 0; partition < partitionCount; partition++) this.#share(tools, partition)
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
      every(lagEveryMs, () => this.readLag(), 'the lag of packets could not be read'),
    ]
  }

  /** Closes the door while the stream is full, and tells when somebody has deleted it. */
  async #watch(): Promise<void> {
    const jsm = this.#jsm
    if (jsm === undefined || this.#isGone) return
    try {
      const { state } = await jsm.streams.info(packetStream)
      this.#door.setFull(state.bytes >= this.#ctx.config.packetStreamBytes)
    } catch (error) {
      if (!(error instanceof JetStreamApiError && error.code === natsCodes.streamNotFound)) throw error
      this.#noteGone()
    }
  }

  /** Reads how many messages of this node's partitions are not stored yet. */
  async readLag(): Promise<readonly PartitionLag[]> {
    const jsm = this.#jsm
    if (jsm === undefined) return []
    const found: PartitionLag[] = []
    for await (const info of jsm.consumers.list(packetStream)) {
      const partition = [...this.#readers.keys()].find((each) => consumerName(each) === info.name)
      if (partition !== undefined) found.push({ partition, waiting: info.num_pending + info.num_ack_pending })
    }
    this.#wake(found)
    this.#lag = found.sort((a, b) => a.partition - b.partition)
    return this.#lag
  }

  /**
   * When a server of NATS dies, acknowledgements on their way to it are lost: their messages count as under way until
   * nothing more is delivered. So may a consumer be.
   */
  #wake(found: readonly PartitionLag[]): void {
    const waiting = new Map(found.map((lag) => [lag.partition, lag.waiting]))
    for (const [partition, reader] of this.#readers) {
      if (waiting.get(partition) === 0 || !reader.isSilentFor(silentMs)) continue
      this.#ctx.log.warn(
        { partition, waiting: waiting.get(partition) ?? null },
        'packets wait in a partition and none is delivered; it is read again',
      )
      reader.again()
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer)
    const readers = [...this.#readers.values()]
    this.#readers.clear()
    await Promise.all(readers.map((reader) => reader.stop()))
  }

  #noteGone(): void {
    if (this.#isGone) return
    this.#isGone = true
    const text = `the stream ${packetStream} of NATS was deleted, and with it the packets that were not stored yet: nothing is received until the nodes are started with NATS_STREAM_NEW=1`
    this.#ctx.log.error(text)
    this.#nodes.setProblem({ code: 'streamGone', text })
  }

  #share(tools: ReaderTools, partition: number): void {
    this.#nodes.share({
      key: `packets.${partition}`,
      role: 'ingest',
      start: async () => {
        const reader = new PartitionReader(tools, partition)
        this.#readers.set(partition, reader)
        reader.start()
      },
      stop: async () => {
        const reader = this.#readers.get(partition)
        this.#readers.delete(partition)
        await reader?.stop()
      },
    })
  }
}

/** The stream of packets where there are several nodes; null on a single one. */
export function packetStreamOf(ctx: Context, own: Own): PacketStream | null {
  return ctx.nodes instanceof Cluster ? new PacketStream(ctx, ctx.nodes, own) : null
}
