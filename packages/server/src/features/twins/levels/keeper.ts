import type { Context } from '../../../platform/context.ts'
import { Loop } from '../../../platform/loop.ts'
import { Mutex } from '../../../platform/mutex.ts'
import type { SeriesFeature } from '../../series/index.ts'
import { keepRanks } from '../store/levels.ts'

/** Time between two rounds; a round that takes long is followed by ten times as long a rest. */
const restMs = 1_000
/** Changed twins remembered; with more, all are computed. */
const twinsMax = 10_000

/**
 * Keeps the worst rank of each digital twin (`twin_levels`). New values and changed limits only note their twins here, so that
 * storing values stays as fast as it is; reading the ranks brings them up to date first.
 */
export class LevelKeeper {
  readonly #ctx: Pick<Context, 'db'>
  readonly #loop: Loop
  readonly #turn = new Mutex()
  #twins: Set<number> | '*' = '*'

  constructor(ctx: Pick<Context, 'db' | 'log' | 'configChanges'>, series: Pick<SeriesFeature, 'onLevels'>) {
    this.#ctx = ctx
    this.#loop = new Loop({
      log: ctx.log,
      failure: 'levels of twins could not be computed; tried again soon',
      retryMs: restMs,
      round: () => this.#round(),
    })
    series.onLevels((ids) => this.#note(ids))
    ctx.configChanges.on('states', (ids) => this.#note(ids))
  }

  start(): void {
    this.#loop.start()
  }

  stop(): Promise<void> {
    return this.#loop.stop()
  }

  /** Resolves when all values stored by this process before the call are considered. */
  bringUpToDate(): Promise<void> {
    return this.#turn.run(async () => {
      const twins = this.#twins
      if (twins !== '*' && twins.size === 0) return
      this.#twins = new Set()
      try {
        await keepRanks(this.#ctx.db, twins === '*' ? twins : [...twins])
      } catch (error) {
        this.#twins = '*'
        throw error
      }
    })
  }

  #note(ids: Iterable<number> | '*'): void {
    if (this.#twins === '*') return
    if (ids === '*') this.#twins = '*'
    else for (const id of ids) this.#twins.add(id)
    if (this.#twins !== '*' && this.#twins.size > twinsMax) this.#twins = '*'
  }

  async #round(): Promise<number> {
    const started = performance.now()
    await this.bringUpToDate()
    return Math.max(restMs, 10 * (performance.now() - started))
  }
}
