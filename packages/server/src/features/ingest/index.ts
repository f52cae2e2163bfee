import type { ErrorCode } from '@leitstand/contract/errors'
import type { Context } from '../../platform/context.ts'
import { AppError } from '../../platform/errors.ts'
import { FairQueue, type FairQueueLimits, type Place } from '../../platform/fairQueue.ts'
import type { DriversFeature } from '../drivers/index.ts'
import type { SeriesFeature } from '../series/index.ts'
import { Batches, keepMessage, type Part } from './batches.ts'
import { Directory } from './directory.ts'
import { Patience, SlowAccounts } from './patience.ts'
import { Prefetch } from './prefetch.ts'
import type { Rejections } from './rejected.ts'
import { decodeStored, type StoredPacket, type Using } from './stored.ts'
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
  // A batch is prepared and stored as a whole, so accounts with slow or crashing scripts use a separate
  // queue.
  const slow = new SlowAccounts((accountId) => ctx.scripts.isTroubled(accountId), slowQueues)
  const queue = newQueue(ingestLimits, new Patience(slow, true))
  const aside = Array.from({ length: slowQueues }, () => newQueue(slowLimits, new Patience(slow, false)))
  const queues = [queue, ...aside]
  const asideOf = (accountId: number) => aside[slow.queueOf(accountId) ?? slow.note(accountId)] as Queue
  const queueOf = ({ accountId }: InboundMessage['connector']) =>
    slow.queueOf(accountId) === undefined ? queue : asideOf(accountId)
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
        const elsewhere = [...late].map(([message, accountId]) => [message, asideOf(accountId)] as const)
        return { prepared, late: new Map(elsewhere) }
      },
      store: async (parts) => {
        const outcomes = await logged(batches.store(parts))
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

  ctx.live.topic('packets', {
    table: 'twins',
    authorise: async (caller, id) => id !== null && series.mayFollow(caller, id),
  })

  return {
    /**
     * Resolves when every packet of the message is committed, as a packet or a dead letter.
     * @throws AppError OVERLOADED when the queue is full or the database is unreachable; then nothing was
     *   stored
     */
    async submit(received: InboundMessage): Promise<Outcome> {
      try {
        const ready = prefetch.prepare(received)
        const place = { ...placeOf(received.connector), bytes: received.raw.length }
        const message = ready instanceof Promise ? await ready : ready
        return await queueOf(message.connector).push(place, message)
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
      queueOf(connector).hasRoom(placeOf(connector)),
    /** Resolves when the queue has room for the connector. */
    room: (connector: InboundMessage['connector']): Promise<void> =>
      queueOf(connector).room(placeOf(connector)),
    /** Resolves when the queues are empty. */
    drain,
    /** Decodes stored packets again; see `decodeStored`. */
    decodeStored: (packets: readonly StoredPacket[], using: Using) => decodeStored(tools, packets, using),
    /** Forgets the cached devices; they are read again. */
    forgetDevices: (): void => directory.clear(),
    async [Symbol.asyncDispose](): Promise<void> {
      await prefetch.idle()
      await drain()
    },
  }
}

function placeOf({ id, accountId }: InboundMessage['connector']): Pick<Place, 'group' | 'lane'> {
  return { group: accountId, lane: id }
}
