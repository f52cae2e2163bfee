import type { ErrorCode } from '@leitstand/contract/errors'
import pg from 'pg'
import { isPassing } from '../../platform/db/passing.ts'
import { AppError, messageOf } from '../../platform/errors.ts'
import { Outdated } from './entry.ts'
import { keyDay, rollPacketKeys } from './keys.store.ts'
import type { Patience } from './patience.ts'
import { type Known, LateMessages, type Prepared, prepareBatch, storeBatch, type Tools } from './pipeline.ts'
import { rejectedMessage } from './rejected.ts'
import { readPresent } from './store.ts'
import { type InboundMessage, ingestLimits, type Outcome } from './types.ts'

/**
 * Messages of one transaction; `prepared` is undefined if they must be prepared (again) when they are stored.
 */
export interface Part {
  messages: InboundMessage[]
  now: Date
  prepared: Prepared | undefined
}

const attemptsMax = 4
/** Batches stored in careful mode after a value was found to be stored already. */
const carefulBatches = 100

/**
 * Runs batches of the queue through the pipeline. Repeats outdated batches, and separates messages the
 * database cannot store from the others.
 */
export class Batches {
  readonly #tools: Tools
  readonly #patience: Patience
  /** days that have a partition of packet keys */
  readonly #days = new Set<string>()
  /** remaining batches in careful mode */
  #careful = 0

  constructor(tools: Tools, patience: Patience) {
    this.#tools = tools
    this.#patience = patience
  }

  /**
   * Looks up and decodes everything a batch needs, without writing.
   * @returns `late`: messages whose scripts would delay the others, with their account; they are in none of
   *   the parts
   */
  async prepare(
    messages: readonly InboundMessage[],
  ): Promise<{ prepared: Part[]; late: ReadonlyMap<InboundMessage, number> }> {
    refuseStale(messages)
    const now = this.#tools.ctx.clock.now()
    await this.#prepareDay(now)
    const parts: Part[] = []
    const late = new Map<InboundMessage, number>()
    for (const part of partsOf(messages)) {
      const prepared = await this.#preparePart(part, now, late)
      const rest = late.size === 0 ? part : part.filter((message) => !late.has(message))
      if (rest.length > 0) parts.push({ messages: rest, now, prepared })
    }
    return { prepared: parts, late }
  }

