import type { Context } from '../../platform/context.ts'
import { Loop } from '../../platform/loop.ts'
import { Mutex } from '../../platform/mutex.ts'
import { type QuietExecution, quietKey } from './collect.ts'
import { writeQuiet } from './store/pipeline.ts'

const everyMs = 1_000
/** Beyond, evaluations wait until they are written. */
const heldMax = 5_000
const rowsPerStatement = 1_000

/**
 * Evaluations that did nothing; the history shows the last of each kind. They are held in memory and written every second,
 * because a rule may be evaluated a hundred times in it. A crash loses those of the last second, but nothing that matters: what
 * rules remember and which events they have handled is stored with each evaluation.
 */
export class QuietResults {
  readonly #ctx: Context
  readonly #loop: Loop
  /** one write at a time: a later result must not be overwritten by an earlier one */
  readonly #writes = new Mutex()
  #held = new Map<string, QuietExecution>()

  constructor(ctx: Context) {
    this.#ctx = ctx
    this.#loop = new Loop({
      log: ctx.log,
      failure: 'what rules last saw could not be written; tried again soon',
      retryMs: everyMs,
      round: async () => {
        await this.write()
        return everyMs
      },
    })
  }

  /** @param executions in the order they happened; resolves at once, unless too many are held */
  async add(executions: readonly QuietExecution[]): Promise<void> {
    for (const execution of executions) {
      const key = quietKey(execution)
      this.#held.delete(key)
      this.#held.set(key, execution)
    }
    if (this.#held.size > heldMax) await this.write()
  }

  /** Writes what is held; also runs every second. */
  write(): Promise<void> {
    return this.#writes.run(async () => {
      const held = this.#held
      this.#held = new Map()
      const rows = [...held.values()]
      for (let first = 0; first < rows.length; first += rowsPerStatement) {
        try {
          await writeQuiet(this.#ctx.db, rows.slice(first, first + rowsPerStatement))
        } catch (error) {
          this.#putBack(rows.slice(first))
          throw error
        }
      }
    })
  }

  /** Newer ones stay. */
  #putBack(missed: readonly QuietExecution[]): void {
    const newer = this.#held
    this.#held = new Map(missed.map((execution) => [quietKey(execution), execution]))
    for (const [key, execution] of newer) {
      this.#held.delete(key)
      this.#held.set(key, execution)
    }
  }

  start(): void {
    this.#loop.start()
  }

  async stop(): Promise<void> {
    await this.#loop.stop()
    await this.write()
  }
}
