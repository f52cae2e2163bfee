import type { Logger } from '../log.ts'
import { roles } from './roles.ts'
import type { Figure, Member, Nodes, SharedWork } from './types.ts'

interface AloneOptions {
  name: string
  log: Logger
  /** version of Leitstand and newest migration */
  version: string
  schema: string
}

/** A single process: it has every role and does all shared work. */
export class Alone implements Nodes {
  readonly isCluster = false
  readonly #options: AloneOptions
  readonly #startedAt = new Date().toISOString()
  readonly #works = new Map<string, SharedWork>()
  #started = false
  readonly #figures = new Map<Figure, () => number>()
  #usage = process.cpuUsage()
  #usageAt = performance.now()

  constructor(options: AloneOptions) {
    this.#options = options
  }

  get name(): string {
    return this.#options.name
  }

  has(): boolean {
    return true
  }

  members(): readonly Member[] {
    const now = performance.now()
    const used = process.cpuUsage(this.#usage)
    const processors = (used.user + used.system) / 1000 / Math.max(1, now - this.#usageAt)
    if (now - this.#usageAt > 1000) {
      this.#usage = process.cpuUsage()
      this.#usageAt = now
    }
    const { name, version, schema } = this.#options
    return [
      {
        name,
        roles,
        version,
        schema,
        startedAt: this.#startedAt,
        heardMs: 0,
        isAlive: true,
        isSelf: true,
        leases: [],
        processors,
        memoryBytes: process.memoryUsage.rss(),
        packetsWaiting: this.#figures.get('packetsWaiting')?.() ?? 0,
        eventsLateMs: this.#figures.get('eventsLateMs')?.() ?? 0,
      },
    ]
  }

  share(work: SharedWork): () => Promise<void> {
    if (this.#works.has(work.key)) throw new Error(`shared work ${work.key} exists`)
    this.#works.set(work.key, work)
    const begun = this.#started ? work.start() : Promise.resolve()
    begun.catch((error: unknown) =>
      this.#options.log.error({ err: error, work: work.key }, 'shared work failed'),
    )
    return async () => {
      if (this.#works.delete(work.key)) await work.stop()
    }
  }

  holds(key: string): boolean {
    return this.#started && this.#works.has(key)
  }

  async release(): Promise<void> {}

  tell(): void {}

  hear(): void {}

  async ask(): Promise<'nobody'> {
    return 'nobody'
  }

  answer(): () => void {
    return () => undefined
  }

  report(figure: Figure, read: () => number): void {
    this.#figures.set(figure, read)
  }

  problem(): null {
    return null
  }

  async start(): Promise<void> {
    this.#started = true
    for (const work of this.#works.values()) await work.start()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.rest()
  }

  async rest(): Promise<void> {
    const works = [...this.#works.values()]
    this.#works.clear()
    if (this.#started) for (const work of works) await work.stop()
  }
}
