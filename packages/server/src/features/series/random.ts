import type { Context } from '../../platform/context.ts'
import type { ValueSource } from '../../topics/valuesStored.ts'
import type { ValueInput } from './apply.ts'
import { readRandomStates } from './store.ts'

const tickMs = 1_000
const randomSource: ValueSource = { kind: 'random' }

/** A random number in a range, rounded to `decimals` places (2 if null). */
export function randomValue(random: number, min: number, max: number, decimals: number | null): number {
  return Number((min + random * (max - min)).toFixed(decimals ?? 2))
}

/** Writes new values to states with source random at the multiples of their interval. */
export class RandomSource {
  readonly #ctx: Context
  readonly #write: (values: readonly ValueInput[]) => Promise<void>
  #timer: NodeJS.Timeout | undefined
  #running: Promise<void> | undefined

  constructor(ctx: Context, write: (values: readonly ValueInput[]) => Promise<void>) {
    this.#ctx = ctx
    this.#write = write
  }

  start(): void {
    this.#timer = setInterval(() => {
      this.#running ??= this.tick(this.#ctx.clock.now())
        .catch((error: unknown) => this.#ctx.log.warn({ err: error }, 'random values could not be stored'))
        .finally(() => {
          this.#running = undefined
        })
    }, tickMs)
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer)
    await this.#running
  }

  /** Stores a value for every random state whose interval begins in this second. */
  async tick(now: Date): Promise<void> {
    const second = Math.floor(now.getTime() / 1000)
    const states = await readRandomStates(this.#ctx.db, second)
    const time = new Date(second * 1000)
    if (states.length === 0) return
    await this.#write(
      states.map(({ id, min, max, decimals }) => ({
        stateId: id,
        value: randomValue(Math.random(), min, max, decimals),
        time,
        source: randomSource,
      })),
    )
  }
}
