import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { endChild, freePorts, keepTail } from '../platform.ts'
import type { Place } from './network.ts'
import { findProgram } from './program.ts'

/** Their names. */
export const natsNames = ['nats1', 'nats2', 'nats3'] as const
const serverCount = natsNames.length
const startTimeoutMs = 30_000
const answerMs = 2_000
const pollMs = 100
const packetStream = 'leitstand_journal'

/** What the monitoring page of a server says about its streams. */
interface Jetstream {
  meta_cluster?: { leader?: string }
  account_details?: {
    stream_detail?: {
      name: string
      cluster?: { leader?: string; replicas?: { current: boolean; offline?: boolean }[] }
    }[]
  }[]
}

interface Ports {
  client: number
  cluster: number
  monitor: number
}

/** One nats-server of the cluster; its files survive a kill. */
export class NatsServer {
  readonly name: string
  readonly port: number
  readonly place: Place
  readonly #monitor: number
  readonly #program: string
  readonly #file: string
  #child: ChildProcess | undefined
  #said = () => ''

  constructor(program: string, name: string, file: string, ports: Ports, place: Place) {
    this.#program = program
    this.name = name
    this.place = place
    this.#file = file
    this.port = ports.client
    this.#monitor = ports.monitor
  }

  /** null while it does not run */
  get pid(): number | null {
    return this.#child?.pid ?? null
  }

  /** Starts it; it need not be ready yet. */
  up(): void {
    const [command = '', ...words] = [...this.place.enter, this.#program, '-c', this.#file]
    const child = spawn(command, words, { stdio: ['ignore', 'ignore', 'pipe'] })
    this.#said = keepTail(child)
    this.#child = child
    child.once('exit', () => {
      if (this.#child === child) this.#child = undefined
    })
  }

  kill(signal: NodeJS.Signals): void {
    this.#child?.kill(signal)
  }

  /** kill -9; resolves when it is gone. */
  async crash(): Promise<void> {
    const child = this.#child
    if (child === undefined) return
    const gone = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGKILL')
    await gone
  }

  async down(): Promise<void> {
    const child = this.#child
    if (child === undefined) return
    child.kill('SIGCONT')
    await endChild(child)
  }

  /** Its streams; null while it does not answer. */
  async jetstream(): Promise<Jetstream | null> {
    try {
      const reply = await fetch(`http://${this.place.host}:${this.#monitor}/jsz?accounts=true&streams=true`, {
        signal: AbortSignal.timeout(answerMs),
      })
      return reply.ok ? ((await reply.json()) as Jetstream) : null
    } catch {
      return null // it is down, stopped or cut off
    }
  }

  /** The end of its output. */
  tail(): string {
    return this.#said()
  }
}

/** Three servers of NATS with JetStream in files. */
export class NatsServers implements AsyncDisposable {
  readonly servers: readonly NatsServer[]

  private constructor(servers: readonly NatsServer[]) {
    this.servers = servers
  }

  /**
   * @param folder for their files
   * @param places by name
   * @throws when they have not found each other in time
   */
  static async start(
    folder: string,
    places: (name: string) => Place,
    signal: AbortSignal,
  ): Promise<NatsServers> {
    const program = findProgram('nats-server')
    const free = await freePorts(3 * serverCount)
    const ports: Ports[] = Array.from({ length: serverCount }, (_, at) => {
      const [client = 0, cluster = 0, monitor = 0] = free.slice(3 * at)
      return { client, cluster, monitor }
    })
    const routes = ports
      .map(({ cluster }, at) => `nats://${places(natsNames[at] as string).host}:${cluster}`)
      .join(', ')
    const servers = natsNames.map((name, at) => {
      const own = ports[at] as Ports
      const place = places(name)
      const store = join(folder, name)
      mkdirSync(store, { recursive: true })
      const lines = [
        `server_name: ${name}`,
        `listen: ${place.host}:${own.client}`,
        `http: ${place.host}:${own.monitor}`,
        'max_payload: 4MB',
        `jetstream { store_dir: "${store}" }`,
        `cluster { name: bench, listen: ${place.host}:${own.cluster}, no_advertise: true, routes: [${routes}] }`,
      ]
      const file = join(folder, `${name}.conf`)
      writeFileSync(file, `${lines.join('\n')}\n`)
      return new NatsServer(program, name, file, own, place)
    })
    const cluster = new NatsServers(servers)
    for (const server of servers) server.up()
    try {
      await cluster.#ready(signal)
    } catch (error) {
      await cluster[Symbol.asyncDispose]()
      throw error
    }
    return cluster
  }

  /** For `NATS_URL`. */
  get url(): string {
    return this.servers.map(({ port, place }) => `nats://${place.host}:${port}`).join(',')
  }

  get pids(): number[] {
    return this.servers.flatMap(({ pid }) => pid ?? [])
  }

  /** Whether every stream has its three copies, all of them as they are now. */
  async isHealthy(): Promise<boolean> {
    const streams = await this.#streams()
    return (
      streams.some(({ name }) => name === packetStream) &&
      streams.every(({ cluster }) => {
        const copies = cluster?.replicas ?? []
        return (
          copies.length === serverCount - 1 && copies.every(({ current, offline }) => current && !offline)
        )
      })
    )
  }

  /** The server that leads the stream of packets; undefined when none does or nobody knows. */
  async leader(): Promise<NatsServer | undefined> {
    const stream = await this.#stream()
    return this.servers.find(({ name }) => name === stream?.cluster?.leader)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.servers.map((server) => server.down()))
  }

  async #stream() {
    return (await this.#streams()).find(({ name }) => name === packetStream)
  }

  /** As their leaders see them. */
  async #streams() {
    const seen = await Promise.all(
      this.servers.map(async (server) => [server.name, await server.jetstream()] as const),
    )
    const found = seen.flatMap(([name, state]) =>
      (state?.account_details ?? [])
        .flatMap((account) => account.stream_detail ?? [])
        .map((stream) => ({ ...stream, seenBy: name })),
    )
    return found.filter((stream) => stream.cluster?.leader === stream.seenBy)
  }

  async #ready(signal: AbortSignal): Promise<void> {
    for (const end = performance.now() + startTimeoutMs; performance.now() < end; ) {
      const seen = await Promise.all(this.servers.map((server) => server.jetstream()))
      if (seen.every((state) => state?.meta_cluster?.leader)) return
      await delay(pollMs, undefined, { signal })
    }
    throw new Error(
      `the servers of NATS did not find each other: ${this.servers.map((each) => each.tail()).join('\n')}`,
    )
  }
}
