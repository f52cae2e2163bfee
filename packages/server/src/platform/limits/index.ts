import { type LimitHit, type LimitName, limitHitsDays, limitNames } from '@leitstand/contract/limitHits'
import type { Clock } from '../clock.ts'
import type { Db } from '../db/index.ts'
import type { Logger } from '../log.ts'
import { Loop } from '../loop.ts'
import { storableText } from '../storable.ts'
import { addHits, deleteHitsBefore, type LimitHits as Hits, readHits } from './store.ts'

const writeEveryMs = 5_000
const hourMs = 3_600_000
/**
 * Account, limit and hour combinations waiting to be written; further ones are not counted until the next
 * write.
 */
const waitingMax = 10_000
const detailCharsMax = 200

interface LimitHitsOptions {
  db: Db
  clock: Clock
  log: Logger
}

/**
 * Counts how often accounts hit their limits, so that users can see why they are throttled or refused.
 * Counting costs one look-up in memory; counts since the last write are lost when the process crashes.
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
   * Counts that an account hit a limit.
   * @param detail what hit it, e.g. the title of a driver; at most 200 characters are kept
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

  /**
   * The limits an account has hit, most recent first.
   * @param zone IANA name of the time zone whose days are counted
   * @param range whole hours, from the hour of `from` to the hour of `to`; absent: everything kept
   */
  async of(
    accountId: number,
    zone: string,
    { from, to }: { from?: Date | undefined; to?: Date | undefined } = {},
  ): Promise<LimitHit[]> {
    await this.write()
    const nowMs = this.#options.clock.now().getTime()
    const fromMs = Math.max(from?.getTime() ?? 0, nowMs - limitHitsDays * 24 * hourMs)
    const range = { from: new Date(Math.floor(fromMs / hourMs) * hourMs), to: to ?? new Date(nowMs) }
    const rows = await readHits(this.#options.db, accountId, zone, range)
    const found = limitNames.flatMap((limit) => {
      const days = rows.filter((row) => row.limit === limit)
      const last = days.toSorted((one, other) => other.lastAt.getTime() - one.lastAt.getTime())[0]
      if (last === undefined) return []
      const times = days.reduce((sum, day) => sum + day.times, 0)
      return [
        {
          limit,
          times,
          lastAt: last.lastAt.toISOString(),
          detail: last.detail,
          days: days.map((row) => ({ day: row.day, times: row.times })),
        },
      ]
    })
    return found.sort((one, other) => other.lastAt.localeCompare(one.lastAt))
  }

  /** Writes the counts. If that fails they are kept for the next write. */
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
    await deleteHitsBefore(db, new Date(nowMs - limitHitsDays * 24 * hourMs))
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
