import type { ErrorCode } from '@leitstand/contract/errors'
import pg from 'pg'
import type { Context } from '../../platform/context.ts'
import { AppError } from '../../platform/errors.ts'
import { FairQueue, type Place } from '../../platform/fairQueue.ts'
import type { DriversFeature } from '../drivers/index.ts'
import type { JobsFeature } from '../jobs/index.ts'
import type { SeriesFeature } from '../series/index.ts'
import { Ahead } from './ahead.ts'
import { letterMeta } from './deadletters/origin.ts'
import { trimLetters } from './deadletters/store.ts'
import { Directory } from './directory.ts'
import { clean, Outdated, type Prepared, prepareBatch, storeBatch } from './pipeline.ts'
import { redecodeKind } from './redecode/job.ts'
import { redecodeRoutes } from './redecode/routes.ts'
import { insertDeadLetters, rollPacketKeys } from './store.ts'
import { type InboundMessage, ingestLimits, type Outcome } from './types.ts'

export { type Identity, identityOf } from './deadletters/identity.ts'
export type { FailedAgain, LetterFilter, LetterPart, LetterRow } from './deadletters/store.ts'
export * as deadLetters from './deadletters/store.ts'
export {
  type DecodedPacket,
  type InboundMessage,
  ingestLimits,
  type MessageOrigin,
  type Outcome,
  type Rejection,
} from './types.ts'

/** Messages of one transaction; not prepared where that has to be done (again) when they are stored. */
interface Part {
  messages: InboundMessage[]
  now: Date
  prepared: Prepared | undefined
}

export type IngestFeature = ReturnType<typeof register>

const attemptsMax = 4
/** Where a value came a second time, more of them are to be expected: for so many batches. */
const carefulBatches = 100
const tidyMs = 60_000
const dayMs = 86_400_000

/**
 * The way of an uplink: connectors hand in messages, and get an answer when what they carry is committed.
 * Messages are stored in batches: while one is being stored, the next is decoded and the one after fills. Accounts, and
 * the connectors of each, take turns.
 */
