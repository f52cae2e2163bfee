import { fork } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import PostalMime, { type Email } from 'postal-mime'
import { SMTPServer } from 'smtp-server'
import { expect, type RunnerTask } from 'vitest'

export const root = dirname(dirname(fileURLToPath(import.meta.url)))
const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

export const adminName = 'admin@localhost'
export const adminPassword = 'a long enough passphrase'

/** A running platform in a process of its own, with an empty database in a temporary folder. */
export interface Platform extends AsyncDisposable {
  url: string
  mqttPort: number
  /** Calls the API as somebody; throws when the answer is no success. */
  api<T>(method: string, path: string, body?: unknown, token?: string): Promise<T>
  login(): Promise<string>
}

/** A port nobody listens on. */
export async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** Starts the server as `npm start` does, without the demo city. */
export async function startPlatform(env: Record<string, string> = {}): Promise<Platform> {
  const dataDir = mkdtempSync(join(tmpdir(), 'leitstand-e2e-'))
  const [port, mqttPort] = [await freePort(), await freePort()]
  const child = fork(join(root, 'packages', 'server', 'src', 'main.ts'), [], {
    cwd: root,
    env: {
      ...process.env,
      ...{ DATA_DIR: dataDir, PORT: String(port), MQTT_PORT: String(mqttPort), DEMO: '0', LOG_LEVEL: 'warn' },
      ...{ ADMIN_EMAIL: adminName, ADMIN_PASSWORD: adminPassword },
      // Nobody answers there: what tests do must not depend on the names the internet knows.
      DNS_SERVERS: '127.0.0.1:9',
      ...env,
    },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  await new Promise<void>((resolve, reject) => {
    child.once('message', () => resolve())
    child.once('exit', (code) => reject(new Error(`the server ended with ${code} before it was ready`)))
    child.once('error', reject)
  })
  const url = `http://127.0.0.1:${port}`
  const api = async <T>(method: string, path: string, body?: unknown, token?: string): Promise<T> => {
    const response = await fetch(`${url}/api${path}`, {
      method,
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
    return JSON.parse(text) as T
  }
  return {
    url,
    mqttPort,
    api,
    async login() {
      const credentials = { username: adminName, password: adminPassword }
      return (await api<{ token: string }>('POST', '/auth/login', credentials)).token
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM')
      await ended
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

/** A real mail server; `next()` resolves with the next mail that arrives. */
export async function startMailServer() {
  const mails: Email[] = []
  const waiting: ((mail: Email) => void)[] = []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData(stream, _session, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        PostalMime.parse(Buffer.concat(chunks)).then((mail) => {
          const next = waiting.shift()
          if (next) next(mail)
          else mails.push(mail)
          done()
        }, done)
      })
    },
  })
  const port = await freePort()
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', () => resolve()))
  return {
    url: `smtp://127.0.0.1:${port}`,
    next: (): Promise<Email> => {
      const mail = mails.shift()
      return mail ? Promise.resolve(mail) : new Promise((resolve) => waiting.push(resolve))
    },
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
  }
}

/** A DNS server that knows no name at all. */
export async function startNameServer() {
  const socket = createSocket('udp4')
  socket.on('message', (query, { port, address }) => {
    const reply = Buffer.from(query)
    // A reply of a server that can look further: no such name.
    reply.writeUInt16BE(0x8183, 2)
    socket.send(reply, port, address)
  })
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve))
  return {
    address: `127.0.0.1:${socket.address().port}`,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => socket.close(() => resolve())),
  }
}

/**
 * Chromium as installed on the machine; `CHROMIUM_PATH` is set by the test script.
 * @param more further arguments, e.g. for a camera
 */
export async function startBrowser(more: readonly string[] = []): Promise<Browser> {
  const executablePath = process.env.CHROMIUM_PATH
  if (!executablePath) throw new Error('CHROMIUM_PATH names no browser; run the tests with `npm test`')
  const asRoot = process.getuid?.() === 0 ? ['--no-sandbox'] : []
  return chromium.launch({
    executablePath,
    args: [
      ...asRoot,
      ...[
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
        '--disable-quic',
      ],
      // The map needs WebGL, which a machine without a graphics card draws in software.
      ...['--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'],
      ...more,
    ],
  })
}

export interface Tab {
  page: Page
  context: BrowserContext
  /** Everything the browser's console complained about. */
  problems: string[]
}

/** A tab in German on a desktop unless told otherwise. */
export async function openTab(
  browser: Browser,
  options: { width?: number; height?: number; locale?: string; dark?: boolean } = {},
): Promise<Tab> {
  const context = await browser.newContext({
    viewport: { width: options.width ?? 1440, height: options.height ?? 900 },
    locale: options.locale ?? 'de-DE',
    timezoneId: 'Europe/Berlin',
    colorScheme: options.dark ? 'dark' : 'light',
    reducedMotion: 'reduce',
  })
  const page = await context.newPage()
  page.setDefaultTimeout(30_000)
  const problems: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(`${message.text()} ${message.location().url}`.trim())
  })
  page.on('pageerror', (error) => problems.push(String(error)))
  return { page, context, problems }
}

/** Signs in through the page. */
export async function signIn({ page }: Tab, platform: Platform): Promise<void> {
  await page.goto(`${platform.url}/#/login`)
  await page.getByLabel(/Benutzername|User name/).fill(adminName)
  await page.getByRole('textbox', { name: /^(Passwort|Password)/ }).fill(adminPassword)
  await page.getByRole('button', { name: /^(Anmelden|Sign in)$/ }).click()
  await page.waitForURL(/#\/home/)
}

/** After a failed test: a picture of the page in e2e/output, named after the test. */
export async function keepPicture(page: Page | undefined, task: Readonly<RunnerTask>): Promise<void> {
  if (task.result?.state !== 'fail' || page === undefined) return
  const name = task.name.replace(/[^a-z0-9]+/gi, '-')
  await page.screenshot({ path: join(root, 'e2e', 'output', `${name}.png`) })
}

interface AxeResult {
  violations: { id: string; help: string; nodes: { target: string[]; failureSummary: string }[] }[]
}

/** What axe finds on the page as it is now, WCAG 2.2 AA; expected to be nothing. */
export async function expectAccessible(page: Page, name: string): Promise<void> {
  // Through the debugger's protocol, because the page's own policy rightly forbids foreign scripts.
  await page.evaluate(axeSource)
  const result = await page.evaluate(
    async () =>
      (await (globalThis as unknown as { axe: { run(options: object): Promise<AxeResult> } }).axe.run({
        runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
      })) as AxeResult,
  )
  const found = result.violations.map(
    ({ id, help, nodes }) => `${id}: ${help}\n  ${nodes.map(({ target }) => target.join(' ')).join('\n  ')}`,
  )
  expect(found, `axe on ${name}`).toEqual([])
}
