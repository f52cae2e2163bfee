import { setTimeout as delay } from 'node:timers/promises'
import type { Browser, BrowserContext, CDPSession, Request } from 'playwright-core'
import { Histogram } from '../report/histogram.ts'
import { cell, rounded, table } from '../report/table.ts'
import { launchBrowser } from './listConsole.ts'
import type { Sample } from './listSample.ts'
import type { Say } from './report.ts'

const warmUpRounds = 1
const measuredRounds = 5
/** Until a screen is usable; a console that does not show it ends the run. */
const usableMaxMs = 60_000
/** Until a new tab no longer keeps the browser busy. */
const tabSettlesMs = 1_500
/** The page itself notes the time; this is how often it is asked whether it has. */
const lookEveryMs = 200

/** An address of the console, and when its screen is usable: heading and first rows or values are there. */
export interface Address {
  name: string
  path: string
  /** without a session */
  asGuest?: boolean
  /** selectors with a text each; all have to be visible */
  usable: readonly (readonly [selector: string, text: string])[]
}

const heading = (text: string) => ['main h1', text] as const
const row = (text: string) => ['main tbody tr', text] as const

/** The screens people open most. */
export const addressesOf = (sample: Sample): readonly Address[] => [
  { name: 'sign-in', path: '/login', asGuest: true, usable: [['main button[type=submit]', '']] },
  { name: 'home', path: '/home', usable: [heading(''), ['main section li', '31']] },
  { name: 'devices', path: '/virtual-devices', usable: [heading(''), row('Sensor')] },
  {
    name: 'device',
    path: `/virtual-devices/${sample.deviceId}`,
    usable: [heading('Sensor'), ['main', 'temperature'], ['main', '31']],
  },
  { name: 'twins', path: '/digitaltwin-mgmt', usable: [heading(''), ['main [role=treeitem]', 'Room']] },
  {
    name: 'twin',
    path: `/digitaltwin-mgmt/${sample.twinId}`,
    usable: [heading('Room'), ['main', 'Temperature'], ['main', '31']],
  },
  {
    name: 'dashboard',
    path: `/dashboards/${sample.dashboardId}`,
    usable: [heading('Dashboard'), ['main', '31'], ['main canvas', '']],
  },
  { name: 'rules', path: '/digitaltwin/rules-monitor', usable: [heading(''), row('Too warm')] },
  {
    name: 'driver',
    path: `/virtual-device-drivers/${sample.driverId}`,
    usable: [heading('ERS'), ['main', 'temperature']],
  },
  { name: 'alarms', path: '/alarm-logs', usable: [heading(''), row('31')] },
]

/** What opening an address takes; the counts are of the last cold round. */
interface Opening {
  name: string
  /** page, scripts, styles, fonts and images that were requested before the screen was usable */
  files: number
  calls: number
  /** of the files, as transferred */
  kilobytes: number
  cold: Histogram
  warm: Histogram
}

interface Visit {
  usableMs: number
  files: string[]
  calls: string[]
  bytes: number
}

/**
 * Opens addresses with an empty cache, and a third time in a new tab of the same browser. The time counts from the start of the
 * navigation until the screen is usable.
 */
export async function timeAddresses(
  platform: { url: string; token: string },
  { executablePath, addresses }: { executablePath: string; addresses: readonly Address[] },
  say: Say,
  signal: AbortSignal,
): Promise<Opening[]> {
  const browser = await launchBrowser(executablePath)
  try {
    const openings: Opening[] = []
    for (const address of addresses) {
      say(`console, opening of ${address.name}`)
      openings.push(await timeAddress(browser, platform, address, signal))
    }
    return openings
  } finally {
    await browser.close()
  }
}

async function timeAddress(
  browser: Browser,
  platform: { url: string; token: string },
  address: Address,
  signal: AbortSignal,
): Promise<Opening> {
  const opening: Opening = {
    name: address.name,
    files: 0,
    calls: 0,
    kilobytes: 0,
    cold: new Histogram(),
    warm: new Histogram(),
  }
  for (let round = 0; round < warmUpRounds + measuredRounds; round++) {
    signal.throwIfAborted()
    const context = await browser.newContext({
      bypassCSP: true,
      viewport: { width: 1440, height: 900 },
      locale: 'en-US',
    })
    if (!address.asGuest)
      await context.addInitScript((token) => localStorage.setItem('leitstand.token', token), platform.token)
    const cold = await visit(context, platform.url, address)
    // Chromium keeps compiled code from the second visit on, but not in a context like this one, and uses none for modules.
    await visit(context, platform.url, address)
    const warm = await visit(context, platform.url, address)
    await context.close()
    if (round < warmUpRounds) continue
    opening.cold.add(cold.usableMs)
    opening.warm.add(warm.usableMs)
    opening.files = cold.files.length
    opening.calls = cold.calls.length
    opening.kilobytes = cold.bytes / 1000
  }
  return opening
}

