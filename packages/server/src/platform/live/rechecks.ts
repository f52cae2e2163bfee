import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises'
import type { LiveTopic } from '@leitstand/contract/live'
import type { Connection } from './connection.ts'

/** Connections looked at side by side: requests need the database, too. */
const atOnce = 6
/** From the beginning of a round to the next one: many changes in a row cost one look at each connection. */
const paceMs = 250

/** What has to be looked at again. */
export interface Due {
  /** who the connection belongs to, and what he may do */
  caller: boolean
  topics: Set<LiveTopic>
}

/**
 * Connections that have to be looked at again because something they rest on has changed. Each is looked at once however
 * often it was named, never twice at the same time, and after the last change in any case.
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

  /** @param topic absent: the caller is looked at again */
  add(connection: Connection, topic?: LiveTopic): void {
    if (this.#stop.signal.aborted) return
    const due = this.#due.get(connection) ?? { caller: false, topics: new Set() }
    if (topic === undefined) due.caller = true
    else due.topics.add(topic)
    this.#due.set(connection, due)
    this.#running ??= this.#run()
  }

  /** Resolves when nothing is left to look at; for tests. */
  async settled(): Promise<void> {
    await this.#running
  }

  async stop(): Promise<void> {
    this.#stop.abort()
    this.#due.clear()
    await this.#running
  }

  async #run(): Promise<void> {
    // What is named in the same turn belongs to the same round.
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
