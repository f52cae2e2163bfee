import { JetStreamApiError } from '@nats-io/jetstream'
import type { KV, KvEntry } from '@nats-io/kv'
import type { Logger } from '../log.ts'
import { choose } from './rendezvous.ts'
import type { Role } from './roles.ts'
import type { SharedWork } from './types.ts'

/** The code of NATS for an update of a revision that is not the newest. */
const wrongRevision = 10_071

/** Who has a lease. */
interface Holder {
  node: string
  instance: string
}

interface LeasesOptions {
  kv: KV
  log: Logger
  self: { name: string; instance: string }
  /** whether this node has lost touch with the others */
  isIsolated(): boolean
  /** names of the nodes that are alive and have the role */
  alive(role: Role): string[]
  isHolderAlive(name: string, instance: string): boolean
}

interface Shared {
  work: SharedWork
  /** revision of our lease; 0: not ours */
  revision: number
  /** a change of the lease was not answered: it may have been made or not */
  isUnsure: boolean
  isRunning: boolean
  /** changes of a work run one after another */
  turn: Promise<void>
}

/**
 * Leases in a key-value bucket: for each key at most one live node has one. They do not expire; a lease of a node
 * that is dead may be taken. A paused process that wakes up believes in its leases until its next round, so what
 * holders do must also be safe when two do it for a moment.
 */
export class Leases {
  readonly #options: LeasesOptions
  readonly #works = new Map<string, Shared>()
  /** keys of work that is not shared any more, whose leases may still be ours */
  readonly #unsure = new Set<string>()
  #isRunning = false
  #stopped = false

  constructor(options: LeasesOptions) {
    this.#options = options
  }

  /** Registers work. @param mayRun whether this node has its role */
  share(work: SharedWork, mayRun: boolean): () => Promise<void> {
    if (!mayRun) return async () => {}
    if (this.#works.has(work.key)) throw new Error(`shared work ${work.key} exists`)
    const isUnsure = this.#unsure.delete(work.key)
    const shared: Shared = { work, revision: 0, isUnsure, isRunning: false, turn: Promise.resolve() }
    this.#works.set(work.key, shared)
    return async () => {
      if (this.#works.get(work.key) === shared) this.#works.delete(work.key)
      await this.#inTurn(shared, () => this.#release(shared))
      if (shared.isUnsure) this.#unsure.add(work.key)
    }
  }

  holds(key: string): boolean {
    return this.#works.get(key)?.isRunning ?? false
  }

  held(): string[] {
    return [...this.#works].filter(([, { isRunning }]) => isRunning).map(([key]) => key)
  }

  /** Gives up a lease that this node has: its work stops, and is claimed again by the node that shall have it. */
  async giveUp(key: string): Promise<void> {
    const shared = this.#works.get(key)
    if (shared?.isRunning) await this.#inTurn(shared, () => this.#release(shared))
  }

  /** Claims what this node shall do and is free, and gives up what another shall do. */
  async round(): Promise<void> {
    if (this.#isRunning || this.#stopped) return
    this.#isRunning = true
    try {
      const isIsolated = this.#options.isIsolated()
      const changes = [...this.#works.values()].map((shared) => this.#look(shared, isIsolated))
      await Promise.all(changes)
    } finally {
      this.#isRunning = false
    }
  }

  async stop(): Promise<void> {
    this.#stopped = true
    const all = [...this.#works.values()]
    this.#works.clear()
    await Promise.all(all.map((shared) => this.#inTurn(shared, () => this.#release(shared))))
  }

  async #look(shared: Shared, isIsolated: boolean): Promise<void> {
    const { work, isRunning } = shared
    if (isIsolated) {
      // Others will take the lease for that of a dead node.
      if (isRunning) await this.#inTurn(shared, () => this.#halt(shared))
      return
    }
    const chosen = choose(work.key, this.#options.alive(work.role))
    if (chosen === this.#options.self.name) {
      if (!isRunning) await this.#inTurn(shared, () => this.#claim(shared))
      // Also what it only holds: it has stopped the work while it had lost touch.
    } else if (isRunning || shared.revision > 0 || shared.isUnsure)
      await this.#inTurn(shared, () => this.#release(shared))
  }

  /** Others leave a lease to us as long as we live: one that we only may have must not be forgotten. */
  async #makeSure(shared: Shared): Promise<void> {
    if (!shared.isUnsure) return
    const entry = await this.#options.kv.get(shared.work.key)
    const isOwn = !isFree(entry) && entry.json<Holder>().instance === this.#options.self.instance
    shared.revision = isOwn ? entry.revision : 0
    shared.isUnsure = false
  }

  async #claim(shared: Shared): Promise<void> {
    const { kv, self, isHolderAlive } = this.#options
    const { key } = shared.work
    if (shared.isRunning || this.#stopped || this.#works.get(key) !== shared) return
    const own = JSON.stringify({ node: self.name, instance: self.instance } satisfies Holder)
    const entry = await kv.get(key)
    if (!isFree(entry)) {
      const holder = entry.json<Holder>()
      const isOwn = holder.instance === self.instance
      if (!isOwn && isHolderAlive(holder.node, holder.instance)) return
    }
    shared.isUnsure = true
    shared.revision = entry === null ? await kv.create(key, own) : await kv.update(key, own, entry.revision)
    shared.isUnsure = false
    shared.isRunning = true
    try {
      await shared.work.start()
    } catch (error) {
      // Held by nobody, it can be claimed again, here or by the node that shall have it then.
      await this.#release(shared)
      throw error
    }
  }

  async #halt(shared: Shared): Promise<void> {
    if (!shared.isRunning) return
    shared.isRunning = false
    await shared.work.stop()
  }

  async #release(shared: Shared): Promise<void> {
    await this.#halt(shared)
    await this.#makeSure(shared)
    const { revision } = shared
    if (revision === 0) return
    shared.isUnsure = true
    await this.#options.kv.delete(shared.work.key, { previousSeq: revision })
    shared.revision = 0
    shared.isUnsure = false
  }

  #inTurn(shared: Shared, change: () => Promise<void>): Promise<void> {
    shared.turn = shared.turn.then(change).catch((error: unknown) => {
      // Another node was faster; the next round sees it.
      if (error instanceof JetStreamApiError && error.code === wrongRevision) return
      this.#options.log.warn(
        { err: error, work: shared.work.key },
        'a lease could not be changed; tried again',
      )
    })
    return shared.turn
  }
}

function isFree(entry: KvEntry | null): entry is null {
  return entry === null || entry.operation !== 'PUT'
}
