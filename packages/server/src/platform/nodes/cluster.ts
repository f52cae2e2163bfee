import { randomUUID } from 'node:crypto'
import { type KV, type KvEntry, Kvm, type KvWatchEntry } from '@nats-io/kv'
import { type Msg, type NatsConnection, RequestError } from '@nats-io/transport-node'
import { messageOf, StartError } from '../errors.ts'
import type { Logger } from '../log.ts'
import { withReplicas } from './connect.ts'
import { Leases } from './leases.ts'
import type { Role } from './roles.ts'
import type { BusMessage, Figure, Member, Nodes, Problem, SharedWork } from './types.ts'

/** Times in ms. A node that is silent for `silentMs` is taken for dead; one that cannot report stops before. */
export const clusterTimes = {
  beatMs: 500,
  /** without a written report for so long, a node stops all shared work */
  lostMs: 2_000,
  silentMs: 3_000,
  /** members that are gone are shown for so long */
  shownMs: 60_000,
} as const

const bucket = 'leitstand_nodes'
const busPrefix = 'leitstand.bus'
/** What nodes tell each other to give up a lease. */
const releaseSubject = 'leases.release'
const reportSubject = 'nodes.report'
const leftSubject = 'nodes.left'
const askPrefix = 'leitstand.ask'

interface Report {
  instance: string
  roles: readonly Role[]
  version: string
  schema: string
  startedAt: string
  leases: readonly string[]
  processors: number
  memoryBytes: number
  packetsWaiting: number
  eventsLateMs: number
}

interface Known {
  report: Report
  /** by `performance.now()` */
  heardAt: number
}

export interface ClusterOptions {
  nc: NatsConnection
  name: string
  roles: readonly Role[]
  version: string
  schema: string
  log: Logger
  /** called when this node cannot go on, e.g. because another one has its name */
  onLost: (error: Error) => void
}

/**
 * Several nodes connected by NATS. Each reports twice a second to a key-value bucket, where the others hear it; who
 * is alive is judged by when it was heard, never by the clock of another machine.
 */
export class Cluster implements Nodes {
  readonly isCluster = true
  readonly nc: NatsConnection
  readonly #options: ClusterOptions
  readonly #instance = randomUUID()
  readonly #startedAt = new Date().toISOString()
  readonly #known = new Map<string, Known>()
  readonly #leases: Leases
  readonly #listeners = new Map<string, (message: BusMessage, from: string) => void>()
  readonly #kv: KV
  #revision = 0
  #reportedAt = performance.now()
  #isReporting = false
  #beat: NodeJS.Timeout | undefined
  #usage = process.cpuUsage()
  #usageAt = performance.now()
  #stopped = false
  #problem: Problem | null = null
  readonly #figures = new Map<Figure, () => number>()

