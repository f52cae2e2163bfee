import type { LimitName } from '@leitstand/contract/limitHits'
import type { Clock } from '../clock.ts'
import type { Db } from '../db/index.ts'
import type { Logger } from '../log.ts'
import { Loop } from '../loop.ts'
import { storableText } from '../storable.ts'
import { addHits, deleteHitsBefore, type LimitHits as Hits } from './store.ts'

const writeEveryMs = 5_000
const hourMs = 3_600_000
/** Hours that can still be looked at. */
const keptDays = 30
/** Accounts, limits and hours that wait to be written; more are not counted until the next write. */
const waitingMax = 10_000
const detailCharsMax = 200

interface LimitHitsOptions {
  db: Db
  clock: Clock
  log: Logger
}

/**
 * Counts how often accounts ran into their limits, so that those who are slowed down or refused can see why. Counting costs a
 * look-up in memory; what was counted since the last write is lost when the process dies.
 */
export class LimitHits implements AsyncDisposable {
  readonly #options: LimitHitsOptions
  readonly #waiting = new Map<string, Hits>()
  readonly #loop: Loop
  #cleanedAtMs = 0

  constructor(options: LimitHitsOptions) {
    this.#options = options
    this.#loop = new Loop({
      log: options.log,
      failure: 'limit hits could not be written; tried again later',
      retryMs: writeEveryMs,
      round: async () => {
        await this.write()
        return writeEveryMs
      },
    })
  }

  start(): void {
    this.#loop.start()
  }

  /**
   * Counts that an account ran into a limit.
   * @param detail what ran into it, e.g. the title of a driver; at most 200 characters are kept
   */
  note(accountId: number, limit: LimitName, { times = 1, detail = '' } = {}): void {
    const now = this.#options.clock.now()
    const hour = new Date(Math.floor(now.getTime() / hourMs) * hourMs)
    const key = `${accountId} ${limit} ${hour.getTime()}`
    const known = this.#waiting.get(key)
    if (known === undefined && this.#waiting.size >= waitingMax) return
    this.#waiting.set(key, {
      accountId,
      limit,
      hour,
      times: (known?.times ?? 0) + times,
      lastAt: now,
      detail: storableText(detail.slice(0, detailCharsMax)),
    })
  }

  /** Writes what was counted. What cannot be written is kept for the next time. */
  async write(): Promise<void> {
    const { db, clock } = this.#options
    const hits = [...this.#waiting.values()]
    this.#waiting.clear()
    try {
      await addHits(db, hits)
    } catch (error) {
      for (const hit of hits) this.#keep(hit)
      throw error
    }
    const nowMs = clock.now().getTime()
    if (nowMs - this.#cleanedAtMs < hourMs) return
    this.#cleanedAtMs = nowMs
    await deleteHitsBefore(db, new Date(nowMs - keptDays * 24 * hourMs))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#loop.stop()
    await this.write()
  }

  #keep(hit: Hits): void {
    const key = `${hit.accountId} ${hit.limit} ${hit.hour.getTime()}`
    const known = this.#waiting.get(key)
    if (known === undefined && this.#waiting.size >= waitingMax) return
    this.#waiting.set(key, known === undefined ? hit : { ...known, times: known.times + hit.times })
  }
}
