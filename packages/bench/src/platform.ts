import { type ChildProcess, fork } from 'node:child_process'
import { chmodSync, closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type pg from 'pg'
import type { Options } from './arguments.ts'
import { UsageError } from './arguments.ts'
import { createApi } from './client.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
export const serverEntry = join(root, 'packages', 'server', 'src', 'main.ts')
/** The user name is the address; mails of the admin's own rules need no confirmation for it. */
export const admin = { username: 'bench@example.org', password: 'a passphrase for the bench' }
const startTimeoutMs = 120_000
const stopTimeoutMs = 20_000

/** A platform to measure. */
export interface Platform extends AsyncDisposable {
  url: string
  mqttPort: number
  token: string
  /** its database; null: unknown, nothing can be counted in it */
  database: pg.ClientConfig | null
  /** null: not started by us */
  pids: { server: number | null; database: number | null }
  /** whether it is deleted after the run, with all its data */
  isOurs: boolean
}

/** The platform named on the command line, or one of our own in a temporary folder. */
export async function openPlatform(options: Options, signal: AbortSignal): Promise<Platform> {
  if (options.url !== null) return existingPlatform(options.url)
  const folder = temporaryFolder()
  try {
    const server = await startServer(folder.path, signal)
    const { token } = await createApi(server.url).auth.login(admin)
    return {
      url: server.url,
      mqttPort: server.mqttPort,
      token,
      isOurs: true,
      database: clusterOf(folder.path),
      pids: { server: server.pid, database: server.databasePid },
      async [Symbol.asyncDispose]() {
        await server[Symbol.asyncDispose]()
        folder[Symbol.dispose]()
      },
    }
  } catch (error) {
    folder[Symbol.dispose]()
    throw error
  }
}

function existingPlatform(url: string): Platform {
  const {
    LEITSTAND_TOKEN: token,
    LEITSTAND_MQTT_PORT: mqttPort,
    DATABASE_URL: connectionString,
  } = process.env
  if (!token) throw new UsageError('With --url LEITSTAND_TOKEN is needed: a session that may make accounts')
  return {
    url,
    token,
    mqttPort: Number(mqttPort || 1883),
    isOurs: false,
    database: connectionString ? { connectionString } : null,
    pids: { server: null, database: null },
    [Symbol.asyncDispose]: async () => undefined,
  }
}

/** A folder that is gone after the run. */
export function temporaryFolder(): Disposable & { path: string } {
  const path = mkdtempSync(join(tmpdir(), 'leitstand-bench-'))
  // As root, the database runs as another user, who has to traverse the folder.
  chmodSync(path, 0o711)
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}

export interface Server extends AsyncDisposable {
  url: string
  mqttPort: number
  pid: number
  databasePid: number | null
}

/**
 * Starts a server on a data folder and waits until it is ready. Its disposal stops it, and its database too.
 * BENCH_SERVER_LOG keeps its log.
 * @param settings environment besides what all servers get
 * @throws when it ends or does not get ready in time, with the end of its output
 */
export async function startServer(
  dataDir: string,
  signal: AbortSignal,
  settings: Record<string, string> = {},
): Promise<Server> {
  signal.throwIfAborted()
  const [port, mqttPort] = [await freePort(), await freePort()]
  const { BENCH_SERVER_LOG: logFile } = process.env
  const output = logFile ? openSync(logFile, 'a') : undefined
  const common = serverEnvironment(dataDir, { port, mqttPort, logLevel: logFile ? 'warn' : 'error' })
  const child = fork(serverEntry, [], {
    ...common,
    env: { ...common.env, ...settings },
    stdio: ['ignore', output ?? 'ignore', 'pipe', 'ipc'],
  })
  if (output !== undefined) closeSync(output)
  const said = keepTail(child)
  const stop = async () => {
    await endChild(child)
    await endOrphan(dataDir)
  }
  try {
    await ready(child, said, signal)
  } catch (error) {
    await stop()
    throw error
  }
  return {
    url: `http://127.0.0.1:${port}`,
    mqttPort,
    pid: child.pid as number,
    databasePid: postmasterOf(dataDir)?.pid ?? null,
    [Symbol.asyncDispose]: stop,
  }
}

/** Environment of a forked server. To profile it: BENCH_NODE_OPTIONS=--cpu-prof. */
export function serverEnvironment(
  dataDir: string,
  { port, mqttPort, logLevel }: { port: number; mqttPort: number; logLevel: string },
) {
  return {
    cwd: root,
    execArgv: (process.env.BENCH_NODE_OPTIONS ?? '').split(' ').filter((option) => option !== ''),
    env: {
      ...withoutOurs(process.env),
      DATA_DIR: dataDir,
      HOST: '127.0.0.1',
      PORT: String(port),
      MQTT_PORT: String(mqttPort),
      DEMO: '0',
      LOG_LEVEL: logLevel,
      ADMIN_EMAIL: admin.username,
      ADMIN_PASSWORD: admin.password,
      // The foreign broker of the crash runs is on this machine.
      ALLOWED_NETWORKS: '127.0.0.0/8',
    },
  }
}

/** Removes settings of the developer's shell that would affect the server. */
function withoutOurs(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { PUBLIC_URL: _, SMTP_URL: __, NODE_NAME: ___, ROLES: ____, ...rest } = env
  const groups = ['DATABASE_', 'MQTT_TLS', 'NATS_']
  return Object.fromEntries(
    Object.entries(rest).filter(([name]) => !groups.some((group) => name.startsWith(group))),
  )
}

function ready(child: ChildProcess, said: () => string, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new Error(`the server was not ready in time: ${said()}`)),
      startTimeoutMs,
    )
    const abort = () => reject(signal.reason)
    signal.addEventListener('abort', abort, { once: true })
    const settle = (settled: () => void) => {
      clearTimeout(timer)
      signal.removeEventListener('abort', abort)
      settled()
    }
    child.once('message', () => settle(resolve))
    child.once('error', (error) => settle(() => reject(error)))
    child.once('exit', (code) =>
      settle(() => reject(new Error(`the server ended with ${code} before it was ready: ${said()}`))),
    )
  })
}

