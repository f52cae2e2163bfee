import { basename } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, expect } from 'vitest'
import { keepPicture, openTab, startBrowser, type Tab, type TabOptions } from './browser.ts'
import { type Hands, handsOn } from './hands.ts'
import { joinPlatform, startPlatform } from './platform.ts'
import type { Platform } from './server.ts'
import { type Caller, callerOf, type Things, thingsFor } from './things.ts'

/** The heading of a screen whose code is still loading. */
const pending = /^(Wird geladen|Loading)/

export interface JourneyOptions {
  /** environment of the platform; with one it is not shared */
  env?: Record<string, string>
  /** a platform and a browser that no other file uses, for tests of the whole installation */
  isAlone?: boolean
  /** further arguments of the browser, e.g. for a camera */
  browserArgs?: readonly string[]
  /** the first tab is not signed in, for tests of sign-in */
  isGuest?: boolean
  /** dependencies started before the first tab, and disposed after the platform */
  uses?: readonly AsyncDisposable[]
}

/**
 * A file of browser tests: a platform, a browser, and a tab with the signed-in administrator: of an account of its own
 * on a platform that is shared with other files, or of a platform of its own.
 */
export interface Journey extends Hands {
  platform: Platform
  browser: Browser
  tab: Tab
  page: Page
  /** of the administrator */
  token: string
  /** name of the administrator */
  username: string
  /** the administrator's account */
  accountId: number
  /** the API as the administrator */
  api: Caller
  make: Things
  /** Opens a page of the console by its address, without reloading the console. */
  open(path: string, on?: Page): Promise<void>
  /** Reloads the console, so that no state is left, and waits until all data is loaded. */
  openAnew(path: string, on?: Page): Promise<void>
  /** A tab for the token's user. */
  tabOf(token: string, options?: TabOptions): Promise<Tab>
}

let shared: Promise<Browser> | undefined

/** The browser of this worker's files, which ends with the worker. Each file has its own contexts. */
export function sharedBrowser(): Promise<Browser> {
  shared ??= startBrowser()
  return shared
}

async function closeTabs(browser: Browser): Promise<void> {
  await Promise.all(browser.contexts().map((context) => context.close()))
}

/** E.g. `stateValues`. */
function nameOfFile(): string {
  const { testPath } = expect.getState()
  if (testPath === undefined) throw new Error('no test file is running')
  return basename(testPath, '.test.ts')
}

/**
 * Starts the environment of a browser test file, at its top: `const { page, open, button } = await
 * startJourney()`. Everything ends after the last test; a failed one leaves a screenshot of each page in
 * e2e/output.
 */
export async function startJourney(options: JourneyOptions = {}): Promise<Journey> {
  await using begun = new AsyncDisposableStack()
  for (const one of options.uses ?? []) begun.use(one)
  const isAlone = options.isAlone || options.env !== undefined || options.isGuest === true
  const [platform, browser] = await Promise.all([
    (isAlone ? startPlatform(options.env) : joinPlatform(nameOfFile())).then((one) => begun.use(one)),
    options.browserArgs
      ? startBrowser(options.browserArgs).then((one) => begun.adopt(one, () => one.close()))
      : sharedBrowser().then((one) => begun.adopt(one, closeTabs)),
  ])
  const token = await platform.login()
  const api = callerOf(platform, token)
  const { tenantId: accountId } = await api.get<{ tenantId: number }>('/auth/verify')
  const tabOf = (theirs: string, how: TabOptions = {}) =>
    openTab(browser, { ...how, session: { url: platform.url, token: theirs } })
  const tab = options.isGuest ? await openTab(browser) : await tabOf(await platform.login())
  const { page } = tab

  // Failures so far are cleaned up by `begun`; from here on the tests own it.
  const held = begun.move()
  afterAll(() => held.disposeAsync())
  afterEach(async ({ task }) => {
    const pages = browser.contexts().flatMap((context) => context.pages())
    for (const [index, one] of pages.entries()) await keepPicture(one, task, index)
  })

  const open = async (path: string, on = page) => {
    await on.goto(`${platform.url}/#${path}`)
    // The previous screen stays until the next one is ready, and may have the same buttons.
    await on.waitForFunction(
      () => document.getElementById('main')?.dataset.path === location.hash.slice(1).split('?')[0],
    )
    await on.getByRole('heading', { level: 1 }).filter({ hasNotText: pending }).first().waitFor()
  }
  const openAnew = async (path: string, on = page) => {
    await on.goto('about:blank')
    await open(path, on)
    await on.waitForLoadState('networkidle')
  }
  const make = thingsFor(api, accountId)
  return {
    platform,
    browser,
    tab,
    page,
    token,
    username: platform.username,
    accountId,
    api,
    make,
    open,
    openAnew,
    tabOf,
    ...handsOn(page),
  }
}
