import { setTimeout as delay } from 'node:timers/promises'
import type { Context } from '../../../platform/context.ts'
import type { Executor } from '../../../platform/db/index.ts'
import { Loop } from '../../../platform/loop.ts'
import { thresholdChanged } from '../../../topics/thresholdChanged.ts'
import { countPackets, endRound, readRound, takePacketLead } from './counts.store.ts'
import { membersOf } from './members.ts'
import { hourMs, hourOf } from './statistics.store.ts'
import {
  endUnwatched,
  findWatched,
  markJudged,
  nextLows,
  nextStirred,
  nextToJudge,
  noteLow,
  reviewLows,
} from './thresholds.store.ts'

/** Interval between looks, and when an hour ends. */
const lookMs = 5_000
/** Devices in one transaction. */
const pieceMax = 5_000
const lowsMax = 5_000
/** Looks between two reviews of every low device; those that have sent something are reviewed at each. */
const reviewEvery = 12

interface Place {
  groupId: number
  twinId: number
}
const beginning: Place = { groupId: 0, twinId: 0 }

/** Another process has the lock. */
class Elsewhere extends Error {}

/**
 * Reads the packet counters of all devices at the end of every hour, and compares the devices of watched groups with
 * their thresholds: all of them then, low ones every few seconds, because only packets or a change end that.
 * Works in bounded pieces, each in its own transaction, in one process at a time; how far it came is in the
 * database, so that a crash only repeats a piece.
 */
export class PacketClock {
  readonly #ctx: Context
  readonly #loop: Loop
  #looks = 0

  constructor(ctx: Context) {
    this.#ctx = ctx
    this.#loop = new Loop({
      log: ctx.log,
      failure: 'the packets of devices are not counted; tried again soon',
      retryMs: lookMs,
      round: async () => {
        await this.#look(this.#looks++ % reviewEvery === 0)
        const now = this.#ctx.clock.now().getTime()
        return Math.min(lookMs, hourMs - (now % hourMs))
      },
    })
  }

  start(): void {
    this.#loop.start()
  }

  stop(): Promise<void> {
    return this.#loop.stop()
  }

  /** Compares the devices of changed groups soon. */
  wake(): void {
    this.#looks = 0
    this.#loop.wake()
  }

  /** Does everything that is due now; waits while another process has the lock. */
  async settle(): Promise<void> {
    while (!this.#loop.signal.aborted && !(await this.#look(true))) await delay(10)
  }

  /** @returns false if another process has the lock */
  async #look(reviewsAll: boolean): Promise<boolean> {
    try {
      const now = this.#ctx.clock.now()
      await this.#count(now)
      await this.#judge(now)
      await this.#review(now, reviewsAll)
      return true
    } catch (error) {
      if (error instanceof Elsewhere) return false
      throw error
    }
  }

  async #count(now: Date): Promise<void> {
    const hour = hourOf(now)
    if ((await readRound(this.#ctx.db)).hour >= hour) return
    let after: number | null = 0
    while (after !== null && !this.#loop.signal.aborted) {
      const from: number = after
      after = await this.#piece((tx) => countPackets(tx, hour, from, pieceMax))
    }
    if (after === null) await this.#piece((tx) => endRound(tx, hour))
  }

  async #judge(now: Date): Promise<void> {
    const { db, events } = this.#ctx
    const { hour, since } = await readRound(db)
    while (!this.#loop.signal.aborted) {
      const group = await nextToJudge(db, hour)
      if (!group) return
      const members = await membersOf(db, group, { now, tables: ['twin', 'device', 'live'] })
      let after: number | null = 0
      while (after !== null && !this.#loop.signal.aborted) {
        const from: number = after
        after = await this.#piece(async (tx) => {
          const asked = { hour, since, now, after: from, limit: pieceMax }
          const { last, lows } = await noteLow(tx, members, group, asked)
          const at = now.toISOString()
          await events.appendAll(
            tx,
            lows.map((low) => thresholdChanged.event(low.accountId, { ...low, low: true, at })),
          )
          return last
        })
      }
      if (after === null) await this.#piece((tx) => markJudged(tx, group, hour))
    }
  }

  async #review(now: Date, reviewsAll: boolean): Promise<void> {
    const { db, events } = this.#ctx
    const next = reviewsAll ? nextLows : nextStirred
    const { hour } = await readRound(db)
    let after = beginning
    while (!this.#loop.signal.aborted) {
      const lows = await next(db, after, lowsMax)
      const last = lows.at(-1)
      if (!last) return
      after = last
      const byGroup = Map.groupBy(lows, ({ groupId }) => groupId)
      const watched = new Map((await findWatched(db, [...byGroup.keys()])).map((group) => [group.id, group]))
      for (const [groupId, found] of byGroup) {
        const twinIds = found.map(({ twinId }) => twinId)
        const group = watched.get(groupId)
        const members = group && (await membersOf(db, group, { now, tables: ['twin', 'device', 'live'] }))
        await this.#piece(async (tx) => {
          const ended = members
            ? await reviewLows(tx, members, group, { hour, twinIds })
            : await endUnwatched(tx, groupId, twinIds)
          const at = now.toISOString()
          await events.appendAll(
            tx,
            ended.map((low) => thresholdChanged.event(low.accountId, { ...low, low: false, at })),
          )
        })
      }
    }
  }

  /** Runs a piece of the work in a transaction. @throws Elsewhere */
  async #piece<T>(work: (tx: Executor) => Promise<T>): Promise<T> {
    return this.#ctx.db.transaction().execute(async (tx) => {
      if (!(await takePacketLead(tx))) throw new Elsewhere()
      return work(tx)
    })
  }
}