/** Keeps the end of a process's output, for error messages. */
export function keepTail(child: ChildProcess): () => string {
  const charsMax = 4000
  let tail = ''
  child.stderr?.on('data', (chunk: Buffer) => {
    tail = (tail + chunk.toString('utf8')).slice(-charsMax)
  })
  return () => tail.trim()
}

/** Ends a child process: SIGTERM first, then SIGKILL. */
export async function endChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGTERM')
  const timer = setTimeout(() => child.kill('SIGKILL'), stopTimeoutMs)
  await ended
  clearTimeout(timer)
}

/** A killed server leaves its database running. */
export async function endOrphan(dataDir: string): Promise<void> {
  for (const name of ['SIGINT', 'SIGQUIT'] as const) {
    const found = postmasterOf(dataDir)
    if (found === null || !isAlive(found.pid)) return
    process.kill(found.pid, name)
    const deadline = Date.now() + stopTimeoutMs
    while (isAlive(found.pid) && Date.now() < deadline) await delay(50)
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** The running embedded database's own record: its process, its port and the folder of its socket. */
function postmasterOf(dataDir: string): { pid: number; port: number; host: string } | null {
  const file = join(dataDir, 'postgres', 'postmaster.pid')
  if (!existsSync(file)) return null
  const [pid = '', , , port = '', host = ''] = readFileSync(file, 'utf8').split('\n')
  return { pid: Number(pid), port: Number(port), host: host.trim() }
}

/** Where the embedded database of a data folder listens; null while it does not run. */
export function clusterOf(dataDir: string): pg.ClientConfig | null {
  const found = postmasterOf(dataDir)
  return found === null
    ? null
    : {
        host: found.host,
        port: found.port,
        user: 'leitstand',
        password: passwordOf(dataDir),
        database: 'postgres',
      }
}

function passwordOf(dataDir: string): string {
  return readFileSync(join(dataDir, 'postgres.password'), 'utf8').trim()
}

/** Ports that nobody listens on at the moment, each another one. */
export async function freePorts(count: number): Promise<number[]> {
  const found = new Set<number>()
  while (found.size < count) found.add(await freePort())
  return [...found]
}

export async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}
