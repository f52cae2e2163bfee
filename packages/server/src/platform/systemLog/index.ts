import type { Db } from '../db/index.ts'
import type { Logger } from '../log.ts'
import { Loop } from '../loop.ts'
import { Mutex } from '../mutex.ts'
import { entryOf, type LogEntry } from './entry.ts'
import { deleteOld, insertEntries, type WaitingEntry } from './store.ts'

const writeEveryMs = 2_000
const cleanEveryMs = 3_600_000
/** Entries that wait to be written; further ones are only counted. */
const waitingMax = 1_000
/** Its own failures go to the log of the process alone: kept here, each attempt would add an entry about itself. */
const failure = 'the system log could not be written; tried again later'

interface Parts {
  db: Db
  log: Logger
  /** name of this process */
  node: string
}

/**
 * Keeps the warnings and errors of the server in the database, beside the work: logging never waits, and what
 * comes too fast is counted.
 */
export class SystemLog implements AsyncDisposable {
  #waiting: WaitingEntry[] = []
  #left = 0
  #parts: Parts | undefined
  #loop: Loop | undefined
  #cleanedAtMs = 0
  /** Two writes at once would store the same entries twice. */
  readonly #turns = new Mutex()

  /** Takes a line of the log; called by it. */
  write(line: string): void {
    if (line.includes(failure)) return
    if (this.#waiting.length >= waitingMax) {
      this.#left++
      return
    }
    const entry = entryOf(line, new Error('caller').stack ?? '')
    if (entry === null) return
    const same = entry.requestId === null ? this.#waiting.find((each) => isSame(each, entry)) : undefined
    if (same) Object.assign(same, { times: same.times + 1, at: entry.at })
    else this.#waiting.push({ ...entry, times: 1 })
  }

  /** Starts writing what has been logged and what will be. */
  start(parts: Parts): void {
    this.#parts = parts
    this.#loop = new Loop({
      log: parts.log,
      failure,
      retryMs: writeEveryMs,
      round: async () => {
        await this.flush()
        return writeEveryMs
      },
    })
    this.#loop.start()
  }

  /** Writes everything that waits. */
  flush(): Promise<void> {
    return this.#turns.run(() => this.#write())
  }

  async #write(): Promise<void> {
    const parts = this.#parts
    if (parts === undefined) return
    const { db, node } = parts
    const now = new Date()
    if (this.#left > 0) this.#waiting.push(leftOut(this.#left, now))
    this.#left = 0
    const written = this.#waiting.slice()
    if (written.length > 0) await insertEntries(db, node, written)
    // What came meanwhile waits for the next time; what could not be written does, too.
    this.#waiting = this.#waiting.filter((entry) => !written.includes(entry))
    if (now.getTime() - this.#cleanedAtMs < cleanEveryMs) return
    await deleteOld(db, now)
    this.#cleanedAtMs = now.getTime()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#loop?.stop()
    await this.flush()
    this.#parts = undefined
  }
}

function isSame(a: LogEntry, b: LogEntry): boolean {
  return (
    a.requestId === null &&
    a.message === b.message &&
    a.level === b.level &&
    a.area === b.area &&
    a.code === b.code &&
    JSON.stringify(a.about) === JSON.stringify(b.about)
  )
}

function leftOut(count: number, at: Date): WaitingEntry {
  const message = `${count} more entries came too fast to be kept`
  return {
    at,
    level: 'warning',
    area: 'systemLog',
    message,
    code: null,
    stack: null,
    requestId: null,
    about: {},
    times: count,
  }
}
