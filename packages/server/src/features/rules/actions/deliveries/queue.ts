import type { Context } from '../../../../platform/context.ts'
import type { Executor } from '../../../../platform/db/index.ts'
import { Loop } from '../../../../platform/loop.ts'
import { Mutex } from '../../../../platform/mutex.ts'
import type { Attempt } from '../../../connectors/index.ts'
import { afterAttempt, afterInterruption, afterTime } from './follow.ts'
import {
  claimDue,
  type DeliveryKind,
  type DeliveryRow,
  insertDeliveries,
  lockLost,
  type NewDelivery,
  writeProgress,
} from './store.ts'

/** Polling interval; a new delivery wakes the queue at once. */
const lookMs = 1_000
/** Longer than any attempt takes: an attempt without a result by then was interrupted. */
const attemptMs = 60_000
/** How long attempts are made at most. */
export const deliveryValidMs = 24 * 3_600_000
/** Concurrent attempts, bounded per account so that one unresponsive system cannot use up all of them. */
const atOnce = { max: 20, ofAccountMax: 5 } as const
const lostMax = 200

/** Makes one attempt; never rejects because of the other side. */
export type SendDelivery<K extends DeliveryKind> = (
  delivery: Extract<DeliveryRow, { kind: K }>,
  signal: AbortSignal,
) => Promise<Attempt>

/**
 * The queue of what rules send to other systems. An attempt is recorded before it begins, its result when it
 * is known. If the server stops in between, the delivery is uncertain and not sent again.
 */
export class DeliveryQueue {
  readonly #ctx: Context
  readonly #ways: { readonly [K in DeliveryKind]: SendDelivery<K> }
  readonly #ended: () => void
  readonly #attempts
  readonly #loop: Loop
  readonly #rounds = new Mutex()

  /** @param ended called when the outcome of deliveries is known */
  constructor(ctx: Context, ways: { readonly [K in DeliveryKind]: SendDelivery<K> }, ended: () => void) {
    this.#ctx = ctx
    this.#ways = ways
    this.#ended = ended
    this.#attempts = ctx.metrics.counter(
      'rule_delivery_attempts_total',
      'Attempts to deliver what rules send to other systems',
      ['kind', 'outcome'],
    )
    this.#loop = new Loop({
      log: ctx.log,
      failure: 'messages of rules could not be delivered; tried again soon',
      retryMs: lookMs,
      shared: { nodes: ctx.nodes, name: 'deliveries' },
      round: async () => ((await this.#round()) ? 0 : lookMs),
    })
  }

  /**
   * Queues deliveries in a transaction; call `wake` after its commit.
   * @returns their ids in the same order
   */
  add(tx: Executor, deliveries: readonly NewDelivery[]): Promise<number[]> {
    const now = this.#ctx.clock.now()
    return insertDeliveries(tx, deliveries, now, new Date(now.getTime() + deliveryValidMs))
  }

  start(): void {
    this.#loop.start()
  }

  wake(): void {
    this.#loop.wake()
  }

  /** Aborts running attempts without recording a result. */
  stop(): Promise<void> {
    return this.#loop.stop()
  }

  /** Does everything that is due now. */
  async settle(): Promise<void> {
    while (!this.#loop.signal.aborted && (await this.#round()));
  }

  #round(): Promise<boolean> {
    return this.#rounds.run(() => this.#look())
  }

  /** @returns whether there may be more to do at once */
  async #look(): Promise<boolean> {
    const { db, clock } = this.#ctx
    const now = clock.now()
    const lost = await db.transaction().execute(async (tx) => {
      const rows = await lockLost(tx, now, lostMax)
      for (const { isInterrupted, ...row } of rows)
        await writeProgress(tx, row.id, (isInterrupted ? afterInterruption : afterTime)(row, now))
      return rows
    })
    const until = new Date(now.getTime() + attemptMs)
    const claimed = await db.transaction().execute((tx) => claimDue(tx, now, until, atOnce))
    await Promise.all(claimed.map((row) => this.#attempt(row)))
    if (claimed.length > 0 || lost.length > 0) this.#ended()
    return claimed.length > 0 || lost.length === lostMax
  }

  async #attempt(row: DeliveryRow): Promise<void> {
    const { db, clock, log } = this.#ctx
    const { signal } = this.#loop
    try {
      const send = this.#ways[row.kind] as (delivery: DeliveryRow, signal: AbortSignal) => Promise<Attempt>
      const attempt = await Promise.race([send(row, signal), aborted(signal)])
      if (attempt === undefined) return
      this.#attempts.inc({ kind: row.kind, outcome: attempt.outcome })
      await writeProgress(db, row.id, afterAttempt(row, attempt, clock.now()))
    } catch (error) {
      // It keeps its recorded state, and counts as uncertain once the attempt counts as lost.
      log.warn({ err: error, delivery: row.id }, 'the result of a message of a rule could not be kept')
    }
  }
}

function aborted(signal: AbortSignal): Promise<undefined> {
  const { promise, resolve } = Promise.withResolvers<undefined>()
  if (signal.aborted) resolve(undefined)
  else signal.addEventListener('abort', () => resolve(undefined), { once: true })
  return promise
}
