import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { expect, type RunnerTask } from 'vitest'
import { adminName, adminPassword, type Platform, root } from './server.ts'

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

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
      // The map needs WebGL, which a machine without a graphics card draws in software. The pages themselves are drawn
      // without it: a graphics card made of software took a third of the time of all tests.
      ...['--enable-unsafe-swiftshader', '--disable-gpu-compositing', '--disable-gpu-rasterization'],
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

export interface TabOptions {
  width?: number
  height?: number
  locale?: string
  dark?: boolean
  /** who is signed in, without having come through the login page */
  session?: { url: string; token: string }
}

/** A phone, in the dark, of somebody who reads English. */
export const phone = { width: 375, height: 760, locale: 'en-GB', dark: true } as const

/** A tab in German on a desktop unless told otherwise. */
export async function openTab(browser: Browser, options: TabOptions = {}): Promise<Tab> {
  const { session } = options
  const stored = session && [{ name: 'leitstand.token', value: session.token }]
  const context = await browser.newContext({
    viewport: { width: options.width ?? 1440, height: options.height ?? 900 },
    locale: options.locale ?? 'de-DE',
    timezoneId: 'Europe/Berlin',
    colorScheme: options.dark ? 'dark' : 'light',
    reducedMotion: 'reduce',
    ...(stored && {
      storageState: { cookies: [], origins: [{ origin: session.url, localStorage: stored }] },
    }),
  })
  const page = await context.newPage()
  // Only a machine with much else to do needs as long; what fails is seen at the wait that failed.
  page.setDefaultTimeout(60_000)
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
export async function keepPicture(page: Page, task: Readonly<RunnerTask>, index = 0): Promise<void> {
  if (task.result?.state !== 'fail') return
  const name = task.name.replace(/[^a-z0-9]+/gi, '-')
  await page.screenshot({ path: join(root, 'e2e', 'output', `${name}${index === 0 ? '' : `-${index}`}.png`) })
}

interface AxeResult {
  violations: { id: string; help: string; nodes: { target: string[]; failureSummary: string }[] }[]
}

/** What axe finds on the page as it is now, WCAG 2.2 AA; expected to be nothing. */
export async function expectAccessible(page: Page, name: string): Promise<void> {
  // Through the debugger's protocol, because the page's own policy rightly forbids foreign scripts.
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axeSource)
  const result = await page.evaluate(async () => {
    const { axe } = globalThis as unknown as {
      axe: { run(context: object, options: object): Promise<AxeResult> }
    }
    // What fades in has its colours at the end. Spinners and the like have none.
    const ending = document
      .getAnimations()
      .filter((each) => each.effect?.getComputedTiming().endTime !== Infinity)
    await Promise.allSettled(ending.map((each) => each.finished))
    // Whether a tooltip is open depends on where the pointer happens to rest, and for how long. Left out by axe alone it
    // would still count as content outside of every landmark.
    const withoutTooltips = new CSSStyleSheet()
    withoutTooltips.replaceSync('[role="tooltip"] { display: none !important }')
    document.adoptedStyleSheets.push(withoutTooltips)
    try {
      return await axe.run(document, {
        resultTypes: ['violations'],
        runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
      })
    } finally {
      document.adoptedStyleSheets.pop()
    }
  })
  const found = result.violations.map(
    ({ id, help, nodes }) => `${id}: ${help}\n  ${nodes.map(({ target }) => target.join(' ')).join('\n  ')}`,
  )
  expect(found, `axe on ${name}`).toEqual([])
}

/** That nothing on the page is wider than the screen, and axe finds nothing. */
export async function expectFits(page: Page, name: string): Promise<void> {
  await expectAccessible(page, name)
  const overflow = await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  )
  expect(overflow, `${name} is wider than the screen`).toBe(0)
}