  private constructor(options: ClusterOptions, kv: KV, leases: KV) {
    this.#options = options
    this.nc = options.nc
    this.#kv = kv
    this.#leases = new Leases({
      kv: leases,
      log: options.log,
      self: { name: options.name, instance: this.#instance },
      isIsolated: () => this.#isIsolated(),
      alive: (role) => this.#alive(role),
      isHolderAlive: (name, instance) => this.#isAlive(name, instance),
    })
    this.hear(releaseSubject, (key) => {
      if (typeof key === 'string') void this.#leases.giveUp(key)
    })
    this.hear(reportSubject, (report, from) => this.#know(from, report as Report))
    this.hear(leftSubject, (instance, from) => {
      if (this.#known.get(from)?.report.instance === instance) this.#known.delete(from)
    })
  }

  /**
   * Takes the name of this node.
   * @throws StartError when a node with this name is running
   */
  static async join(options: ClusterOptions): Promise<Cluster> {
    const kvm = new Kvm(options.nc)
    // Read from the server that leads: the copy of another may be behind, for long after it was killed.
    const open = (name: string) =>
      withReplicas(options.nc, (replicas) => kvm.create(name, { replicas, history: 1, allow_direct: false }))
    const [kv, leases] = [await open(bucket), await open('leitstand_leases')]
    const cluster = new Cluster(options, kv, leases)
    await cluster.#takeName()
    await cluster.#watch()
    await cluster.#listen()
    return cluster
  }

  get name(): string {
    return this.#options.name
  }

  has(role: Role): boolean {
    return this.#options.roles.includes(role)
  }

  members(): readonly Member[] {
    const now = performance.now()
    const found: Member[] = []
    for (const [name, { report, heardAt }] of this.#known) {
      const isSelf = report.instance === this.#instance
      const heardMs = isSelf ? now - this.#reportedAt : now - heardAt
      if (heardMs > clusterTimes.shownMs) continue
      const { instance: _instance, ...shown } = report
      const isAlive = heardMs < clusterTimes.silentMs
      found.push({ ...shown, name, heardMs, isAlive, isSelf })
    }
    return found.sort((a, b) => a.name.localeCompare(b.name))
  }

  share(work: SharedWork): () => Promise<void> {
    return this.#leases.share(work, this.has(work.role))
  }

  holds(key: string): boolean {
    return this.#leases.holds(key)
  }

  async release(key: string): Promise<void> {
    this.tell(releaseSubject, key)
    await this.#leases.giveUp(key)
  }

  tell(subject: string, message: BusMessage): void {
    if (this.nc.isClosed()) return
    this.nc.publish(`${busPrefix}.${subject}`, JSON.stringify({ from: this.name, message }))
  }

  hear(subject: string, listener: (message: BusMessage, from: string) => void): void {
    if (this.#listeners.has(subject)) throw new Error(`bus subject ${subject} exists`)
    this.#listeners.set(subject, listener)
  }

  async ask<T>(
    subject: string,
    question: BusMessage,
    timeoutMs: number,
  ): Promise<{ answer: T } | 'nobody' | 'silent'> {
    const asked = JSON.stringify({ from: this.name, message: question })
    try {
      const reply = await this.nc.request(`${askPrefix}.${subject}`, asked, { timeout: timeoutMs })
      return { answer: reply.json<T>() }
    } catch (error) {
      if (error instanceof RequestError && error.isNoResponders()) return 'nobody'
      this.#options.log.debug({ err: error, subject }, 'no node has answered')
      return 'silent'
    }
  }

  answer(subject: string, answers: (question: BusMessage) => Promise<unknown>): () => void {
    const subscription = this.nc.subscribe(`${askPrefix}.${subject}`)
    void (async () => {
      for await (const message of subscription) void this.#reply(message, answers)
    })()
    return () => subscription.unsubscribe()
  }

  async #reply(message: Msg, answers: (question: BusMessage) => Promise<unknown>): Promise<void> {
    try {
      const { from, message: question } = message.json<{ from: string; message: BusMessage }>()
      if (from === this.name) return
      const answer = await answers(question)
      if (answer !== undefined) message.respond(JSON.stringify(answer))
    } catch (error) {
      this.#options.log.warn({ err: error, subject: message.subject }, 'a question of another node failed')
    }
  }

  report(figure: Figure, read: () => number): void {
    this.#figures.set(figure, read)
  }

  problem(): Problem | null {
    if (this.nc.isClosed()) return { code: 'unreachable', text: 'the connection to NATS is closed' }
    if (this.#isIsolated())
      return { code: 'unreachable', text: 'NATS cannot be reached: packets are refused until it is back' }
    return this.#problem
  }

  /** Sets what keeps this node from its work; null: nothing any more. */
  setProblem(problem: Problem | null): void {
    this.#problem = problem
  }

  async start(): Promise<void> {
    await this.#report()
    this.#beat = setInterval(() => void this.#tick(), clusterTimes.beatMs)
    await this.#leases.round()
  }

  async rest(): Promise<void> {
    if (this.#stopped) return
    this.#stopped = true
    clearInterval(this.#beat)
    await this.#leases.stop()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.rest()
    try {
      // Others take over at once instead of waiting for its silence.
      this.tell(leftSubject, this.#instance)
      await this.#kv.delete(this.name)
    } catch (error) {
      this.#options.log.warn({ err: error }, 'the other nodes could not be told of the stop')
    }
    await this.nc.close()
  }

  async #takeName(): Promise<void> {
    const { name } = this.#options
    const found = await this.#kv.get(name)
    if (found === null || found.operation !== 'PUT') {
      this.#revision = await this.#put(0)
      return
    }
    // It may be the last report of a process that was killed: one that runs reports again.
    const before = found.revision
    const until = performance.now() + clusterTimes.silentMs
    while (performance.now() < until) {
      await new Promise((resolve) => setTimeout(resolve, clusterTimes.beatMs))
      const entry = await this.#kv.get(name)
      if (entry !== null && entry.operation === 'PUT' && entry.revision !== before)
        throw new StartError(`A node with the name ${name} is running; set another NODE_NAME.`)
    }
    this.#revision = await this.#put(before)
  }

  async #put(revision: number): Promise<number> {
    const text = JSON.stringify(this.#ownReport())
    try {
      return revision === 0
        ? await this.#kv.create(this.name, text)
        : await this.#kv.update(this.name, text, revision)
    } catch (error) {
      throw new StartError(`The name ${this.name} cannot be taken in NATS: ${messageOf(error)}`)
    }
  }

  #ownReport(): Report {
    const { roles, version, schema } = this.#options
    const now = performance.now()
    const used = process.cpuUsage(this.#usage)
    const processors = (used.user + used.system) / 1000 / Math.max(1, now - this.#usageAt)
    this.#usage = process.cpuUsage()
    this.#usageAt = now
    return {
      instance: this.#instance,
      roles,
      version,
      schema,
      startedAt: this.#startedAt,
      leases: this.#leases.held(),
      processors,
      memoryBytes: process.memoryUsage.rss(),
      packetsWaiting: this.#figures.get('packetsWaiting')?.() ?? 0,
      eventsLateMs: this.#figures.get('eventsLateMs')?.() ?? 0,
    }
  }

  async #watch(): Promise<void> {
    // Who there is must be known before the first entry is watched.
    for await (const key of await this.#kv.keys()) {
      const entry = await this.#kv.get(key)
      if (entry !== null) this.#hear(entry)
    }
    const entries = await this.#kv.watch()
    void this.#follow(entries)
  }

  async #follow(entries: AsyncIterable<KvWatchEntry>): Promise<void> {
    try {
      for await (const entry of entries) this.#hear(entry)
    } catch (error) {
      if (!this.#stopped)
        this.#options.onLost(new StartError(`The nodes cannot be followed: ${messageOf(error)}`))
    }
  }

  #hear(entry: KvEntry): void {
    if (entry.operation !== 'PUT') {
      this.#known.delete(entry.key)
      return
    }
    const report = entry.json<Report>()
    if (entry.key === this.name && report.instance !== this.#instance && entry.revision > this.#revision) {
      this.#options.onLost(new StartError(`Another node has taken the name ${this.name}.`))
      return
    }
    this.#know(entry.key, report)
  }

  /** One of a process that was followed by another, heard late, says nothing. */
  #know(name: string, report: Report): void {
    const known = this.#known.get(name)
    const heardAt = performance.now()
    const isFollowed = known !== undefined && known.report.startedAt > report.startedAt
    if (isFollowed && heardAt - known.heardAt < clusterTimes.silentMs) return
    this.#known.set(name, { report, heardAt })
  }

  async #listen(): Promise<void> {
    const subscription = this.nc.subscribe(`${busPrefix}.>`)
    void (async () => {
      for await (const message of subscription) {
        const listener = this.#listeners.get(message.subject.slice(busPrefix.length + 1))
        if (listener === undefined) continue
        try {
          const { from, message: content } = message.json<{ from: string; message: BusMessage }>()
          if (from !== this.name) listener(content, from)
        } catch (error) {
          this.#options.log.warn({ err: error, subject: message.subject }, 'a message of another node failed')
        }
      }
    })()
    await this.nc.flush()
  }

  async #tick(): Promise<void> {
    await this.#report()
    await this.#leases.round()
  }

