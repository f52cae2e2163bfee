import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createApi, errorOf } from '../test/kit.ts'

const main = fileURLToPath(new URL('./main.ts', import.meta.url))
const started: ChildProcess[] = []
let dataDir: string
/** as with `npm start`: compiled code is cached across starts */
const compiled = mkdtempSync(join(tmpdir(), 'leitstand-compiled-'))

beforeAll(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'leitstand-main-'))
})
afterAll(() => {
  for (const child of started) child.kill('SIGKILL')
  for (const folder of [dataDir, compiled]) rmSync(folder, { recursive: true, force: true })
})

interface Run {
  child: ChildProcess
  output: () => string
  /** Resolves with the match once the output contains it. */
  until(pattern: RegExp): Promise<RegExpExecArray>
  exit: Promise<number | null>
}

/** The real program, as `npm start` runs it, on a data folder of its own. */
function run(args: string[] = [], env: Record<string, string> = {}): Run {
  const child = spawn(process.execPath, [main, ...args], {
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: compiled,
      DATA_DIR: dataDir,
      PORT: '0',
      MQTT_PORT: '0',
      DEMO: '0',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  started.push(child)
  let printed = ''
  const waiting: (() => void)[] = []
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      printed += chunk
      for (const wake of waiting.splice(0)) wake()
    })
  }
  const exit = once(child, 'close').then(([code]) => {
    for (const wake of waiting.splice(0)) wake()
    return code as number | null
  })
  const until = async (pattern: RegExp) => {
    for (;;) {
      const match = pattern.exec(printed)
      if (match) return match
      if (child.exitCode !== null) throw new Error(`the program ended:\n${printed}`)
      await new Promise<void>((resolve) => waiting.push(resolve))
    }
  }
  return { child, output: () => printed, until, exit }
}

const addressOf = async (server: Run) => (await server.until(/"url":"([^"]+)"/))[1] as string
const passwordOf = async (server: Run) => (await server.until(/Password:\s+(\S+)/))[1] as string

describe('the program', () => {
  let password: string
  /** shared with the next test, because starting takes longer than the checks */
  let running: Run

  test('first start: makes an administrator and says once how to sign in; SIGTERM stops it cleanly', async () => {
    const server = run()
    password = await passwordOf(server)
    expect(password).toMatch(/^\w{20}$/)
    const url = await addressOf(server)
    const { user, access } = await createApi(url).auth.login({ username: 'admin@localhost', password })
    expect(user.email).toBe('admin@localhost')
    expect(access.permissions).toContain('super.system.manage')
    server.child.kill('SIGTERM')
    expect(await server.exit).toBe(0)
    expect(server.output()).toContain('"msg":"stopped"')
    expect(server.output().split(password)).toHaveLength(2)
  })

  test('second start: the same data, no password shown; after kill -9 it comes back too', async () => {
    const second = run()
    await addressOf(second)
    second.child.kill('SIGKILL')
    await second.exit
    const third = run()
    const url = await addressOf(third)
    await createApi(url).auth.login({ username: 'admin@localhost', password })
    expect(third.output()).not.toContain('Password:')
    third.child.kill('SIGTERM')
    expect(await third.exit).toBe(0)
  })

  test('--reset-admin makes a new password and ends', async () => {
    const reset = run(['--reset-admin'])
    const fresh = await passwordOf(reset)
    expect(await reset.exit).toBe(0)
    expect(fresh).not.toBe(password)
    const server = run()
    const api = createApi(await addressOf(server))
    expect(await errorOf(api.auth.login({ username: 'admin@localhost', password }))).toMatchObject({
      code: 'AUTH_LOGIN_PASSWORD_MISMATCH',
    })
    await api.auth.login({ username: 'admin@localhost', password: fresh })
    // While it runs, a second one on the same folder reports the conflict.
    const other = run()
    expect(await other.exit).toBe(1)
    expect(other.output()).toContain('Another Leitstand server already uses this DATA_DIR')
    expect(other.output()).not.toContain('    at ')
    server.child.kill('SIGINT')
    expect(await server.exit).toBe(0)
  })

  test('a wrong configuration is refused with every problem, and without a stack', async () => {
    const server = run([], { PORT: 'http', LOG_LEVEL: 'loud' })
    expect(await server.exit).toBe(1)
    expect(server.output()).toContain('PORT must be a port number')
    expect(server.output()).toContain('LOG_LEVEL must be one of')
    expect(server.output()).not.toContain('    at ')
  })

  test('the hard end of its database is survived: it is ready again by itself', async () => {
    running = run([], { ADMIN_PASSWORD: 'long enough' })
    const url = await addressOf(running)
    const pid = Number(readFileSync(join(dataDir, 'postgres/postmaster.pid'), 'utf8').split('\n')[0])
    process.kill(pid, 'SIGKILL')
    await running.until(/the database ended unexpectedly/)
    const ready = async () => (await fetch(`${url}/readyz`)).status === 200
    while (!(await ready())) await new Promise((resolve) => setImmediate(resolve))
    expect((await createApi(url).auth.verify({})).isAuthenticated).toBe(false)
  })

  test('a request under way is answered before it stops, also when it is told twice', async () => {
    const signIn = request(`${await addressOf(running)}/api/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', expect: '100-continue' },
    })
    const answer = once(signIn, 'response') as Promise<[IncomingMessage]>
    // "100 Continue" shows that the request has arrived; its body follows once the stop has begun.
    signIn.flushHeaders()
    await once(signIn, 'continue')
    running.child.kill('SIGTERM')
    await running.until(/"msg":"stopping"/)
    running.child.kill('SIGTERM')
    signIn.end(JSON.stringify({ username: 'nobody', password: 'guess' }))
    const [reply] = await answer
    expect(reply.statusCode).toBe(401)
    expect(JSON.parse(await text(reply))).toMatchObject({ code: 'AUTH_LOGIN_PASSWORD_MISMATCH' })
    expect(await running.exit).toBe(0)
  })

  test('a database that cannot be used is said in a sentence, without the password', async () => {
    const server = run([], {
      DATABASE_URL: `postgres://somebody:secret-word@localhost/none?host=${dataDir}/nowhere`,
    })
    expect(await server.exit).toBe(1)
    expect(server.output()).toContain('The database cannot be used')
    expect(server.output()).not.toContain('secret-word')
  })

  test('a busy port is said in a sentence', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const { port } = other.address() as AddressInfo
    const server = run([], { PORT: String(port) })
    expect(await server.exit).toBe(1)
    expect(server.output()).toContain(`Port ${port} on 127.0.0.1 is in use`)
    other.close()
  })
})
