import { setTimeout as delay } from 'node:timers/promises'
import type { Context } from '../../platform/context.ts'
import type { Executor } from '../../platform/db/index.ts'
import { Loop } from '../../platform/loop.ts'
import { lookAtDue, remakeNext } from './anew.ts'
import { hasWaiting, spreadSync, takeLead } from './store.ts'

/** Entries get too old to the minute; this is how late the clock may look. */
const lookMs = 10_000
const batchMax = 500
/** Devices put into the list of those to be made anew at a time. */
const spreadMax = 5_000

/** `elsewhere`: another process is at work. */
type Outcome = 'idle' | 'more' | 'elsewhere'

/**
 * What happens to the health of devices without packets: entries get too old, configurations change, devices are
 * disabled. Bounded pieces, each in a transaction of its own; one process at a time. What is due, and what is to be made
 * anew, stands in the database: a crash costs nothing but a second look.
 */
export class HealthClock {
  readonly #ctx: Context
  readonly #changes
  readonly #loop: Loop

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

  /** Does everything that is due at this moment; waits while another process does. */
  async settle(): Promise<void> {
    while (!this.#loop.signal.aborted) {
      const outcome = await this.#round()
      if (outcome === 'idle' && !(await hasWaiting(this.#ctx.db))) return
      if (outcome !== 'more') await delay(10)
    }
  }

  /** One piece of each kind of work there is. */
  async #round(): Promise<Outcome> {
    const now = this.#ctx.clock.now()
    const spread = await this.#piece(async (tx) => {
      const more = await spreadSync(tx, now, spreadMax)
      return { taken: more ? 1 : 0, changed: [], full: more }
    })
    if (spread === 'elsewhere') return spread
    const anew = await this.#piece(async (tx) => {
      const { taken, changed } = await remakeNext(this.#ctx, tx, now, batchMax)
      this.#changes.inc({ reason: 'anew' }, taken)
      return { taken, changed, full: taken === batchMax }
    })
    const due = await this.#piece(async (tx) => {
      const { taken, changed } = await lookAtDue(this.#ctx, tx, now, batchMax)
      this.#changes.inc({ reason: 'due' }, taken)
      return { taken, changed, full: taken === batchMax }
    })
    return [spread, anew, due].includes('more') ? 'more' : 'idle'
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
