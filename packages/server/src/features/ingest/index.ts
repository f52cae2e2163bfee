import type { ErrorCode } from '@leitstand/contract/errors'
import pg from 'pg'
import { Batcher, BatcherFull } from '../../platform/batcher.ts'
import type { Context } from '../../platform/context.ts'
import { AppError } from '../../platform/errors.ts'
import type { SeriesFeature } from '../series/index.ts'
import { Directory } from './directory.ts'
import { clean, Outdated, processBatch } from './pipeline.ts'
import { insertDeadLetters, rollPacketKeys, trimDeadLetters } from './store.ts'
import { type InboundMessage, ingestLimits, type Outcome } from './types.ts'

export {
  type DecodedPacket,
  type InboundMessage,
  ingestLimits,
  type Outcome,
  type Rejection,
} from './types.ts'

export type IngestFeature = ReturnType<typeof register>

const attemptsMax = 3
const tidyMs = 60_000
const dayMs = 86_400_000

/**
 * The way of an uplink: connectors hand in messages, and get an answer when what they carry is committed.
 * Messages are stored in batches: while one is being stored, the next one fills.
 */
export function register(ctx: Context, features: { series: SeriesFeature }) {
  const directory = new Directory(ctx)
  const tools = { ctx, series: features.series, directory }
  const days = new Set<string>()
  const batches = new Batcher<InboundMessage, Outcome>(ingestLimits, storeBatch)
  const received = ctx.metrics.counter('packets_total', 'Packets by what became of them', ['result'])
  const refused = ctx.metrics.counter('packets_refused_total', 'Packets kept as dead letters', ['reason'])
  ctx.metrics.gauge('ingest_waiting', 'Messages waiting to be stored', () => batches.waiting)

  async function storeBatch(messages: InboundMessage[]): Promise<Outcome[]> {
    const now = ctx.clock.now()
    await prepareDay(now)
    const outcomes: Outcome[] = []
    for (const part of partsOf(messages)) outcomes.push(...(await storeWithCare(part, now)))
    for (const outcome of outcomes) {
      received.inc({ result: 'accepted' }, outcome.accepted)
      received.inc({ result: 'duplicate' }, outcome.duplicates)
      for (const { code } of outcome.rejected) refused.inc({ reason: code })
    }
    return outcomes
  }

  /** Looks up again what was outdated, and separates a message the database cannot take from the others. */
  async function storeWithCare(messages: InboundMessage[], now: Date, attempt = 1): Promise<Outcome[]> {
    try {
      return await processBatch(tools, messages, now)
    } catch (error) {
      if (isOutdated(error) && attempt < attemptsMax) {
        await ctx.configChanges.settle()
        directory.clear()
        features.series.catalog.clear()
        return storeWithCare(messages, now, attempt + 1)
      }
      if (!isDataError(error)) throw error
      const [only] = messages
      if (messages.length === 1 && only !== undefined) return [await keepUnstorable(only, error)]
      const middle = messages.length >> 1
      return [
        ...(await storeWithCare(messages.slice(0, middle), now)),
        ...(await storeWithCare(messages.slice(middle), now)),
      ]
    }
  }

  async function keepUnstorable(message: InboundMessage, error: pg.DatabaseError): Promise<Outcome> {
    ctx.log.warn(
      { err: error, connectorId: message.connector.id },
      'the database cannot hold a message; it is kept aside',
    )
    await keep(message, { code: 'PACKET_INVALID', message: `cannot be stored: ${error.message}` })
    const rejected = [{ identifier: null, code: 'PACKET_INVALID' as const, message: error.message }]
    return { accepted: 0, duplicates: 0, rejected, decoded: [], durationUs: 0 }
  }

  async function keep(
    message: Omit<InboundMessage, 'packets'>,
    error: { code: ErrorCode; message: string },
  ): Promise<void> {
    await insertDeadLetters(ctx.db, [
      {
        receivedAt: message.receivedAt,
        accountId: message.connector.accountId,
        connectorId: message.connector.id,
        deviceId: null,
        identifier: null,
        reason: error.code,
        detail: clean(error.message),
        body: clean(message.raw.slice(0, ingestLimits.rawCharsMax)),
      },
    ])
  }

  async function prepareDay(now: Date): Promise<void> {
    const day = dayOf(now)
    if (days.has(day)) return
    await rollPacketKeys(ctx.db, [day, dayOf(now, 1)], dayOf(now, -1))
    days.clear()
    days.add(day)
  }

  ctx.live.topic('packets', {
    authorise: async (caller, id) => id !== null && features.series.mayFollow(caller, id),
  })

  let tidying: Promise<void> | undefined
  const timer = setInterval(() => {
    tidying ??= trimDeadLetters(ctx.db, ingestLimits.deadLettersMax)
      .catch((error: unknown) => ctx.log.warn({ err: error }, 'old dead letters could not be deleted'))
      .finally(() => {
        tidying = undefined
      })
  }, tidyMs)

  return {
    /**
     * Resolves when every packet of the message is stored, or kept as a dead letter: committed.
     * @throws AppError OVERLOADED when the queue is full or the database cannot be reached; nothing was stored then
     */
    async submit(message: InboundMessage): Promise<Outcome> {
      try {
        return await batches.push(message)
      } catch (error) {
        if (error instanceof AppError) throw error
        if (!(error instanceof BatcherFull)) ctx.log.error({ err: error }, 'a batch could not be stored')
        throw new AppError('OVERLOADED', { retryAfterSeconds: 1 })
      }
    },
    /** Keeps a message that could not even be turned into packets; committed when it resolves. */
    async refuse(
      message: Omit<InboundMessage, 'packets'>,
      error: { code: ErrorCode; message: string },
    ): Promise<void> {
      await keep(message, error)
      refused.inc({ reason: error.code })
    },
    /** Whether sources may hand in more; when false they stop reading. */
    hasRoom: (): boolean => batches.hasRoom,
    /** Resolves when there is room again. */
    room: (): Promise<void> => batches.room(),
    /** Resolves when nothing waits any more. */
    drain: (): Promise<void> => batches.drain(),
    /** Deletes dead letters beyond the bound now; runs every minute by itself. */
    trim: (): Promise<void> => trimDeadLetters(ctx.db, ingestLimits.deadLettersMax),
    async [Symbol.asyncDispose](): Promise<void> {
      clearInterval(timer)
      await batches.drain()
      await tidying
    },
  }
}

/** Cuts a batch so that no transaction has many more than `packetsMax` packets. */
function partsOf(messages: readonly InboundMessage[]): InboundMessage[][] {
  const parts: InboundMessage[][] = []
  let size = Number.POSITIVE_INFINITY
  for (const message of messages) {
    if (size + message.packets.length > ingestLimits.packetsMax) {
      parts.push([])
      size = 0
    }
    parts.at(-1)?.push(message)
    size += message.packets.length
  }
  return parts
}

function dayOf(now: Date, plusDays = 0): string {
  return new Date(now.getTime() + plusDays * dayMs).toISOString().slice(0, 10)
}

/** Foreign keys and unique keys that fail, deadlocks and lost races: the world has moved on, look again. */
function isOutdated(error: unknown): boolean {
  if (error instanceof Outdated) return true
  return error instanceof pg.DatabaseError && ['23503', '23505', '40001', '40P01'].includes(error.code ?? '')
}

/** Class 22: the database cannot represent what it was given, e.g. NUL in a text or a number out of range. */
function isDataError(error: unknown): error is pg.DatabaseError {
  return error instanceof pg.DatabaseError && (error.code?.startsWith('22') ?? false)
}
