import { figureDaysMax } from '@leitstand/contract/rules'
import type { Context } from '../../platform/context.ts'
import { Loop } from '../../platform/loop.ts'
import type { RuleRun } from './collect.ts'
import { addWork, deleteOldWork, type Work } from './store/figures.ts'

const everyMs = 10_000
const msPerDay = 86_400_000

/** The day of a time in UTC: `2026-03-04`. */
export const dayOf = (at: Date): string => at.toISOString().slice(0, 10)

/** The first of so many days, today included. */
export function firstDay(now: Date, days: number): string {
  return dayOf(new Date(now.getTime() - (days - 1) * msPerDay))
}

/**
 * Counts what rules do. The counts of the last seconds are only in memory: an evaluation that did nothing writes nothing for
 * them, and after a crash they are missing.
 */
export class RuleFiguresCounter {
  readonly #ctx: Context
  readonly #loop: Loop
  #work = new Map<number, Work>()

  constructor(ctx: Context) {
    this.#ctx = ctx
    this.#loop = new Loop({
      log: ctx.log,
      failure: 'what rules did could not be counted; tried again soon',
      retryMs: everyMs,
      round: async () => {
        await this.write()
        return everyMs
      },
    })
  }

  /** Counts evaluations that are stored. */
  count(runs: readonly RuleRun[]): void {
    for (const { rule, outcome, durationUs } of runs) {
      const before = this.#work.get(rule.id) ?? { evaluations: 0, fired: 0, errors: 0, durationUs: 0 }
      this.#work.set(rule.id, {
        evaluations: before.evaluations + 1,
        fired: before.fired + (outcome.result === 'fired' ? 1 : 0),
        errors: before.errors + (outcome.result === 'error' ? 1 : 0),
        durationUs: before.durationUs + durationUs,
      })
    }
  }

  /** Writes what was counted; also runs every few seconds. */
  async write(): Promise<void> {
    const work = this.#work
    this.#work = new Map()
    try {
      await addWork(this.#ctx.db, dayOf(this.#ctx.clock.now()), work)
    } catch (error) {
      for (const [id, missed] of work) this.#work.set(id, sumOf(missed, this.#work.get(id)))
      throw error
    }
  }

  async clean(): Promise<void> {
    await deleteOldWork(this.#ctx.db, firstDay(this.#ctx.clock.now(), figureDaysMax))
  }

  start(): void {
    this.#loop.start()
  }

  async stop(): Promise<void> {
    await this.#loop.stop()
    await this.write()
  }
}

function sumOf(one: Work, other: Work | undefined): Work {
  if (other === undefined) return one
  return {
    evaluations: one.evaluations + other.evaluations,
    fired: one.fired + other.fired,
    errors: one.errors + other.errors,
    durationUs: one.durationUs + other.durationUs,
  }
}
