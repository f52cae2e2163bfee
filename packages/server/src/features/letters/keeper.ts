import type { Context } from '../../platform/context.ts'
import type { Rejections } from '../ingest/index.ts'
import { BodyBudget } from './bodyBudget.ts'
import { insertLetters, letterLimits, trimLetters } from './store.ts'

const tidyMs = 60_000

/** Stores dead letters, and every minute deletes those beyond the limit of a connector. */
export class LetterKeeper implements Rejections, AsyncDisposable {
  readonly #ctx: Context
  readonly #timer: NodeJS.Timeout
  readonly #bodies = new BodyBudget()
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

  store: Rejections['store'] = (tx, rejected) => {
    const nowMs = performance.now()
    return insertLetters(
      tx,
      rejected.map((message) => this.#bodies.cut(message, nowMs)),
    )
  }

  /** Notes that a connector has new dead letters, so that the next trim checks it. */
  stored(connectorId: number): void {
    if (this.#growing !== 'any') this.#growing.add(connectorId)
  }

  /** Deletes dead letters beyond the limit; also runs every minute. */
  async trim(): Promise<void> {
    const concerned = this.#growing
    this.#growing = new Set()
    if (concerned !== 'any' && concerned.size === 0) return
    const bound = { letters: letterLimits.perConnectorMax, bytes: letterLimits.bytesPerConnectorMax }
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
