import { type ChildProcess, fork } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type pg from 'pg'
import { descendantsOf, listProcesses, signalTo } from '../chaos/procfs.ts'
import { clusterOf, endChild, endOrphan, keepTail } from '../platform.ts'

const entry = fileURLToPath(new URL('../../../server/test/embeddedServer.ts', import.meta.url))

/** Each node may take over twenty. */
const connectionsMax = 300

/** The embedded database in a process of its own, so that it belongs to no node. */
export class SharedDatabase implements AsyncDisposable {
  readonly #folder: string
  #child: ChildProcess | undefined

  private constructor(folder: string) {
    this.#folder = folder
  }

  static async start(folder: string): Promise<SharedDatabase> {
    const database = new SharedDatabase(join(folder, 'database'))
    await database.up()
    return database
  }

  get pid(): number | null {
    return this.#child?.pid ?? null
  }

  /** null while it does not run */
  get config(): pg.ClientConfig | null {
    return clusterOf(this.#folder)
  }

  /** For `DATABASE_URL`. */
  get url(): string {
    const { user, password, host, port, database } = this.config ?? {}
    return `postgres://${user}:${encodeURIComponent(String(password))}@localhost/${database}?host=${encodeURIComponent(String(host))}&port=${port}`
  }

  /** Starts it; resolves when it answers. */
  async up(): Promise<void> {
    const child = fork(entry, [this.#folder, String(connectionsMax)], {
      execArgv: [],
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    })
    this.#child = child
    const said = keepTail(child)
    await new Promise<void>((resolve, reject) => {
      child.stdout?.once('data', () => resolve())
      child.once('error', reject)
      child.once('exit', (code) => reject(new Error(`the database ended with ${code}: ${said()}`)))
    })
  }

  /** kill -9 of all its processes. @returns how many */
  async crash(): Promise<number> {
    const child = this.#child
    if (child?.pid === undefined) return 0
    const gone = new Promise((resolve) => child.once('exit', resolve))
    const all = descendantsOf(child.pid, listProcesses())
    // First what would start it again.
    child.kill('SIGKILL')
    for (const { pid } of all) signalTo(pid, 'SIGKILL')
    await gone
    this.#child = undefined
    return all.length
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child) await endChild(this.#child)
    await endOrphan(this.#folder)
  }
}
