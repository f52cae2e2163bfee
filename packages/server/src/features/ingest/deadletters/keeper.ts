import type { ErrorCode } from '@leitstand/contract/errors'
import type { Context } from '../../../platform/context.ts'
import { clean } from '../pipeline.ts'
import { insertDeadLetters } from '../store.ts'
import { type InboundMessage, ingestLimits } from '../types.ts'
import { letterMeta } from './origin.ts'
import { trimLetters } from './store.ts'

const tidyMs = 60_000

/** Stores dead letters, and every minute deletes those beyond the limit of a connector. */
export class LetterKeeper implements AsyncDisposable {
  readonly #ctx: Context
  readonly #timer: NodeJS.Timeout
  /** connectors with new dead letters since the last trim; `any` before the first trim */
  #growing: Set<number> | 'any' = 'any'
  #tidying: Promise<void> | undefined

  constructor(ctx: Context) {
    this.#ctx = ctx
    this.#timer = setInterval(() => {
      this.#tidying ??= this.trim()
        .catch((error: unknown) => ctx.log.warn({ err: error }, 'old dead letters could not be deleted'))
        .finally(() => {
          this.#tidying = undefined
        })
    }, tidyMs)
  }

  /** Stores a message as a dead letter without counting it; committed when it resolves. */
  async keep(
    message: Omit<InboundMessage, 'packets'>,
    error: { code: ErrorCode; message: string },
  ): Promise<void> {
    await insertDeadLetters(this.#ctx.db, [
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
    this.noteGrowth(message.connector.id)
  }

  /** Notes that a connector has new dead letters, so that the next trim checks it. */
  noteGrowth(connectorId: number): void {
    if (this.#growing !== 'any') this.#growing.add(connectorId)
  }

  /** Deletes dead letters beyond the limit; also runs every minute. */
  async trim(): Promise<void> {
    const concerned = this.#growing
    this.#growing = new Set()
    if (concerned !== 'any' && concerned.size === 0) return
    const bound = { letters: ingestLimits.deadLettersMax, bytes: ingestLimits.deadLetterBytesMax }
    try {
      await trimLetters(this.#ctx.db, bound, concerned === 'any' ? undefined : [...concerned])
    } catch (error) {
      this.#growing = 'any'
      throw error
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer)
    await this.#tidying
  }
}