export function register(
  ctx: Context,
  features: { series: SeriesFeature; jobs: JobsFeature; drivers: Pick<DriversFeature, 'parsers'> },
) {
  const directory = new Directory(ctx)
  const { parsers } = features.drivers
  const tools = { ctx, parsers, series: features.series, directory }
  const ahead = new Ahead(ctx, parsers, directory)
  const days = new Set<string>()
  /** batches for which values are still expected to be stored already */
  let careful = 0
  const queue = new FairQueue<InboundMessage, Part[], Outcome>(ingestLimits, {
    prepare: (messages) => told(prepareParts(messages)),
    store: (parts) => told(storeParts(parts)),
  })
  const received = ctx.metrics.counter('packets_total', 'Packets by what became of them', ['result'])
  const refused = ctx.metrics.counter('packets_refused_total', 'Messages and packets refused', ['reason'])
  const failed = ctx.metrics.counter('packets_failed_total', 'Packets kept with an error', ['reason'])
  ctx.metrics.gauge('ingest_waiting', 'Messages waiting to be stored', () => queue.waiting)
  ctx.metrics.gauge(
    'ingest_waiting_bytes',
    'Characters of messages waiting to be stored',
    () => queue.waitingBytes,
  )

  /** Says once for a batch why it failed; its senders only hear that they have to come again. */
  async function told<T>(work: Promise<T>): Promise<T> {
    try {
      return await work
    } catch (error) {
      if (!(error instanceof AppError)) ctx.log.error({ err: error }, 'a batch could not be stored')
      throw error
    }
  }

  async function prepareParts(messages: InboundMessage[]): Promise<Part[]> {
    const now = ctx.clock.now()
    await prepareDay(now)
    const parts: Part[] = []
    for (const part of partsOf(messages)) {
      // What fails here fails again when it is stored, with care for each message.
      const prepared = await prepareBatch(tools, part, now).catch((error: unknown) => {
        if (isOutdated(error) || isDataError(error)) return undefined
        throw error
      })
      parts.push({ messages: part, now, prepared })
    }
    return parts
  }

  async function storeParts(parts: Part[]): Promise<Outcome[]> {
    const outcomes: Outcome[] = []
    for (const part of parts) {
      const stored = await storeWithCare(part)
      for (const [index, { rejected }] of stored.entries())
        if (rejected.length > 0) grows(part.messages[index] as InboundMessage)
      outcomes.push(...stored)
    }
    let [accepted, duplicates] = [0, 0]
    for (const outcome of outcomes) {
      accepted += outcome.accepted
      duplicates += outcome.duplicates
      for (const { code } of outcome.rejected) refused.inc({ reason: code })
      for (const { error } of outcome.decoded) if (error !== null) failed.inc({ reason: error.code })
    }
    received.inc({ result: 'accepted' }, accepted)
    received.inc({ result: 'duplicate' }, duplicates)
    return outcomes
  }

  /** Looks up again what was outdated, and separates a message the database cannot take from the others. */
  async function storeWithCare({ messages, now, prepared }: Part, attempt = 1): Promise<Outcome[]> {
    try {
      const batch = prepared ?? (await prepareBatch(tools, messages, now))
      const mode = careful > 0 ? 'careful' : 'usual'
      careful = Math.max(0, careful - 1)
      return await storeBatch(tools, batch, mode)
    } catch (error) {
      if (isOutdated(error) && attempt < attemptsMax) {
        // A second delivery that came in with the batch before is no reason to look everything up again.
        if (violates(error, 'state_values')) careful = carefulBatches
        else if (!violates(error, 'packet_keys')) await forget()
        return storeWithCare({ messages, now, prepared: undefined }, attempt + 1)
      }
      if (!isDataError(error)) throw error
      const [only] = messages
      if (messages.length === 1 && only !== undefined) return [await keepUnstorable(only, error)]
      const middle = messages.length >> 1
      return [
        ...(await storeWithCare({ messages: messages.slice(0, middle), now, prepared: undefined })),
        ...(await storeWithCare({ messages: messages.slice(middle), now, prepared: undefined })),
      ]
    }
  }

  async function forget(): Promise<void> {
    await ctx.configChanges.settle()
    directory.clear()
    features.series.catalog.clear()
  }

  async function keepUnstorable(message: InboundMessage, error: pg.DatabaseError): Promise<Outcome> {
    ctx.log.warn(
      { err: error, connectorId: message.connector.id },
      'the database cannot hold a message; it is kept aside',
    )
    const why = { code: 'PACKET_INVALID' as const, message: `cannot be stored: ${error.message}` }
    if (!message.isReplay) await keep(message, why)
    const rejected = message.packets.map((_packet, index) => ({ identifier: null, ...why, index }))
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
        meta: letterMeta(message, message.raw),
      },
    ])
    grows(message)
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

  /** connectors that got dead letters since the last trim; before the first one it may be any */
  let growing: Set<number> | 'any' = 'any'
  async function trim(): Promise<void> {
    const concerned = growing
    growing = new Set()
    if (concerned !== 'any' && concerned.size === 0) return
    const keep = { letters: ingestLimits.deadLettersMax, bytes: ingestLimits.deadLetterBytesMax }
    try {
      await trimLetters(ctx.db, keep, concerned === 'any' ? undefined : [...concerned])
    } catch (error) {
      growing = 'any'
      throw error
    }
  }
  const grows = ({ connector }: Pick<InboundMessage, 'connector'>): void => {
    if (growing !== 'any') growing.add(connector.id)
  }
  let tidying: Promise<void> | undefined
  const timer = setInterval(() => {
    tidying ??= trim()
      .catch((error: unknown) => ctx.log.warn({ err: error }, 'old dead letters could not be deleted'))
      .finally(() => {
        tidying = undefined
      })
  }, tidyMs)

  features.jobs.define(redecodeKind(tools))

  return {
    routes: { decoding: redecodeRoutes({ ctx, parsers, directory, jobs: features.jobs }) },
    /**
     * Resolves when every packet of the message is stored, or kept as a dead letter: committed.
     * @throws AppError OVERLOADED when the queue is full or the database cannot be reached; nothing was stored then
     */
    async submit(message: InboundMessage): Promise<Outcome> {
      try {
        const ready = ahead.prepare(message)
        const place = { ...placeOf(message.connector), bytes: message.raw.length }
        return await queue.push(place, ready instanceof Promise ? await ready : ready)
      } catch (error) {
        if (error instanceof AppError) throw error
        throw new AppError('OVERLOADED', { retryAfterSeconds: 1 })
      }
    },
    /** Keeps a message as a dead letter without counting it; committed when it resolves. */
    keep,
    /** Keeps a message that could not even be turned into packets; committed when it resolves. */
    async refuse(
      message: Omit<InboundMessage, 'packets'>,
      error: { code: ErrorCode; message: string },
    ): Promise<void> {
      await keep(message, error)
      refused.inc({ reason: error.code })
    },
    /** Counts what was refused without being kept: too large to be read, or more than a limit allows. */
    countRefusal: (code: ErrorCode): void => refused.inc({ reason: code }),
    /** Whether a connector may hand in more; when false its source is not read. */
    hasRoom: (connector: InboundMessage['connector']): boolean => queue.hasRoom(placeOf(connector)),
    /** Resolves when there is room for the connector again. */
    room: (connector: InboundMessage['connector']): Promise<void> => queue.room(placeOf(connector)),
    /** Resolves when nothing waits any more. */
    drain: (): Promise<void> => queue.drain(),
    /** Deletes dead letters beyond the bound now; runs every minute by itself. */
    trim,
    async [Symbol.asyncDispose](): Promise<void> {
      clearInterval(timer)
      await ahead.idle()
      await queue.drain()
      await tidying
    },
  }
}

function placeOf({ id, accountId }: InboundMessage['connector']): Pick<Place, 'group' | 'lane'> {
  return { group: accountId, lane: id }
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

/** Whether a unique key of a partition of this table has failed. */
function violates(error: unknown, table: string): boolean {
  return (
    error instanceof pg.DatabaseError && error.code === '23505' && error.table?.startsWith(table) === true
  )
}

/**
 * Class 22: the database cannot represent what it was given, e.g. a number out of range. Class 54: it is too large or
 * too deep for it.
 */
function isDataError(error: unknown): error is pg.DatabaseError {
  return error instanceof pg.DatabaseError && /^(22|54)/.test(error.code ?? '')
}
