import { setTimeout as delay } from 'node:timers/promises'
import type { Context } from '../../platform/context.ts'
import type { Executor } from '../../platform/db/index.ts'
import { Loop } from '../../platform/loop.ts'
import { evaluateDue, judgeDevices, recomputeRefreshes } from './recompute.ts'
import { hasWaiting, nextRefreshes, spreadSync, takeLead } from './store.ts'

/** Interval between rounds; ages are configured in minutes. */
const lookMs = 10_000
const batchMax = 500
/** Maximum devices added to the refresh list at a time. */
const spreadMax = 5_000

/** `elsewhere`: another process has the lock. */
type Outcome = 'idle' | 'more' | 'elsewhere'

/**
 * Health changes without packets: entries become too old, configurations change, devices are disabled. Works
 * in bounded pieces, each in its own transaction, in one process at a time. Due times and the refresh list
 * are in the database, so after a crash the work is only repeated.
 */
export class HealthClock {
  readonly #ctx: Context
  readonly #changes
  readonly #loop: Loop
  /** the last device of the refresh list that had its turn */
  #refreshedTo = 0

  constructor(ctx: Context) {
    this.#ctx = ctx
    this.#changes = ctx.metrics.counter(
      'health_background_devices_total',
      'Devices whose health was looked at without a packet',
      ['reason'],
    )
    this.#loop = new Loop({
      log: ctx.log,
      failure: 'the health of silent devices is not looked at; tried again soon',
      retryMs: lookMs,
      round: async () => ((await this.#round()) === 'more' ? 0 : lookMs),
    })
  }

  start(): void {
    this.#loop.start()
  }

  stop(): Promise<void> {
    return this.#loop.stop()
  }

  /** Does everything that is due now; waits while another process has the lock. */
  async settle(): Promise<void> {
    while (!this.#loop.signal.aborted) {
      const outcome = await this.#round()
      if (outcome === 'idle' && !(await hasWaiting(this.#ctx.db))) return
      if (outcome !== 'more') await delay(10)
    }
  }

  /** Does one piece of each kind of work. */
  async #round(): Promise<Outcome> {
    const now = this.#ctx.clock.now()
    const spread = await this.#piece(async (tx) => {
      const more = await spreadSync(tx, now, spreadMax)
      return { taken: more ? 1 : 0, changed: [], full: more }
    })
    if (spread === 'elsewhere') return spread
    const waiting = await this.#nextRefreshes()
    const verdicts = await judgeDevices(this.#ctx, waiting)
    const refreshed = await this.#piece(async (tx) => {
      const found = { ids: waiting, verdicts }
      const { taken, changed } = await recomputeRefreshes(this.#ctx, tx, now, found)
      this.#changes.inc({ reason: 'refresh' }, taken)
      return { taken, changed, full: waiting.length === batchMax }
    })
    const due = await this.#piece(async (tx) => {
      const { taken, changed } = await evaluateDue(this.#ctx, tx, now, batchMax)
      this.#changes.inc({ reason: 'due' }, taken)
      return { taken, changed, full: taken === batchMax }
    })
    return [spread, refreshed, due].includes('more') ? 'more' : 'idle'
  }

  /** Goes round the list, so that devices that stay on it do not keep the others waiting. */
  async #nextRefreshes(): Promise<number[]> {
    const ids = await nextRefreshes(this.#ctx.db, this.#refreshedTo, batchMax)
    this.#refreshedTo = ids.length < batchMax ? 0 : (ids.at(-1) ?? 0)
    return ids
  }

  async #piece(
    work: (tx: Executor) => Promise<{ taken: number; changed: readonly number[]; full: boolean }>,
  ): Promise<Outcome> {
    const done = await this.#ctx.db
      .transaction()
      .execute(async (tx) => ((await takeLead(tx)) ? work(tx) : undefined))
    if (done === undefined) return 'elsewhere'
    this.#ctx.live.resync('packets', done.changed)
    return done.full ? 'more' : 'idle'
  }
}