  async #report(): Promise<void> {
    if (this.#isReporting) return
    this.#isReporting = true
    try {
      const report = this.#ownReport()
      this.#revision = await this.#kv.update(this.name, JSON.stringify(report), this.#revision)
      this.#reportedAt = performance.now()
      // Who watches the bucket through a server whose copy is behind hears of it all the same.
      this.tell(reportSubject, report)
    } catch (error) {
      if (!this.#stopped) await this.#recover(error)
    } finally {
      this.#isReporting = false
    }
  }

  /** A report may have arrived although its answer was lost. */
  async #recover(error: unknown): Promise<void> {
    this.#options.log.warn({ err: error }, 'this node could not report to the others')
    try {
      const entry = await this.#kv.get(this.name)
      if (entry === null || entry.operation !== 'PUT') {
        this.#revision = await this.#kv.create(this.name, JSON.stringify(this.#ownReport()))
      } else if (entry.json<Report>().instance === this.#instance) this.#revision = entry.revision
      else this.#options.onLost(new StartError(`Another node has taken the name ${this.name}.`))
    } catch (again) {
      this.#options.log.warn({ err: again }, 'NATS does not answer; tried again')
    }
  }

  #isIsolated(): boolean {
    return performance.now() - this.#reportedAt > clusterTimes.lostMs
  }

  #alive(role: Role): string[] {
    return this.members()
      .filter(({ isAlive, roles }) => isAlive && roles.includes(role))
      .map(({ name }) => name)
  }

  #isAlive(name: string, instance: string): boolean {
    const known = this.#known.get(name)
    if (known === undefined || known.report.instance !== instance) return false
    return performance.now() - known.heardAt < clusterTimes.silentMs
  }
}
