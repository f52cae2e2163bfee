import { type ChildProcess, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { messageOf, StartError } from '../errors.ts'
import type { Logger } from '../log.ts'
import { asIdentity, type Binaries, chooseIdentity, findBinaries, type Identity } from './binaries.ts'
import { ClusterAccess, readPassword } from './clusterAccess.ts'
import { type ClusterConnection, claim, endOrphan, findRunning, role, socketPort } from './ownership.ts'

/** A running database cluster of this installation. */
export interface EmbeddedPostgres extends AsyncDisposable {
  /** Connection settings for `pg`; add `database`. */
  connection: ClusterConnection
  /** Process id of the database, for tests that kill it. */
  pid(): number
}

export interface EmbeddedOptions {
  /** Folder below which `postgres/` and `postgres.log` live. */
  dataDir: string
  log: Logger
  /** Off only in tests: a power cut may then lose data. */
  durable?: boolean
  /** how many connections it accepts; more than one server needs more than the default */
  connectionsMax?: number
  /** Called when the database died and could not be restarted. */
  onLost?: (error: Error) => void
}

/** A socket path may be 107 bytes long; its file name takes 16 of them. */
const socketDirLengthMax = 90
const startTimeoutMs = 60_000
const stopTimeoutMs = 30_000
/**
 * When the main process of a database is killed, its other processes exit by themselves; no new one can start
 * before.
 */
const leftoverMs = 100
const leftovers = /pre-existing shared memory block|lock file .* already exists/
const wrongPassword = '28P01'
const restartsMax = 3
const restartWindowMs = 60_000
const logBytesMax = 10_000_000

/**
 * Starts PostgreSQL on `dataDir`, creating the cluster the first time. It listens on a Unix socket in a
 * folder only this user may enter, so no port can be in use, and also requires a password. Recovers when the
 * server was killed (a database left running is stopped cleanly and restarted) and when the database itself
 * was killed (it is restarted, at most 3 times a minute).
 * @throws StartError with one sentence the operator can act on
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  if (process.platform === 'win32') {
    throw new StartError('The embedded database does not run on Windows: use WSL or set DATABASE_URL.')
  }
  const binaries = findBinaries()
  mkdirSync(options.dataDir, { recursive: true, mode: 0o700 })
  // If we are root the database runs as another user, who must be able to traverse the folder but not to list
  // it.
  if (process.getuid?.() === 0) chmodSync(options.dataDir, (statSync(options.dataDir).mode & 0o777) | 0o011)
  const cluster = join(options.dataDir, 'postgres')
  refuseOtherMajor(cluster, binaries)
  const identity = chooseIdentity(cluster, binaries)
  if (!existsSync(join(cluster, 'PG_VERSION'))) await initialise(cluster, binaries, identity)
  const socketDir = prepareSocketDir(options.dataDir, identity)
  await endOrphan(cluster, options.log, readPassword(options.dataDir))
  // No process uses the cluster now. The pid in a leftover lock may since belong to another program, which is
  // likely in a container, where pids start over each time.
  rmSync(join(socketDir, `.s.PGSQL.${socketPort}.lock`), { force: true })

  const access = new ClusterAccess({ dataDir: options.dataDir, cluster, identity })
  const server = new Postmaster({ ...options, cluster, socketDir, binaries, identity, access })
  await server.start()
  const owner = await claim(server.connection).catch(async (error: unknown) => {
    await server.stop()
    throw error
  })
  server.onRestart = () => owner.reclaim()
  return {
    connection: server.connection,
    pid: () => server.pid(),
    [Symbol.asyncDispose]: async () => {
      await owner.release()
      await server.stop()
      rmSync(socketDir, { recursive: true, force: true })
    },
  }
}

/** How to reach the database of a server that runs on `dataDir`; undefined when none is running. */
export function findEmbedded(dataDir: string): ClusterConnection | undefined {
  return findRunning(join(dataDir, 'postgres'), readPassword(dataDir))
}

/** Rejects a cluster of another major version of PostgreSQL. */
function refuseOtherMajor(cluster: string, binaries: Binaries): void {
  const file = join(cluster, 'PG_VERSION')
  if (!existsSync(file)) return
  const found = readFileSync(file, 'utf8').trim()
  if (found === String(binaries.major)) return
  throw new StartError(
    `The data folder ${cluster} belongs to PostgreSQL ${found}, this version brings ${binaries.major}: restore a backup into a new DATA_DIR.`,
  )
}

/** Creates the cluster in a temporary folder and moves it into place when it is complete. */
async function initialise(cluster: string, binaries: Binaries, identity: Identity): Promise<void> {
  const fresh = `${cluster}.new`
  rmSync(fresh, { recursive: true, force: true })
  rmSync(cluster, { recursive: true, force: true })
  mkdirSync(fresh, { mode: 0o700 })
  giveTo(identity, fresh)
  const args = [
    `--pgdata=${fresh}`,
    `--username=${role}`,
    '--encoding=UTF8',
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--auth-local=trust',
    '--auth-host=reject',
    '--no-instructions',
  ]
  const run = asIdentity(identity, binaries.initdb, args)
  const child = spawn(run.command, run.args, {
    ...run.options,
    cwd: '/',
    env: environment(),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk
  })
  child.stderr.on('data', (chunk: Buffer) => {
    output += chunk
  })
  const code = await ended(child)
  if (code !== 0) throw new StartError(`The database could not be created in ${cluster}: ${lastLine(output)}`)
  renameSync(fresh, cluster)
}

function giveTo(identity: Identity, path: string): void {
  if (identity.kind === 'user') chownSync(path, identity.uid, identity.gid)
}

function prepareSocketDir(dataDir: string, identity: Identity): string {
  const inData = join(dataDir, 'run')
  // Long paths do not fit into a socket address; the socket folder is then in the temporary folder.
  const hash = createHash('sha256').update(dataDir).digest('hex').slice(0, 16)
  const dir = Buffer.byteLength(inData) <= socketDirLengthMax ? inData : join(tmpdir(), `leitstand-${hash}`)
  if (existsSync(dir)) {
    const { uid } = lstatSync(dir)
    const ours = uid === process.getuid?.() || (identity.kind === 'user' && uid === identity.uid)
    if (!ours) throw new StartError(`The folder ${dir} belongs to another user.`)
    chmodSync(dir, 0o700)
  } else {
    mkdirSync(dir, { mode: 0o700 })
  }
  giveTo(identity, dir)
  return dir
}

interface PostmasterOptions extends EmbeddedOptions {
  cluster: string
  socketDir: string
  binaries: Binaries
  identity: Identity
  access: ClusterAccess
}

/** States: stopped → starting → running → (died → starting …) → stopping → stopped. */
class Postmaster {
  readonly connection: ClusterConnection
  onRestart: () => Promise<void> = async () => undefined
  readonly #options: PostmasterOptions
  #child: ChildProcess | undefined
  #stopping = false
  #restarts: number[] = []

  constructor(options: PostmasterOptions) {
    this.#options = options
    const { password } = options.access
    this.connection = { host: options.socketDir, port: socketPort, user: role, password }
  }

  pid(): number {
    const pid = this.#child?.pid
    if (pid === undefined) throw new Error('the database is not running')
    return pid
  }

  async start(): Promise<void> {
    const deadline = Date.now() + startTimeoutMs
    while (!(await this.#attempt(deadline))) await delay(leftoverMs)
  }

  /**
   * @returns false when processes of an earlier start are still in the way
   * @throws StartError when it fails to start for another reason, or not before the deadline
   */
  async #attempt(deadline: number): Promise<boolean> {
    const { identity, binaries, dataDir } = this.#options
    const logFile = join(dataDir, 'postgres.log')
    if (existsSync(logFile) && statSync(logFile).size > logBytesMax) renameSync(logFile, `${logFile}.1`)
    const output = openSync(logFile, 'a', 0o600)
    const offset = statSync(logFile).size
    const run = asIdentity(identity, binaries.postgres, this.#arguments())
    // Its own process group: Ctrl-C in the terminal reaches only us, and we stop the database last.
    const child = spawn(run.command, run.args, {
      ...run.options,
      cwd: '/',
      env: environment(),
      stdio: ['ignore', output, output],
      detached: true,
    })
    closeSync(output)
    this.#child = child
    let exited = false
    child.once('error', () => {
      exited = true
    })
    child.once('exit', () => {
      exited = true
    })
    while (!(await this.#answers())) {
      if (exited) {
        const said = readFileSync(logFile).subarray(offset).toString('utf8')
        if (leftovers.test(said) && Date.now() < deadline) return false
        throw new StartError(`The database did not start: ${reasonIn(said)}`)
      }
      if (Date.now() > deadline)
        throw new StartError(`The database did not start within a minute: see ${logFile}.`)
      await delay(20)
    }
    child.once('exit', () => {
      if (!this.#stopping) void this.#revive()
    })
    await this.#options.access.close(this.connection).catch(async (error: unknown) => {
      await this.stop()
      throw error
    })
    return true
  }

  async stop(): Promise<void> {
    this.#stopping = true
    const child = this.#child
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const gone = ended(child)
    child.kill('SIGINT')
    const timer = setTimeout(() => child.kill('SIGQUIT'), stopTimeoutMs)
    await gone
    clearTimeout(timer)
  }

  #arguments(): string[] {
    const { cluster, socketDir, durable = true, connectionsMax = durable ? 80 : 300 } = this.#options
    const settings: Record<string, string> = {
      listen_addresses: '',
      unix_socket_directories: socketDir,
      unix_socket_permissions: '0700',
      port: String(socketPort),
      timezone: 'UTC',
      log_timezone: 'UTC',
      // The servers of all test files share one database server, and a file may start several.
      max_connections: String(connectionsMax),
      shared_buffers: `${sharedBuffersMb()}MB`,
      work_mem: '16MB',
      maintenance_work_mem: '128MB',
      max_wal_size: '2GB',
      checkpoint_timeout: '15min',
      random_page_cost: '1.1',
      jit: 'off',
      // A fast-growing table soon becomes far larger than its statements were planned for. Each database is
      // checked at this interval; tests use a longer one because every test file has a database.
      autovacuum_naptime: durable ? '10s' : '1min',
      // Failed statements are returned to us as errors; in PostgreSQL's own log they would grow without
      // bound.
      log_min_messages: 'log',
      log_checkpoints: 'off',
      fsync: durable ? 'on' : 'off',
      synchronous_commit: durable ? 'on' : 'off',
      full_page_writes: durable ? 'on' : 'off',
      // Repeated hashing protects weak passwords; ours is random. A test file opens dozens of connections.
      scram_iterations: durable ? '4096' : '1',
    }
    return ['-D', cluster, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])]
  }

  async #answers(): Promise<boolean> {
    const client = new pg.Client({ ...this.connection, database: 'postgres' })
    client.on('error', () => undefined) // connect() reports the failure
    try {
      await client.connect()
      return true
    } catch (error) {
      // The password file does not match the database, as after a restored backup: set the password again.
      if ((error as { code?: unknown }).code === wrongPassword) {
        this.#options.access.open()
        this.#child?.kill('SIGHUP')
      }
      return false
    } finally {
      await client.end().catch(() => undefined)
    }
  }

  async #revive(): Promise<void> {
    const { log, onLost, cluster, access } = this.#options
    const now = Date.now()
    this.#restarts = [...this.#restarts.filter((at) => now - at < restartWindowMs), now]
    try {
      if (this.#restarts.length > restartsMax)
        throw new StartError('The database keeps ending by itself: see postgres.log.')
      log.error('the database ended unexpectedly and is started again')
      await endOrphan(cluster, log, access.password)
      await this.start()
      await this.onRestart()
    } catch (error) {
      log.fatal({ err: error }, 'the database could not be started again')
      onLost?.(error instanceof Error ? error : new Error(messageOf(error)))
    }
  }
}

/** One eighth of the memory, between 64 MB and 1 GB. */
function sharedBuffersMb(): number {
  return Math.round(Math.min(1024, Math.max(64, totalmem() / 8 / 1_048_576)))
}

function environment(): NodeJS.ProcessEnv {
  // PG* variables of a developer's shell must not affect our cluster.
  const kept = Object.entries(process.env).filter(
    ([name]) => !name.startsWith('PG') && !name.startsWith('LC_'),
  )
  return { ...Object.fromEntries(kept), LC_ALL: 'C' }
}

function ended(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code) => resolve(code ?? -1))
  })
}

/**
 * The log line with the cause, without the shutdown that follows from it and the replies to our own probes.
 */
function reasonIn(said: string): string {
  const isReason = (line: string) => /\b(FATAL|PANIC): +(?!the database system is)/.test(line)
  return said.split('\n').findLast(isReason) ?? lastLine(said)
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1) ?? 'no message'
}
