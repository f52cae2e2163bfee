import pg from 'pg'
import type { LetterKeeper } from './deadletters/keeper.ts'
import { Outdated } from './entry.ts'
import { keyDay, rollPacketKeys } from './keys.store.ts'
import type { Patience } from './patience.ts'
import { type Known, LateMessages, type Prepared, prepareBatch, storeBatch, type Tools } from './pipeline.ts'
import { type InboundMessage, ingestLimits, type Outcome } from './types.ts'

/** Messages of one transaction; not prepared where that has to be done (again) when they are stored. */
export interface Part {
  messages: InboundMessage[]
  now: Date
  prepared: Prepared | undefined
}

const attemptsMax = 4
/** Where a value came a second time, more of them are to be expected: for so many batches. */
const carefulBatches = 100

/**
 * Takes the batches of the queue through the pipeline: does again what has become outdated on the way, and separates a
 * message the database cannot take from the others.
 */
export class Batches {
  readonly #tools: Tools
  readonly #letters: LetterKeeper
  readonly #patience: Patience
  /** days for whose packets there are keys */
  readonly #days = new Set<string>()
  /** batches for which values are still expected to be stored already */
  #careful = 0

  constructor(tools: Tools, letters: LetterKeeper, patience: Patience) {
    this.#tools = tools
    this.#letters = letters
    this.#patience = patience
  }

  /**
   * Looks up and decodes everything a batch needs; writes none of it.
   * @returns `late`: messages whose scripts would hold up the others, with their account; they are in none of the parts
   */
  async prepare(
    messages: readonly InboundMessage[],
  ): Promise<{ prepared: Part[]; late: ReadonlyMap<InboundMessage, number> }> {
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

  /** Undefined where it fails with what fails again when it is stored, with care for each message then. */
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
        if (isOutdated(error) || isDataError(error)) return undefined
        if (!(error instanceof LateMessages)) throw error
        for (const [message, accountId] of error.accountOf) late.set(message, accountId)
        rest = rest.filter((message) => !late.has(message))
      }
    }
    return undefined
  }

  /** Stores the parts, each in a transaction; answers what became of every message, in their order. */
  async store(parts: readonly Part[]): Promise<Outcome[]> {
    const outcomes: Outcome[] = []
    for (const part of parts) {
      const stored = await this.#storeWithCare(part)
      for (const [index, { rejected }] of stored.entries())
        if (rejected.length > 0)
          this.#letters.noteGrowth((part.messages[index] as InboundMessage).connector.id)
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
        // A second delivery that came in with the batch before is no reason to look everything up again.
        if (violates(error, 'state_values')) this.#careful = carefulBatches
        else if (!violates(error, 'packet_keys')) await this.#forget()
        return this.#storeWithCare({ messages, now, prepared: undefined }, attempt + 1)
      }
      if (!isDataError(error)) throw error
      const [only] = messages
      if (messages.length === 1 && only !== undefined) return [await this.#keepUnstorable(only, error)]
      const middle = messages.length >> 1
      return [
        ...(await this.#storeWithCare({ messages: messages.slice(0, middle), now, prepared: undefined })),
        ...(await this.#storeWithCare({ messages: messages.slice(middle), now, prepared: undefined })),
      ]
    }
  }

  async #forget(): Promise<void> {
    const { ctx, directory, series } = this.#tools
    await ctx.configChanges.settle()
    directory.clear()
    series.catalog.clear()
  }

  async #keepUnstorable(message: InboundMessage, error: pg.DatabaseError): Promise<Outcome> {
    this.#tools.ctx.log.warn(
      { err: error, connectorId: message.connector.id },
      'the database cannot hold a message; it is kept aside',
    )
    const why = { code: 'PACKET_INVALID' as const, message: `cannot be stored: ${error.message}` }
    if (!message.isReplay) await this.#letters.keep(message, why)
    const rejected = message.packets.map((_packet, index) => ({ identifier: null, ...why, index }))
    return { accepted: 0, duplicates: 0, rejected, decoded: [], durationUs: 0 }
  }

  async #prepareDay(now: Date): Promise<void> {
    const day = keyDay(now)
    if (this.#days.has(day)) return
    await rollPacketKeys(this.#tools.ctx.db, [day, keyDay(now, 1)], keyDay(now, -1))
    this.#days.clear()
    this.#days.add(day)
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
