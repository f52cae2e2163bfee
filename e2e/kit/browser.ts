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
      // The map needs WebGL, which a machine without a graphics card draws in software. The pages themselves
      // are drawn without it: software rendering took a third of the total test time.
      ...['--enable-unsafe-swiftshader', '--disable-gpu-compositing', '--disable-gpu-rasterization'],
      // A page lives for seconds: optimising its code costs more than it saves, and so does starting with a small heap.
      '--js-flags=--no-opt,--no-maglev,--min-semi-space-size=16',
      ...more,
    ],
  })
}

export interface Tab {
  page: Page
  context: BrowserContext
  /** Errors and warnings of the browser's console. */
  problems: string[]
}

export interface TabOptions {
  width?: number
  height?: number
  locale?: string
  dark?: boolean
  /** as on a good screen, for pictures that people look at */
  sharp?: boolean
  /** session of a user who did not sign in on the login page */
  session?: { url: string; token: string }
}

/** A phone in dark mode, in English. */
export const phone = { width: 375, height: 760, locale: 'en-GB', dark: true } as const

/** A tab in German with a desktop size by default. */
export async function openTab(browser: Browser, options: TabOptions = {}): Promise<Tab> {
  const { session } = options
  const stored = session && [{ name: 'leitstand.token', value: session.token }]
  const context = await browser.newContext({
    viewport: { width: options.width ?? 1440, height: options.height ?? 900 },
    // A quarter of the pixels, in the same layout: maps are drawn in software, which took a third of the tests of maps.
    deviceScaleFactor: options.sharp ? 1.5 : 0.5,
    locale: options.locale ?? 'de-DE',
    timezoneId: 'Europe/Berlin',
    colorScheme: options.dark ? 'dark' : 'light',
    reducedMotion: 'reduce',
    ...(stored && {
      storageState: { cookies: [], origins: [{ origin: session.url, localStorage: stored }] },
    }),
  })
  const page = await context.newPage()
  // Only a heavily loaded machine needs this long; a failure is reported at the wait that timed out.
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

/** After a failed test: a screenshot in e2e/output, named after the test, and what the page says in the test's error. */
export async function keepPicture(page: Page, task: Readonly<RunnerTask>, index = 0): Promise<void> {
  const [error] = task.result?.errors ?? []
  if (task.result?.state !== 'fail' || error === undefined) return
  const name = task.name.replace(/[^a-z0-9]+/gi, '-')
  await page.screenshot({ path: join(root, 'e2e', 'output', `${name}${index === 0 ? '' : `-${index}`}.png`) })
  // A log is often all that is left of a run. Notifications and dialogs are at the end of the page.
  const lines = (await page.locator('body').ariaSnapshot()).split('\n')
  const said = [`page ${index + 1} at ${page.url()} ends with:`, ...lines.slice(-60)].join('\n')
  error.message += `\n${said}`
  error.stack = `${error.stack ?? ''}\n${said}`
}

/** Without the HTML of every element, which nobody reads. */
const axeSettings = 'axe.configure({ noHtml: true })'

interface AxeResult {
  violations: { id: string; help: string; nodes: { target: string[]; failureSummary: string }[] }[]
}

/** Screens that were checked with all they hold, by path, mode and size: see `expectAccessible`. */
const checked = new Set<string>()

/**
 * What the two slowest rules have measured: screens by path and mode, and colours of texts with their ground; and screens by
 * path and size, with their number of controls.
 */
const measured = { contrast: new Set<string>(), sizes: new Set<string>() }

/** The menu, which is beside the screen. */
const menu = 'nav:has(+ * > #main)'

/**
 * Expects no axe violations on the page, WCAG 2.2 AA. Behind a modal dialog a screen is only checked the first time:
 * nobody can use it then, and most of the time would go into the same page again. So is the menu: it is beside every screen,
 * and has more elements than most. Contrast is measured on each screen in each mode once, and again when a text has colours
 * or a size that were not measured before; the size of targets once for a screen with the same number of controls.
 */
export async function expectAccessible(page: Page, name: string): Promise<void> {
  // Through the debugger protocol, because the page's policy blocks foreign scripts.
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(`${axeSource}\n${axeSettings}`)
  const [screen, frame, place, layout] = await page.evaluate((menu) => {
    const [path = '', query] = location.hash.split('?')
    const tab = new URLSearchParams(query).get('tab') ?? ''
    const mode = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'
    const place = [location.pathname, path.replace(/\d+/g, '$'), tab].join(' ')
    const screen = [place, mode, innerWidth].join(' ')
    const nav = document.querySelector<HTMLElement>(menu)
    const entries = nav?.querySelectorAll('a, button').length
    return [
      screen,
      ['menu', document.documentElement.lang, mode, nav?.offsetWidth, entries].join(' '),
      `${place} ${mode}`,
      `${place} ${innerWidth}`,
    ] as const
  }, menu)
  const leftOut = { screen: checked.has(screen), menu: checked.has(frame) ? menu : undefined }
  const colours = await page.evaluate(coloursOfTexts, leftOut)
  const size = `${layout} ${leftOut.screen} ${await page.locator('a, button, input').count()}`
  const rules = {
    'color-contrast': { enabled: [place, ...colours].some((each) => !measured.contrast.has(each)) },
    'target-size': { enabled: !measured.sizes.has(size) },
  }
  const known = { ...leftOut, rules }
  const result = await page.evaluate(async (known) => {
    const { axe } = globalThis as unknown as {
      axe: { run(context: object, options: object): Promise<AxeResult> }
    }
    // An open tooltip depends on the mouse position and timing. Excluding it from axe alone would still
    // report it as content outside of every landmark.
    const hidden = new CSSStyleSheet()
    hidden.replaceSync('[role="tooltip"] { display: none !important }')
    document.adoptedStyleSheets.push(hidden)
    // In a dialog, links of the hash router below the fold pass for skip links that lead nowhere. The skip link
    // belongs to the page behind it, and is checked with that.
    const inDialog = document.querySelector('[role="dialog"][aria-modal="true"]') !== null
    // The dialog itself, its lists and messages are beside the root.
    let where: object = document
    if (inDialog && known.screen) where = { exclude: ['#root'] }
    else if (known.menu !== undefined) where = { exclude: [known.menu] }
    const check = () =>
      axe.run(where, {
        resultTypes: ['violations'],
        runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
        rules: { ...known.rules, 'skip-link': { enabled: !inDialog } },
      })
    try {
      const result = await check()
      if (!result.violations.some(({ id }) => id === 'target-size')) return result
      // A notification may cover part of a control for a few seconds.
      hidden.insertRule('.mantine-Notifications-root { display: none !important }')
      return await check()
    } finally {
      document.adoptedStyleSheets.pop()
    }
  }, known)
  for (const each of [place, ...colours]) measured.contrast.add(each)
  measured.sizes.add(size)
  checked.add(screen)
  checked.add(frame)
  const found = result.violations.map(
    ({ id, help, nodes }) => `${id}: ${help}\n  ${nodes.map(({ target }) => target.join(' ')).join('\n  ')}`,
  )
  expect(found, `axe on ${name}: ${found.join(', ')}`).toEqual([])
}

/**
 * Colour, size and weight of each text that is checked, with the colours it stands on, once no animation changes them any more.
 * Runs in the page.
 */
async function coloursOfTexts(leftOut: { screen: boolean; menu: string | undefined }): Promise<string[]> {
  // Wait for finite animations to end, as colours differ while fading in. Spinners never end.
  const ending = document
    .getAnimations()
    .filter((each) => each.effect?.getComputedTiming().endTime !== Infinity)
  await Promise.allSettled(ending.map((each) => each.finished))
  const inDialog = document.querySelector('[role="dialog"][aria-modal="true"]') !== null
  const unchecked = inDialog && leftOut.screen ? '#root' : leftOut.menu
  const grounds = new Map<Element, string>()
  const groundOf = (element: Element | null): string => {
    if (element === null) return ''
    const known = grounds.get(element)
    if (known !== undefined) return known
    const { backgroundColor, backgroundImage, opacity } = getComputedStyle(element)
    const own = `${backgroundColor} ${backgroundImage} ${opacity}`
    const behind = groundOf(element.parentElement)
    const isSolid = backgroundColor.startsWith('rgb(') && opacity === '1'
    const isClear = own === 'rgba(0, 0, 0, 0) none 1' || (isSolid && behind.startsWith(own))
    const ground = isClear ? behind : `${own}, ${behind}`
    grounds.set(element, ground)
    return ground
  }
  const holders = new Set<Element>(document.querySelectorAll('input, textarea'))
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  while (texts.nextNode()) {
    const { textContent, parentElement } = texts.currentNode
    if (parentElement !== null && textContent?.trim()) holders.add(parentElement)
  }
  const looks = [...holders]
    .filter((holder) => unchecked === undefined || holder.closest(unchecked) === null)
    .map((holder) => {
      const { color, fontSize, fontWeight } = getComputedStyle(holder)
      return `${color} ${fontSize} ${fontWeight} on ${groundOf(holder)}`
    })
  return [...new Set(looks)]
}

/** Expects that nothing is wider than the screen, and no axe violations. */
export async function expectFits(page: Page, name: string): Promise<void> {
  await expectAccessible(page, name)
  const overflow = await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  )
  expect(overflow, `${name} is wider than the screen`).toBe(0)
  const cut = await page.evaluate(() =>
    [...document.querySelectorAll('[role="dialog"]')]
      .map((dialog) => dialog.getBoundingClientRect())
      .filter(({ left, right, width }) => width > 0 && (left < 0 || right > innerWidth + 1))
      .map(({ left, right }) => `${left} to ${right}`),
  )
  expect(cut, `${name}: dialogs beyond the screen`).toEqual([])
}
