import type { Context } from '../../../platform/context.ts'
import { Loop } from '../../../platform/loop.ts'
import { type KeyRow, noteUses } from '../store/keys.ts'
import { digestOf } from './keys.ts'

const writeEveryMs = 10_000
/** Minimum time between recorded uses of a key. */
const noteEveryMs = 60_000

interface Known {
  readonly connectorId: number
  readonly keyId: number
  readonly endsAtMs: number
  notedMs: number
}

/**
 * The webhook keys in the memory of this process, by hash, and when each was last used. Uses recorded since
 * the last write are lost if the process dies.
 */
export class HookKeys implements AsyncDisposable {
  readonly #ctx: Pick<Context, 'db' | 'clock'>
  /** all keys; a connector has only a few */
  readonly #known = new Map<string, Known>()
  readonly #ofConnectors = new Map<number, readonly string[]>()
  #used = new Map<number, Date>()
  readonly #loop: Loop

  constructor(ctx: Pick<Context, 'db' | 'clock' | 'log'>) {
    this.#ctx = ctx
    this.#loop = new Loop({
      log: ctx.log,
      failure: 'uses of webhook keys could not be written; tried again later',
      retryMs: writeEveryMs,
      round: async () => {
        await this.flush()
        return writeEveryMs
      },
    })
  }

  start(): void {
    this.#loop.start()
  }

  /** Replaces the keys of a connector. */
  set(connectorId: number, keys: readonly KeyRow[]): void {
    for (const digest of this.#ofConnectors.get(connectorId) ?? []) this.#known.delete(digest)
    this.#ofConnectors.delete(connectorId)
    if (keys.length === 0) return
    this.#ofConnectors.set(
      connectorId,
      keys.map(({ digest }) => digest),
    )
    for (const { id, digest, endsAt, lastUsedAt } of keys) {
      const endsAtMs = endsAt?.getTime() ?? Number.POSITIVE_INFINITY
      this.#known.set(digest, { connectorId, keyId: id, endsAtMs, notedMs: lastUsedAt?.getTime() ?? 0 })
    }
  }

  /** Returns the connector of a valid key and records its use. */
  find(key: string): number | undefined {
    const known = this.#known.get(digestOf(key))
    if (known === undefined) return undefined
    const now = this.#ctx.clock.now()
    const nowMs = now.getTime()
    if (known.endsAtMs <= nowMs) return undefined
    if (nowMs - known.notedMs >= noteEveryMs) {
      known.notedMs = nowMs
      this.#used.set(known.keyId, now)
    }
    return known.connectorId
  }

  /** Writes which keys were used. Failed writes are retried the next time. */
  async flush(): Promise<void> {
    if (this.#used.size === 0) return
    const used = this.#used
    this.#used = new Map()
    try {
      await noteUses(this.#ctx.db, used)
    } catch (error) {
      this.#used = new Map([...used, ...this.#used])
      throw error
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#loop.stop()
    await this.flush()
  }
}
