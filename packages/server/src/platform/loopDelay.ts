import { monitorEventLoopDelay } from 'node:perf_hooks'
import { Gauge } from 'prom-client'
import type { Logger } from './log.ts'
import type { Metrics } from './metrics.ts'

/** How often the native timer fires; it is late by as long as the loop is blocked. */
const resolutionMs = 10
/** How often we sample, to learn which operation was running. */
const lookEveryMs = 20
/** Length of one measurement span. */
const spanMs = 10_000
/** More delays of this length in one span are not an accident. */
const held = [
  { overMs: 50, most: 10 },
  { overMs: 200, most: 2 },
] as const
/** Minimum interval between log messages. */
const sayEveryMs = 60_000
/** Maximum number of operations named in a message. */
const namedMax = 5

/** Event loop delay in the last span; seconds. */
export interface LoopDelays {
  readonly p50: number
  readonly p99: number
  readonly max: number
  /** the loop is blocked often enough to delay other requests */
  readonly isSlow: boolean
  /** operations that began last before the loop was blocked, with ms */
  readonly longest: Readonly<Record<string, number>>
}

/**
 * Measures how long the event loop is blocked, which delays every response. Names the operation that began
 * last, since it is nearly always the cause.
 */
export class LoopDelay implements Disposable {
  readonly #log: Logger
  readonly #histogram = monitorEventLoopDelay({ resolution: resolutionMs })
  readonly #timers: NodeJS.Timeout[] = []
  readonly #operations = new Map<string, number>()
  #last: () => string = () => 'nothing'
  #delays: LoopDelays = { p50: 0, p99: 0, max: 0, isSlow: false, longest: {} }
  #holds = held.map(() => 0)
  #saidAtMs = Number.NEGATIVE_INFINITY
  #lookedAtMs = performance.now()

  constructor(log: Logger, metrics: Metrics) {
    this.#log = log
    const delays = () => this.#delays
    new Gauge({
      name: 'leitstand_event_loop_delay_seconds',
      help: 'How long the event loop was held in the last 10 seconds',
      labelNames: ['quantile'],
      registers: [metrics.registry],
      collect() {
        const { p50, p99, max } = delays()
        this.set({ quantile: '0.5' }, p50)
        this.set({ quantile: '0.99' }, p99)
        this.set({ quantile: '1' }, max)
      },
    })
    metrics.gauge('event_loop_slow', '1: the event loop is held more than rarely', () =>
      Number(this.#delays.isSlow),
    )
  }

  get delays(): LoopDelays {
    return this.#delays
  }

  start(): void {
    this.#histogram.enable()
    this.#lookedAtMs = performance.now()
    this.#timers.push(
      setInterval(() => this.#look(), lookEveryMs),
      setInterval(() => this.sum(), spanMs),
    )
    for (const timer of this.#timers) timer.unref()
  }

  /** Records that an operation has begun. @param name called only if the loop was blocked */
  note(name: () => string): void {
    this.#last = name
  }

  [Symbol.dispose](): void {
    for (const timer of this.#timers) clearInterval(timer)
    this.#histogram.disable()
  }

  #look(): void {
    const nowMs = performance.now()
    const lateMs = nowMs - this.#lookedAtMs - lookEveryMs
    this.#lookedAtMs = nowMs
    if (lateMs <= held[0].overMs) return
    this.#holds = this.#holds.map((count, at) => count + Number(lateMs > (held[at]?.overMs ?? 0)))
    const name = this.#last()
    if (this.#operations.has(name) || this.#operations.size < namedMax)
      this.#operations.set(name, Math.max(this.#operations.get(name) ?? 0, Math.round(lateMs)))
  }

  /** Ends a span and publishes its measurements. */
  sum(): void {
    const seconds = (nanoseconds: number) => Math.max(0, nanoseconds / 1e6 - resolutionMs) / 1000
    const isSlow = held.some(({ most }, at) => (this.#holds[at] ?? 0) > most)
    this.#delays = {
      p50: seconds(this.#histogram.percentile(50)),
      p99: seconds(this.#histogram.percentile(99)),
      max: seconds(this.#histogram.max),
      isSlow,
      longest: Object.fromEntries(this.#operations),
    }
    const nowMs = performance.now()
    if (isSlow && nowMs - this.#saidAtMs >= sayEveryMs) {
      this.#saidAtMs = nowMs
      const [over50, over200] = this.#holds
      const { longest } = this.#delays
      this.#log.warn({ over50, over200, longest }, 'the event loop is held up; what was begun last, with ms')
    }
    this.#histogram.reset()
    this.#holds = held.map(() => 0)
    this.#operations.clear()
  }
}