  /**
   * Returns undefined `prepared` on errors that recur when storing, where each message is handled separately.
   */
  async #preparePart(
    part: readonly InboundMessage[],
    now: Date,
    late: Map<InboundMessage, number>,
  ): Promise<Prepared | undefined> {
    const known: Known = new Map()
    for (let rest = part; rest.length > 0; ) {
      try {
        return await prepareBatch(this.#tools, rest, now, this.#patience, known)
      } catch (error) {
        if (isOutdated(error) || isDataError(error) || isPoison(error, part)) return undefined
        if (!(error instanceof LateMessages)) throw error
        for (const [message, accountId] of error.accountOf) late.set(message, accountId)
        rest = rest.filter((message) => !late.has(message))
      }
    }
    return undefined
  }

  /** Stores the parts, one transaction each. @returns the outcomes of the messages in order */
  async store(parts: readonly Part[]): Promise<Outcome[]> {
    const outcomes: Outcome[] = []
    for (const part of parts) {
      refuseStale(part.messages)
      const stored = await this.#storeWithCare(part)
      for (const [index, { rejected }] of stored.entries())
        if (rejected.length > 0)
          this.#tools.rejections.stored((part.messages[index] as InboundMessage).connector.id)
      outcomes.push(...stored)
    }
    return outcomes
  }

  async #storeWithCare({ messages, now, prepared }: Part, attempt = 1): Promise<Outcome[]> {
    try {
      const batch = prepared ?? (await prepareBatch(this.#tools, messages, now))
      const mode = this.#careful > 0 ? 'careful' : 'usual'
      this.#careful = Math.max(0, this.#careful - 1)
      return await storeBatch(this.#tools, batch, mode)
    } catch (error) {
      if (isOutdated(error) && attempt < attemptsMax) {
        // A duplicate of a packet in the previous batch does not require new look-ups.
        if (violates(error, 'state_values')) this.#careful = carefulBatches
        else if (!violates(error, 'packet_keys')) await this.#forget()
        return this.#storeWithCare({ messages, now, prepared: undefined }, attempt + 1)
      }
      const others = isViolation(error) ? await this.#storeWithoutGone(messages, now) : null
      if (others !== null) return others
      if (!isDataError(error) && !isPoison(error, messages)) throw error
      const [only] = messages
      if (messages.length === 1 && only !== undefined) return [await this.#keepUnstorable(only, error)]
      const middle = messages.length >> 1
      return [
        ...(await this.#storeWithCare({ messages: messages.slice(0, middle), now, prepared: undefined })),
        ...(await this.#storeWithCare({ messages: messages.slice(middle), now, prepared: undefined })),
      ]
    }
  }

  /** Stores the messages whose connector still exists; the others have no place any more. @returns null if all exist */
  async #storeWithoutGone(messages: readonly InboundMessage[], now: Date): Promise<Outcome[] | null> {
    const { ctx } = this.#tools
    const present = await readPresent(ctx.db, new Set(messages.map(({ connector }) => connector.id)))
    const rest = messages.filter(({ connector }) => present.has(connector.id))
    if (rest.length === messages.length) return null
    ctx.log.info({ messages: messages.length - rest.length }, 'messages of a deleted connector were dropped')
    const outcomes =
      rest.length === 0 ? [] : await this.#storeWithCare({ messages: rest, now, prepared: undefined })
    const stored = outcomes.values()
    return messages.map(({ connector, packets }) =>
      present.has(connector.id)
        ? (stored.next().value as Outcome)
        : rejectedAll(packets.length, 'CONNECTOR_NOT_FOUND', 'the connector was deleted'),
    )
  }

  async #forget(): Promise<void> {
    const { ctx, directory, series } = this.#tools
    await ctx.configChanges.settle()
    directory.clear()
    series.catalog.clear()
  }

  async #keepUnstorable(message: InboundMessage, error: unknown): Promise<Outcome> {
    this.#tools.ctx.log.warn(
      { err: error, connectorId: message.connector.id },
      'the database cannot hold a message; it is kept aside',
    )
    const why = { code: 'PACKET_INVALID' as const, message: `cannot be stored: ${messageOf(error)}` }
    if (!message.isReplay) await keepMessage(this.#tools, message, why)
    return rejectedAll(message.packets.length, why.code, why.message)
  }

  async #prepareDay(now: Date): Promise<void> {
    const day = keyDay(now)
    if (this.#days.has(day)) return
    await rollPacketKeys(this.#tools.ctx.db, [day, keyDay(now, 1)], keyDay(now, -1))
    this.#days.clear()
    this.#days.add(day)
  }
}

/** Keeps a message that cannot be used; committed when it resolves. */
export async function keepMessage(
  { ctx, rejections }: Pick<Tools, 'ctx' | 'rejections'>,
  ...rejected: Parameters<typeof rejectedMessage>
): Promise<void> {
  const message = rejectedMessage(...rejected)
  await rejections.store(ctx.db, [message])
  rejections.stored(message.connectorId)
}

/** Splits a batch so that no transaction has many more than `packetsMax` packets. */
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

/** Whether to look up again: violated foreign or unique keys, serialisation failures and deadlocks. */
function isOutdated(error: unknown): boolean {
  if (error instanceof Outdated) return true
  return error instanceof pg.DatabaseError && ['23503', '23505', '40001', '40P01'].includes(error.code ?? '')
}

/** @throws AppError OVERLOADED for a batch with a message that must wait for an earlier one */
function refuseStale(messages: readonly InboundMessage[]): void {
  if (messages.some(({ isStale }) => isStale?.())) throw new AppError('OVERLOADED', { retryAfterSeconds: 1 })
}

/** Whether something that rows refer to is gone, or a key exists, although everything was looked up again. */
function isViolation(error: unknown): boolean {
  return error instanceof pg.DatabaseError && ['23503', '23505'].includes(error.code ?? '')
}

/**
 * Whether a failure is to be blamed on one of the messages: it has failed with the same message before, and the
 * database is there.
 */
function isPoison(error: unknown, messages: readonly InboundMessage[]): boolean {
  if (error instanceof AppError || error instanceof Outdated || isPassing(error)) return false
  return messages.some(({ isLastTry }) => isLastTry)
}

function rejectedAll(count: number, code: ErrorCode, message: string): Outcome {
  const rejected = Array.from({ length: count }, (_, index) => ({ identifier: null, code, message, index }))
  return { accepted: 0, duplicates: 0, rejected, decoded: [], durationUs: 0 }
}

/** Whether a unique key of a partition of this table was violated. */
function violates(error: unknown, table: string): boolean {
  return (
    error instanceof pg.DatabaseError && error.code === '23505' && error.table?.startsWith(table) === true
  )
}

/**
 * Class 22: data exception, e.g. a number out of range. Class 54: a program limit was exceeded, e.g. too
 * large or too deep.
 */
function isDataError(error: unknown): error is pg.DatabaseError {
  return error instanceof pg.DatabaseError && /^(22|54)/.test(error.code ?? '')
}
