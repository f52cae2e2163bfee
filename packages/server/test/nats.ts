import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { jetstreamManager, StorageType } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { accepts, freePort } from './ports.ts'

const run = promisify(execFile)
const places = ['/usr/sbin/nats-server', '/usr/local/bin/nats-server', '/usr/bin/nats-server']

export interface NatsOptions {
  /** false: without JetStream */
  jetstream?: boolean
  maxPayload?: string
  /** lines of the configuration */
  lines?: readonly string[]
}

/** A real nats-server with JetStream on a free port; its store survives `kill` and `down`. */
export class NatsServer implements AsyncDisposable {
  readonly port: number
  readonly #program: string
  readonly #folder: string
  #process: ChildProcess | undefined

  private constructor(program: string, folder: string, port: number) {
    this.#program = program
    this.#folder = folder
    this.port = port
  }

  static async start(options: NatsOptions = {}): Promise<NatsServer> {
    const program = await natsProgram()
    const folder = mkdtempSync(join(tmpdir(), 'leitstand-nats-'))
    const port = await freePort()
    const lines = [
      `host: 127.0.0.1`,
      `port: ${port}`,
      `server_name: test${port}`,
      `max_payload: ${options.maxPayload ?? '4MB'}`,
      ...(options.jetstream === false ? [] : [`jetstream { store_dir: "${folder}/store" }`]),
      ...(options.lines ?? []),
    ]
    writeFileSync(join(folder, 'nats.conf'), `${lines.join('\n')}\n`)
    const server = new NatsServer(program, folder, port)
    await server.up()
    return server
  }

  get url(): string {
    return `nats://${this.address}`
  }

  get address(): string {
    return `127.0.0.1:${this.port}`
  }

  /** as NATS knows it */
  get name(): string {
    return `test${this.port}`
  }

  async up(): Promise<void> {
    const child = spawn(this.#program, ['-c', join(this.#folder, 'nats.conf')], { stdio: 'pipe' })
    this.#process = child
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (text) => {
        output = `${output}${text}`.slice(-4000)
      })
    const died = new Promise<never>((_, reject) => {
      child.once('exit', () => reject(new Error(`nats-server did not start: ${output}`)))
    })
    died.catch(() => {})
    await Promise.race([accepts(this.port, child), died])
  }

  /** Keeps its files as they are now; it must not run. */
  backUp(): void {
    cpSync(this.#store, this.#backup, { recursive: true })
  }

  /** Brings the files back that were kept; it must not run. */
  restore(): void {
    rmSync(this.#store, { recursive: true })
    cpSync(this.#backup, this.#store, { recursive: true })
  }

  get #store(): string {
    return join(this.#folder, 'store')
  }

  get #backup(): string {
    return join(this.#folder, 'backup')
  }

  /** Ends it like a crash of its machine. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL')
  }

  async down(): Promise<void> {
    await this.#end('SIGTERM')
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#process
    this.#process = undefined
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const gone = new Promise((resolve) => child.once('exit', resolve))
    child.kill(signal)
    await gone
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill()
    rmSync(this.#folder, { recursive: true, force: true })
  }
}

/** Three servers that have found each other; they end with the stack. */
export async function startNatsCluster(stack: AsyncDisposableStack): Promise<readonly NatsServer[]> {
  const ports = new Set<number>()
  while (ports.size < 3) ports.add(await freePort())
  const routes = [...ports].map((port) => `nats://127.0.0.1:${port}`).join(', ')
  const servers: NatsServer[] = []
  for (const port of ports) {
    const lines = [
      `cluster { name: test, listen: 127.0.0.1:${port}, no_advertise: true, routes: [${routes}] }`,
    ]
    servers.push(stack.use(await NatsServer.start({ lines })))
  }
  while (!(await keepsThreeCopies(servers)));
  return servers
}

async function keepsThreeCopies(servers: readonly NatsServer[]): Promise<boolean> {
  const nc = await connect({ servers: servers.map(({ address }) => address) })
  try {
    const jsm = await jetstreamManager(nc, { timeout: 1_000, checkAPI: false })
    await jsm.streams.add({
      name: 'probe',
      subjects: ['probe'],
      storage: StorageType.Memory,
      num_replicas: 3,
    })
    await jsm.streams.delete('probe')
    return true
  } catch (error) {
    if (error instanceof Error) return false // they have not chosen a leader yet
    throw error
  } finally {
    await nc.close()
  }
}

/** The path of nats-server; installed with apt-get where that is possible. */
export async function natsProgram(): Promise<string> {
  const found = places.find((place) => existsSync(place))
  if (found) return found
  if (process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
    await run('apt-get', ['install', '-y', '--no-install-recommends', 'nats-server'])
    const installed = places.find((place) => existsSync(place))
    if (installed) return installed
  }
  throw new Error('The tests need nats-server: install it, e.g. with "apt-get install nats-server"')
}
