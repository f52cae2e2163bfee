import { tmpdir } from 'node:os'
import type { FastifyInstance } from 'fastify'
import { type Browser, type BrowserContext, chromium, type Page, type Route } from 'playwright-core'
import { AppError } from '../errors.ts'
import type { Logger } from '../log.ts'
import { findProgram } from '../programs.ts'
import { Slots } from '../slots.ts'

/** The page of the console to print, with everything it may know. */
export interface PrintRequest {
  /** within the console: `/print/dashboards/7?from=…` */
  address: string
  /** replies of the API by path, without query: `/api/dashboards/7`; there are no others */
  replies: ReadonlyMap<string, unknown>
  language: 'de' | 'en'
  /** IANA */
  timeZone: string
  /** at the foot of each page, beside its number */
  title: string
  signal: AbortSignal
}

/** In the order they are looked for; the shell draws the same without the windows around it. */
const browsers = [
  'chromium-headless-shell',
  'chrome-headless-shell',
  'chromium',
  'google-chrome',
  'google-chrome-stable',
  'chromium-browser',
]

/** Nobody has this host: every request is answered here, or not at all. */
const origin = 'https://console.invalid'
/** For the start of the browser, and for the page to be drawn. */
const timeoutMs = 45_000
/** Prints that wait for their turn; each takes a few seconds. */
const waitingMax = 20
/** A page wider than it is high, without its margins: 297 − 2 × 10 mm at 96 pixels an inch. */
const viewport = { width: 1047, height: 718 }
/** A place for what Chromium would send elsewhere; nothing listens there. */
const nowhere = 'http://127.0.0.1:9'
/** Files of the console, and tiles of the installation's own map. */
const isOfConsole = (path: string): boolean =>
  /^\/(?:(?:[\w-]+\.(?:html|js|svg|webmanifest))?|assets\/[\w./-]+|map\/tiles\/[\w/]+)$/.test(path) &&
  !path.includes('..')

/** Of a tile of a map, or a font. */
const outsideBytesMax = 5_000_000

interface PrinterTools {
  http: FastifyInstance
  log: Logger
  /** hosts of maps that the operator configured; the browser reads from no others */
  origins: readonly string[]
  /** absent: the first of the known ones on the PATH */
  program?: string | undefined
}

/**
 * Prints pages of the console as PDF, with a browser that the operator has installed. A page has no session and no network:
 * its files and the replies it needs are given to it, whatever else it asks for is refused. One page at a time, each in a
 * browser of its own.
 */
export class Printer {
  readonly #tools: PrinterTools
  readonly #program: string | undefined
  readonly #slots = new Slots({ runningMax: 1, waitingMax })

  constructor(tools: PrinterTools) {
    this.#tools = tools
    this.#program = tools.program ?? browsers.map((name) => findProgram(name)).find(Boolean)
  }

  /** Whether there is a browser. */
  get isReady(): boolean {
    return this.#program !== undefined
  }

