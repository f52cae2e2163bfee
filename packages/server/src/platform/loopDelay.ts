import { monitorEventLoopDelay } from 'node:perf_hooks'
import { Gauge } from 'prom-client'
import type { Logger } from './log.ts'
import type { Metrics } from './metrics.ts'

/** How often the native timer looks; it is as much too late as the loop is held. */
const resolutionMs = 10
/** How often we look by ourselves, to learn what was running. */
const lookEveryMs = 20
/** What is measured covers this long. */
const spanMs = 10_000
/** In one span: more holds of this length than that are no accident. */
const held = [
  { overMs: 50, most: 10 },
  { overMs: 200, most: 2 },
] as const
/** It is said this often at most. */
const sayEveryMs = 60_000
/** Operations that are named. */
const namedMax = 5

/** How late the event loop was in the last span; seconds. */
export interface LoopDelays {
  readonly p50: number
  readonly p99: number
  readonly max: number
  /** it is held more than rarely: others wait */
  readonly isSlow: boolean
  /** what was begun last before the loop was held, with ms */
  readonly longest: Readonly<Record<string, number>>
}

/**
 * Watches how long the event loop is held: nobody is answered meanwhile. What was begun last is named, which is nearly always
 * what holds it.
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

  /** Notes what has begun. @param name called only when something was held up */
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

  /** Ends a span: what was measured in it can be read from now on. */
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
