import { fork, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import pg from 'pg'

/** The folder of the repository. */
export const root = fileURLToPath(new URL('../..', import.meta.url))

export const adminName = 'admin@localhost'
export const adminPassword = 'a long enough passphrase'

/** A running platform in a separate process, with an empty database in a temporary folder. */
export interface Platform extends AsyncDisposable {
  url: string
  mqttPort: number
  /** Calls the API with a token; throws if the response is not a success. */
  api<T>(method: string, path: string, body?: unknown, token?: string): Promise<T>
  /** The administrator's session, or that of another user with the same password. */
  login(username?: string): Promise<string>
  /**
   * Writes directly to the tables, for data that would take too long over the API, e.g. thousands of devices.
   */
  fill(statement: string): Promise<void>
  /** Runs a check of `npm run doctor` while the server runs. */
  doctor(name: string): Promise<{ code: number | null; output: string }>
}

/** Below the ephemeral port range, so that no outgoing connection takes one before the server listens. */
const ports = { from: 10_000, below: 32_000 }

/** A free port. Files that run concurrently start searching at different ports. */
export async function freePort(): Promise<number> {
  const port = randomInt(ports.from, ports.below)
  const server = createServer()
  const isFree = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => resolve(true))
  })
  if (!isFree) return freePort()
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** A data folder as a first start leaves it, copied for every platform; the caller deletes it. */
export async function prepareData(): Promise<string> {
  const dataDir = mkdtempSync(join(tmpdir(), 'leitstand-first-'))
  await using _first = await runServer(dataDir, {})
  return dataDir
}

/** Starts the server like `npm start`, without the demo city. The folder is kept when it ends. */
export async function runServer(dataDir: string, env: Record<string, string>): Promise<Platform> {
  const [port, mqttPort] = [await freePort(), await freePort()]
  const child = fork(join(root, 'packages', 'server', 'src', 'main.ts'), [], {
    cwd: root,
    env: {
      ...process.env,
      DATA_DIR: dataDir,
      PORT: String(port),
      MQTT_PORT: String(mqttPort),
      DEMO: '0',
      LOG_LEVEL: 'warn',
      ADMIN_EMAIL: adminName,
      ADMIN_PASSWORD: adminPassword,
      // No server listens there: tests must not depend on public DNS.
      DNS_SERVERS: '127.0.0.1:9',
      ...env,
    },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  // A test process that is interrupted must not leave a server running.
  const endWithUs = () => child.kill('SIGTERM')
  process.once('exit', endWithUs)
  await new Promise<void>((resolve, reject) => {
    child.once('message', () => resolve())
    child.once('exit', (code) => reject(new Error(`the server ended with ${code} before it was ready`)))
    child.once('error', reject)
  })
  return {
    ...platformAt({ url: `http://127.0.0.1:${port}`, mqttPort, dataDir }),
    async [Symbol.asyncDispose]() {
      process.off('exit', endWithUs)
      child.kill('SIGTERM')
      await ended
    },
  }
}

/** Where a platform runs: enough to use it from another process. */
export interface Place {
  url: string
  mqttPort: number
  dataDir: string
}

/** A platform that runs already. */
export function platformAt({ url, mqttPort, dataDir }: Place): Omit<Platform, keyof AsyncDisposable> {
  const api = async <T>(method: string, path: string, body?: unknown, token?: string): Promise<T> => {
    const response = await fetch(`${url}/api${path}`, {
      method,
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const answer = await response.text()
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${answer}`)
    return JSON.parse(answer) as T
  }
  return {
    url,
    mqttPort,
    api,
    fill: (statement) => fill(dataDir, statement),
    doctor: (name) => runDoctor(dataDir, name),
    async login(username = adminName) {
      const credentials = { username, password: adminPassword }
      return (await api<{ token: string }>('POST', '/auth/login', credentials)).token
    },
  }
}

/** Runs a database check while the server runs, like `npm run doctor`. */
async function runDoctor(dataDir: string, name: string): Promise<{ code: number | null; output: string }> {
  const child = spawn(process.execPath, [join(root, 'packages', 'server', 'src', 'doctor.ts'), name], {
    env: { ...process.env, DATA_DIR: dataDir },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')])
  return { code: code as number | null, output }
}

async function fill(dataDir: string, statement: string): Promise<void> {
  const pid = readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8')
  const [, , , port = '', host = ''] = pid.split('\n')
  const place = { host: host.trim(), port: Number(port), user: 'leitstand', database: 'postgres' }
  const password = readFileSync(join(dataDir, 'postgres.password'), 'utf8').trim()
  const client = new pg.Client({ ...place, password })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
