import type { ErrorCode } from '@leitstand/contract/errors'
import { LRUCache } from 'lru-cache'
import { upTo } from '../../platform/cache.ts'
import { Compactor } from '../../platform/compaction/compactor.ts'
import type { Context } from '../../platform/context.ts'
import { AppError } from '../../platform/errors.ts'
import { FairQueue, type FairQueueLimits, type Place } from '../../platform/fairQueue.ts'
import type { DriversFeature } from '../drivers/index.ts'
import type { SeriesFeature } from '../series/index.ts'
import { Batches, keepMessage, type Part } from './batches.ts'
import { compactablePackets } from './days/store.ts'
import { DeviceOrder } from './deviceOrder.ts'
import { Directory } from './directory.ts'
import { Patience, SlowAccounts } from './patience.ts'
import { Prefetch } from './prefetch.ts'
import type { Rejections } from './rejected.ts'
import { hasPacketsSince } from './store.ts'
import { decodeStored, type StoredPacket, type Using } from './stored.ts'
import { packetStreamOf } from './stream/index.ts'
import {
  type InboundMessage,
  ingestLimits,
  type Outcome,
  type Rejection,
  slowLimits,
  slowQueues,
} from './types.ts'

export { Outdated } from './entry.ts'
export { type Identity, identityOf } from './identity.ts'
export { createStates } from './newStates.ts'
export { ingestObjects } from './objects.store.ts'
export type { RejectedMessage, Rejections } from './rejected.ts'
export { type DeviceRecord, type PacketContent, rewritePackets } from './store.ts'
export { type Redecoded, type StoredPacket, Using } from './stored.ts'
export {
  type DecodedPacket,
  type InboundMessage,
  ingestLimits,
  type MessageOrigin,
  type Outcome,
  type Rejection,
} from './types.ts'

/** Messages of the stream that are prepared and not in a queue yet: it does not count them. */
const enteringMax = 1_000
/** Accounts whose separate queue is remembered. */
const accountsAsideMax = 10_000

type Queue = FairQueue<InboundMessage, Part[], Outcome>

export type IngestFeature = ReturnType<typeof register>

/**
 * Uplink processing: connectors submit messages and get the result after the commit. Messages are stored in
 * batches: while one is being stored, the next is decoded and the one after that fills up. The queue is fair
 * between accounts, and between the connectors of an account.
 */
