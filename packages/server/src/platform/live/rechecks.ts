import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises'
import type { LiveTopic } from '@leitstand/contract/live'
import type { Connection } from './connection.ts'

/** Connections checked in parallel: requests need the database too. */
const atOnce = 6
/** Minimum time between the starts of two rounds: many changes in a row cost one check per connection. */
const paceMs = 250

/** What has to be checked again. */
export interface Due {
  /** the owner of the connection and their rights */
  caller: boolean
  topics: Set<LiveTopic>
}

/**
 * Connections to check again because something they depend on has changed. Each is checked once however often
 * it was added, never twice at the same time, and always after the last change.
 */
export class Rechecks {
  readonly #look: (connection: Connection, due: Due) => Promise<void>
  readonly #due = new Map<Connection, Due>()
  readonly #stop = new AbortController()
  #running: Promise<void> | undefined

  /** @param look must not throw */
  constructor(look: (connection: Connection, due: Due) => Promise<void>) {
    this.#look = look
  }

  /** @param topic absent: the caller is checked again */
  add(connection: Connection, topic?: LiveTopic): void {
    if (this.#stop.signal.aborted) return
    const due = this.#due.get(connection) ?? { caller: false, topics: new Set() }
    if (topic === undefined) due.caller = true
    else due.topics.add(topic)
    this.#due.set(connection, due)
    this.#running ??= this.#run()
  }

  /** Resolves when no checks are pending; for tests. */
  async settled(): Promise<void> {
    await this.#running
  }

  async stop(): Promise<void> {
    this.#stop.abort()
    this.#due.clear()
    await this.#running
  }

  async #run(): Promise<void> {
    // Connections added in the same turn belong to the same round.
    await nextTurn()
    while (this.#due.size > 0) {
      const endMs = performance.now() + paceMs
      const round = [...this.#due]
      this.#due.clear()
      await Promise.all(Array.from({ length: atOnce }, () => this.#work(round)))
      if (this.#due.size > 0 && !this.#stop.signal.aborted) await delay(endMs - performance.now())
    }
    this.#running = undefined
  }

  async #work(round: [Connection, Due][]): Promise<void> {
    for (let next = round.pop(); next !== undefined; next = round.pop()) await this.#look(...next)
  }
}