  /**
   * @returns a PDF in A4, landscape
   * @throws AppError PRINT_NO_BROWSER, PRINT_FAILED, OVERLOADED
   */
  async print(request: PrintRequest): Promise<Buffer> {
    const program = this.#program
    if (program === undefined) throw new AppError('PRINT_NO_BROWSER')
    return this.#slots.run(async () => {
      if (request.signal.aborted) throw new AppError('PRINT_FAILED')
      try {
        return await this.#printWith(program, request)
      } catch (error) {
        this.#tools.log.error({ err: error, address: request.address }, 'a page could not be printed')
        throw new AppError('PRINT_FAILED')
      }
    })
  }

  async #printWith(program: string, request: PrintRequest): Promise<Buffer> {
    const browser = await launch(program)
    const stop = () => void browser.close()
    request.signal.addEventListener('abort', stop, { once: true })
    try {
      const context = await contextOf(browser, request)
      await context.route('**/*', (route) => this.#answer(route, request))
      // The values that are there are printed; no live ones are waited for.
      await context.routeWebSocket(/.*/, (socket) => void socket.close())
      const page = await context.newPage()
      await page.goto(`${origin}/#${request.address}`, { waitUntil: 'commit' })
      await page.locator('[data-printable]').waitFor({ state: 'attached' })
      await drawn(page)
      return await page.pdf({
        format: 'A4',
        landscape: true,
        printBackground: true,
        displayHeaderFooter: true,
        headerTemplate: '<span></span>',
        footerTemplate: footer(request.title),
        margin: { top: '10mm', right: '10mm', bottom: '14mm', left: '10mm' },
      })
    } finally {
      request.signal.removeEventListener('abort', stop)
      await browser.close()
    }
  }

  async #answer(route: Route, { replies }: PrintRequest): Promise<void> {
    const asked = route.request()
    const url = new URL(asked.url())
    if (asked.method() !== 'GET') return route.abort('blockedbyclient')
    if (url.origin !== origin) {
      return this.#tools.origins.includes(url.origin)
        ? this.#fetch(route, url)
        : route.abort('blockedbyclient')
    }
    if (url.pathname.startsWith('/api/')) {
      const reply = replies.get(url.pathname)
      return reply === undefined
        ? route.fulfill({ status: 404, json: { code: 'NOT_FOUND', message: 'not for print' } })
        : route.fulfill({ json: reply })
    }
    // Nothing else: some addresses trust programs on this machine, as which this request would count.
    if (!isOfConsole(url.pathname)) return route.abort('blockedbyclient')
    const { range } = asked.headers()
    const { statusCode, headers, rawPayload } = await this.#tools.http.inject({
      method: 'GET',
      url: `${url.pathname}${url.search}`,
      headers: range === undefined ? {} : { range },
    })
    const type = String(headers['content-type'] ?? 'application/octet-stream')
    const policy = headers['content-security-policy']
    return route.fulfill({
      status: statusCode,
      headers: {
        'content-type': type,
        ...(policy === undefined ? {} : { 'content-security-policy': String(policy) }),
      },
      body: rawPayload,
    })
  }

  /** A tile, a style or a font of a map, from a host of the operator. */
  async #fetch(route: Route, url: URL): Promise<void> {
    try {
      const answer = await fetch(url, { signal: AbortSignal.timeout(10_000), redirect: 'error' })
      const length = Number(answer.headers.get('content-length') ?? 0)
      const body = length > outsideBytesMax ? null : Buffer.from(await answer.arrayBuffer())
      if (body === null || body.length > outsideBytesMax) return await route.abort('failed')
      const type = answer.headers.get('content-type') ?? 'application/octet-stream'
      await route.fulfill({
        status: answer.status,
        headers: { 'content-type': type, 'access-control-allow-origin': '*' },
        body,
      })
    } catch (error) {
      this.#tools.log.warn({ err: error, host: url.host }, 'a part of a map could not be read for print')
      await route.abort('failed')
    }
  }
}

function launch(program: string): Promise<Browser> {
  return chromium.launch({
    executablePath: program,
    timeout: timeoutMs,
    // Root cannot use the sandbox of the browser.
    chromiumSandbox: process.getuid?.() !== 0,
    // None of what the server keeps in its environment.
    env: { PATH: process.env.PATH ?? '', HOME: tmpdir(), LANG: 'C.UTF-8' },
    proxy: { server: nowhere, bypass: '<-loopback>' },
    args: [
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--disable-quic',
      '--host-resolver-rules=MAP * ~NOTFOUND',
      '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
      // Maps need WebGL, drawn in software where there is no graphics card.
      '--enable-unsafe-swiftshader',
    ],
  })
}

async function contextOf(browser: Browser, { language, timeZone }: PrintRequest): Promise<BrowserContext> {
  const localStorage = [
    { name: 'leitstand.language', value: language },
    { name: 'mantine-color-scheme-value', value: 'light' },
  ]
  const context = await browser.newContext({
    viewport,
    deviceScaleFactor: 2,
    locale: language === 'de' ? 'de-DE' : 'en-GB',
    timezoneId: timeZone,
    colorScheme: 'light',
    reducedMotion: 'reduce',
    serviceWorkers: 'block',
    acceptDownloads: false,
    storageState: { cookies: [], origins: [{ origin, localStorage }] },
  })
  context.setDefaultTimeout(timeoutMs)
  return context
}

/** Fonts are there, and what was drawn last has been shown. */
async function drawn(page: Page): Promise<void> {
  await page.evaluate(`document.fonts.ready.then(() => new Promise((resolve) =>
    requestAnimationFrame(() => requestAnimationFrame(() => resolve(true)))))`)
}

const signs: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

function footer(title: string): string {
  const text = title.replace(/[&<>"]/g, (sign) => signs[sign] ?? '')
  return `<div style="width:100%;padding:0 10mm;font:8px sans-serif;color:#555;display:flex;justify-content:space-between"><span>${text}</span><span><span class="pageNumber"></span> / <span class="totalPages"></span></span></div>`
}