/** Bytes of page and files; an expression, as these sources know no browser. */
const transferred = `[...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
  .filter(({ name }) => !name.includes('/api/'))
  .reduce((sum, { transferSize }) => sum + transferSize, 0)`

async function visit(context: BrowserContext, url: string, address: Address): Promise<Visit> {
  const page = await context.newPage()
  const requested: string[] = []
  const note = (request: Request) => {
    if (request.url().startsWith(url)) requested.push(new URL(request.url()).pathname)
  }
  page.on('request', note)
  try {
    await page.addInitScript(watchFor(address))
    const session = await context.newCDPSession(page)
    // The tab is there before a user opens an address in it; a new one keeps the browser busy for a while.
    await delay(tabSettlesMs)
    await page.goto(`${url}/#${address.path}`, { waitUntil: 'commit', timeout: usableMaxMs })
    const usableMs = await whenUsable(session)
    page.off('request', note)
    const bytes = (await page.evaluate(transferred)) as number
    const isCall = (path: string) => path.startsWith('/api/')
    // Let what was asked beyond the screen arrive, so that the second visit finds it as a user would.
    await page.waitForLoadState('networkidle')
    return {
      usableMs,
      files: requested.filter((path) => !isCall(path)),
      calls: requested.filter(isCall),
      bytes,
    }
  } catch (cause) {
    const shown = await page
      .locator('body')
      .textContent()
      .catch(() => '')
    throw new Error(`${address.name} was not usable in time, it shows: ${shown?.slice(0, 2000)}`, { cause })
  } finally {
    await page.close()
  }
}

/**
 * Notes in the page when the screen is usable, looking before each frame that follows a change. Waiting with Playwright
 * would start its own scripts in the page: 75 ms of the main thread, in the middle of what is measured.
 */
function watchFor({ usable }: Address): string {
  const conditions = usable.map(
    ([selector, text]) =>
      `[...document.querySelectorAll(${JSON.stringify(selector)})].some((element) => element.textContent.includes(${JSON.stringify(text)}) && element.checkVisibility())`,
  )
  return `{
    let isAsked = false
    const look = () => {
      isAsked = false
      if (!(${conditions.join(' && ')})) return
      observer.disconnect()
      globalThis.usableMs = performance.now()
    }
    const observer = new MutationObserver(() => {
      if (!isAsked) requestAnimationFrame(look)
      isAsked = true
    })
    observer.observe(document, { subtree: true, childList: true, characterData: true, attributes: true })
  }`
}

/** @returns ms since the start of the navigation */
async function whenUsable(session: CDPSession): Promise<number> {
  const until = performance.now() + usableMaxMs
  while (performance.now() < until) {
    await delay(lookEveryMs)
    const { result } = await session.send('Runtime.evaluate', { expression: 'globalThis.usableMs' })
    if (typeof result.value === 'number') return result.value
  }
  throw new Error(`not within ${usableMaxMs} ms`)
}

export function openingsToJson(openings: readonly Opening[]) {
  return openings.map(({ name, files, calls, kilobytes, cold, warm }) => ({
    name,
    files,
    calls,
    kilobytes: rounded(kilobytes),
    coldMs: rounded(cold.percentile(0.5)),
    coldMaxMs: rounded(cold.max),
    warmMs: rounded(warm.percentile(0.5)),
    warmMaxMs: rounded(warm.max),
  }))
}

export function openingsTable(openings: readonly Opening[]): string[] {
  return table([
    ['address', 'files', 'API calls', 'kB of files', 'cold ms', 'max', 'warm ms', 'max'],
    ...openings.map(({ name, files, calls, kilobytes, cold, warm }) => [
      name,
      ...[files, calls, Math.round(kilobytes)].map(cell),
      ...[cold, warm].flatMap((times) => [cell(times.percentile(0.5)), cell(times.max)]),
    ]),
  ])
}