export function register(
  ctx: Context,
  features: {
    series: SeriesFeature
    drivers: Pick<DriversFeature, 'parsers'>
    rejections: Rejections
  },
) {
  const directory = new Directory(ctx)
  const { series, rejections } = features
  const { parsers } = features.drivers
  const tools = { ctx, parsers, series, directory, rejections }
  const prefetch = new Prefetch(ctx, parsers, directory)
  const inOrder = new DeviceOrder()
  const compactor = new Compactor(ctx, compactablePackets)
  // A batch is prepared and stored as a whole, so accounts with slow or crashing scripts use a separate
  // queue.
  const slow = new SlowAccounts((accountId) => ctx.scripts.isTroubled(accountId), slowQueues)
  const isAlone = (accountId: number) => queue.isOnlyFor(accountId)
  const queue: Queue = newQueue(ingestLimits, new Patience(slow, true, isAlone))
  const aside = Array.from({ length: slowQueues }, () =>
    newQueue(slowLimits, new Patience(slow, false, isAlone)),
  )
  const queues = [queue, ...aside]
  const asideOf = (accountId: number) => aside[slow.queueOf(accountId) ?? slow.note(accountId)] as Queue
  /** the separate queue that an account is in or was in last */
  const asideNow = new LRUCache<number, Queue>(upTo(accountsAsideMax))
  // An account changes its queue only when nothing of it can be overtaken. What waits in the shared queue moves with
  // the first of its messages that is late.
  const queueOf = ({ accountId }: InboundMessage['connector']): Queue => {
    const now = asideNow.get(accountId)
    if (now?.holds(accountId)) return now
    if (slow.queueOf(accountId) === undefined || queue.holdsUnprepared(accountId)) return queue
    const chosen = asideOf(accountId)
    asideNow.set(accountId, chosen)
    return chosen
  }
  const received = ctx.metrics.counter('packets_total', 'Packets by what became of them', ['result'])
  const refused = ctx.metrics.counter('packets_refused_total', 'Messages and packets refused', ['reason'])
  const failed = ctx.metrics.counter('packets_failed_total', 'Packets kept with an error', ['reason'])
  ctx.metrics.gauge('ingest_waiting', 'Messages waiting to be stored', () =>
    queues.reduce((sum, each) => sum + each.waiting, 0),
  )
  ctx.metrics.gauge('ingest_waiting_bytes', 'Characters of messages waiting to be stored', () =>
    queues.reduce((sum, each) => sum + each.waitingBytes, 0),
  )

  function newQueue(limits: FairQueueLimits, patience: Patience): Queue {
    const batches = new Batches(tools, patience)
    return new FairQueue(limits, {
      prepare: async (messages) => {
        const { prepared, late } = await logged(batches.prepare(messages))
        if (late.size === 0) return { prepared }
        const elsewhere = [...late].map(([message, accountId]) => {
          const other = asideOf(accountId)
          asideNow.set(message.connector.accountId, other)
          return [message, other] as const
        })
        return { prepared, late: new Map(elsewhere) }
      },
      store: async (parts) => {
        const outcomes = await logged(batches.store(parts))
        compactor.noteActivity()
        count(outcomes)
        return outcomes
      },
    })
  }

  /** Logs the failure of a batch once; its senders only get an error that asks for a retry. */
  async function logged<T>(work: Promise<T>): Promise<T> {
    try {
      return await work
    } catch (error) {
      if (!(error instanceof AppError)) ctx.log.error({ err: error }, 'a batch could not be stored')
      throw error
    }
  }

  async function drain(): Promise<void> {
    await queue.drain()
    await Promise.all(aside.map((each) => each.drain()))
  }

  function count(outcomes: readonly Outcome[]): void {
    let [accepted, duplicates] = [0, 0]
    for (const outcome of outcomes) {
      accepted += outcome.accepted
      duplicates += outcome.duplicates
      for (const { code } of outcome.rejected) refused.inc({ reason: code })
      for (const { error } of outcome.decoded) if (error !== null) failed.inc({ reason: error.code })
    }
    received.inc({ result: 'accepted' }, accepted)
    received.inc({ result: 'duplicate' }, duplicates)
  }

  let entering = 0
  /** @throws whatever prevents the packets from being stored */
  const store = (received: InboundMessage): Promise<Outcome> => {
    const ready = prefetch.prepare(received)
    const place = { ...placeOf(received.connector), bytes: received.raw.length }
    const isLater = ready instanceof Promise
    if (isLater) {
      entering++
      const entered = () => entering--
      ready.then(entered, entered)
    }
    const push = (message: InboundMessage) => {
      return queueOf(message.connector).push(place, message)
    }
    return inOrder.run(received, ready, push)
  }
  let whenStored: (message: InboundMessage, outcome: Outcome) => void = () => {}
  const stream = packetStreamOf(ctx, {
    store: async (message) => whenStored(message, await store(message)),
    hasRoom: ({ connector }) => entering < enteringMax && queueOf(connector).hasRoom(placeOf(connector)),
    room: async ({ connector }) => {
      if (entering >= enteringMax) await prefetch.idle()
      await queueOf(connector).room(placeOf(connector))
    },
    setAside: (message, why) => keepMessage(tools, message, { code: 'PACKET_INVALID', message: why }),
  })

  ctx.nodes.report(
    'packetsWaiting',
    () =>
      stream?.lag.reduce((sum, { waiting }) => sum + waiting, 0) ??
      queues.reduce((sum, each) => sum + each.waiting, 0),
  )
  if (stream !== null)
    ctx.metrics.gaugeBy(
      'packets_waiting',
      'Packets of the partitions of this node that are not stored yet',
      'partition',
      () => stream.lag.map(({ partition, waiting }) => [String(partition), waiting] as const),
    )

  ctx.live.topic('packets', {
    table: 'twins',
    authorise: async (caller, id) => id !== null && series.mayFollow(caller, id),
    changedSince: async (id, sinceMs) => id !== null && hasPacketsSince(ctx.db, id, new Date(sinceMs)),
  })

  return {
    /**
     * Resolves when every packet of the message is committed, as a packet or a dead letter; with several nodes when
     * the stream of packets keeps it.
     * @throws AppError OVERLOADED when the queue is full or the database is unreachable; then nothing was
     *   stored
     */
    async submit(received: InboundMessage): Promise<Outcome> {
      try {
        // A replay wants to know what became of it.
        return await (stream === null || received.isReplay ? store(received) : stream.put(received))
      } catch (error) {
        if (error instanceof AppError) throw error
        throw new AppError('OVERLOADED', { retryAfterSeconds: 1 })
      }
    },
    /** Stores a message as a dead letter without counting it; committed when it resolves. */
    keep: (message: Omit<InboundMessage, 'packets'>, error: Pick<Rejection, 'code' | 'message'>) =>
      keepMessage(tools, message, error),
    /**
     * Stores a message that could not be parsed into packets as a dead letter; committed when it resolves.
     */
    async refuse(
      message: Omit<InboundMessage, 'packets'>,
      error: { code: ErrorCode; message: string },
    ): Promise<void> {
      await keepMessage(tools, message, error)
      refused.inc({ reason: error.code })
    },
    /** Counts messages refused without a dead letter: too large, or beyond a limit. */
    countRefusal: (code: ErrorCode): void => refused.inc({ reason: code }),
    /** Whether a connector may submit more messages; if false, its source is not read. */
    hasRoom: (connector: InboundMessage['connector']): boolean =>
      stream?.door.hasRoom(connector.id) ?? queueOf(connector).hasRoom(placeOf(connector)),
    /** Resolves when the queue has room for the connector. */
    room: (connector: InboundMessage['connector']): Promise<void> =>
      stream?.door.room(connector.id) ?? queueOf(connector).room(placeOf(connector)),
    /** Calls `listener` with what became of a message of the stream, on the node that stored it. */
    onStored: (listener: typeof whenStored): void => {
      whenStored = listener
    },
    /** Messages of this node's partitions that are not stored yet; none on a single node. */
    lag: () => stream?.lag ?? [],
    start: async (): Promise<void> => stream?.start(),
    /** Compacts packets of past days, on one node for all. */
    compaction: {
      start: async (): Promise<void> => compactor.start(),
      [Symbol.asyncDispose]: (): Promise<void> => compactor.stop(),
    },
    /** Compacts all packets that are old enough now; also runs automatically. */
    compact: (): Promise<void> => compactor.settle(),
    /** Forgets known partitions after monthly ones were dropped. */
    forgetMonths: (): void => compactor.forgetMonths(),
    /** Resolves when the queues are empty. */
    drain,
    /** Decodes stored packets again; see `decodeStored`. */
    decodeStored: (packets: readonly StoredPacket[], using: Using) => decodeStored(tools, packets, using),
    /** Forgets the cached devices; they are read again. */
    forgetDevices: (): void => directory.clear(),
    async [Symbol.asyncDispose](): Promise<void> {
      await stream?.[Symbol.asyncDispose]()
      await prefetch.idle()
      await drain()
    },
  }
}

function placeOf({ id, accountId }: InboundMessage['connector']): Pick<Place, 'group' | 'lane'> {
  return { group: accountId, lane: id }
}
