import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { type Browser, chromium, type Page } from 'playwright-core'
import { Histogram } from '../report/histogram.ts'
import type { Timing } from './calls.ts'
import type { Say } from './report.ts'

/** First the one that has no window: drawing one in software takes as long as the page itself. */
const programs = [
  'chromium-headless-shell',
  'chromium',
  'google-chrome',
  'google-chrome-stable',
  'chromium-browser',
]
const warmUpRounds = 2
const measuredRounds = 20
/** Of a single round; a console that does not answer ends the run. */
const answerMaxMs = 30_000

/** `CHROMIUM_PATH`, else a browser on the PATH; null when there is none. */
export function findBrowser(): string | null {
  if (process.env.CHROMIUM_PATH) return process.env.CHROMIUM_PATH
  const folders = (process.env.PATH ?? '').split(delimiter)
  const paths = programs.flatMap((program) => folders.map((folder) => join(folder, program)))
  return paths.find(isExecutable) ?? null
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** A user's action in the console; `round` counts up, so that it does not always request the same rows. */
interface Step {
  name: string
  /** the screen before the action, idle */
  from: string
  /** resolves once the result is visible on the page; returns its number of rows */
  run(page: Page, round: number): Promise<number>
}

const rows = 'tbody tr'
const places = 'main nav li'

/**
 * Waits until an element with this text is visible; looked up before each frame, because Playwright's own waiting looks every
 * 500 ms after the first 300.
 * @returns the number of elements
 */
async function waitForText(page: Page, selector: string, text: string): Promise<number> {
  const elements = `[...document.querySelectorAll(${JSON.stringify(selector)})]`
  const matches = `element.textContent.includes(${JSON.stringify(text)}) && element.checkVisibility()`
  await page.waitForFunction(`${elements}.some((element) => ${matches})`, undefined, { polling: 'raf' })
  return page.locator(selector).filter({ hasText: text }).count()
}

const steps: readonly Step[] = [
  {
    name: 'console, list',
    from: '/home',
    run: async (page) => {
      await go(page, '/virtual-devices')
      return waitForText(page, rows, 'Sensor')
    },
  },
  {
    name: 'console, search while typing',
    from: '/virtual-devices',
    run: async (page, round) => {
      const text = `0${100 + round}`
      await page.locator('[data-list-search]').fill(`sor ${text}`)
      return waitForText(page, rows, `Sensor ${text}`)
    },
  },
  {
    name: 'console, map',
    from: '/virtual-devices',
    run: async (page) => {
      await go(page, '/virtual-devices/map')
      return waitForText(page, places, '')
    },
  },
]

/** Opens another screen as a link does, without loading the console again. */
const go = (page: Page, path: string) => page.goto(new URL(`#${path}`, page.url()).href)

export function launchBrowser(executablePath: string): Promise<Browser> {
  const asRoot = process.getuid?.() === 0 ? ['--no-sandbox'] : []
  return chromium.launch({
    executablePath,
    args: [
      ...asRoot,
      ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
      // The map needs WebGL, which a machine without a graphics card draws in software.
      ...['--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'],
    ],
  })
}

/**
 * The list as one user sees it: from the action to the visible result, including the console's typing pause.
 * The console is reloaded before each round, so that nothing comes from its cache.
 */
export async function timeConsole(
  platform: { url: string; token: string },
  executablePath: string,
  say: Say,
  signal: AbortSignal,
): Promise<Timing[]> {
  const browser = await launchBrowser(executablePath)
  try {
    const context = await browser.newContext({
      bypassCSP: true,
      viewport: { width: 1440, height: 900 },
      locale: 'en-US',
    })
    await context.addInitScript((token) => localStorage.setItem('leitstand.token', token), platform.token)
    const page = await context.newPage()
    page.setDefaultTimeout(answerMaxMs)
    const timings: Timing[] = []
    for (const { name, from, run } of steps) {
      say(name)
      const latency = new Histogram()
      let shown = 0
      for (let round = 0; round < warmUpRounds + measuredRounds; round++) {
        signal.throwIfAborted()
        await page.goto('about:blank')
        await page.goto(`${platform.url}/#${from}`)
        await page.waitForLoadState('networkidle')
        const started = performance.now()
        shown = await run(page, round)
        if (round >= warmUpRounds) latency.add(performance.now() - started)
      }
      timings.push({ name, calls: latency.count, rows: shown, latency })
    }
    return timings
  } finally {
    await browser.close()
  }
}
