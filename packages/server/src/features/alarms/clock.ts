import type { Context } from '../../platform/context.ts'
import type { Executor } from '../../platform/db/index.ts'
import { Loop } from '../../platform/loop.ts'
import { nextDueCause } from './causes.store.ts'
import { followDueCauses } from './causes.ts'
import { releaseMaintained } from './maintenance.store.ts'
import { type AlarmChange, readChanges, wakeSnoozed } from './store.ts'

const batchMax = 500
/** What another process has stored is noticed after this time. */
const lookMs = 1_000
const retryMs = 5_000

/** Opens and resolves alarms whose delay is over, and lets those count that were set aside or opened
 * during maintenance: none is missed or doubled, whichever process does it. */
export class AlarmClock {
  readonly #ctx: Pick<Context, 'db' | 'clock' | 'log'>
  readonly #noted: (tx: Executor, changes: readonly AlarmChange[]) => Promise<() => void>
  readonly #loop: Loop

  /** @param noted appends the events of changes. @returns what to do after the commit */
  constructor(
    ctx: Pick<Context, 'db' | 'clock' | 'log'>,
    noted: (tx: Executor, changes: readonly AlarmChange[]) => Promise<() => void>,
  ) {
    this.#ctx = ctx
    this.#noted = noted
    this.#loop = new Loop({
      log: ctx.log,
      failure: 'alarms that wait for their delay are not looked at; tried again soon',
      retryMs,
      round: () => this.#round(),
    })
  }

  start(): void {
    this.#loop.start()
  }

  stop(): Promise<void> {
    return this.#loop.stop()
  }

  /** Does everything that is due now; for tests. */
  async settle(): Promise<void> {
    while ((await this.#piece()) > 0);
  }

  async #round(): Promise<number> {
    if ((await this.#piece()) === batchMax) return 0
    const next = await nextDueCause(this.#ctx.db)
    const waitMs = next === null ? lookMs : next.getTime() - this.#ctx.clock.now().getTime()
    return Math.min(lookMs, Math.max(1, waitMs))
  }

  async #piece(): Promise<number> {
    const { taken, after } = await this.#ctx.db.transaction().execute(async (tx) => {
      const now = this.#ctx.clock.now()
      const due = await followDueCauses(tx, now, batchMax)
      const counting = [
        ...(await wakeSnoozed(tx, now, batchMax)),
        ...(await releaseMaintained(tx, now, batchMax)),
      ]
      const awake = await readChanges(tx, [...new Set(counting)])
      const changes = [...due.changes, ...awake.map((alarm) => ({ ...alarm, what: 'awake' as const }))]
      return { taken: Math.max(due.taken, awake.length), after: await this.#noted(tx, changes) }
    })
    after()
    return taken
  }
}
