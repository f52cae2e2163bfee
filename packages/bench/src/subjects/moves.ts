import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import type { CDPSession, Page } from 'playwright-core'
import type { Options } from '../arguments.ts'
import { createApi } from '../client.ts'
import { openDatabase } from '../database.ts'
import { createAccount } from '../fleet.ts'
import { openPlatform, type Platform } from '../platform.ts'
import { cell, rounded, table } from '../report/table.ts'
import { findBrowser, launchBrowser } from './listConsole.ts'
import type { Report, Say } from './report.ts'

/** In rows and columns, far enough apart that none of them share a square of the map. */
const [columns, rows] = [42, 24]
const twinsTotal = 1_000
/** How often each of them moves. */
const everySeconds = 10
const warmUpSeconds = 10
const zoom = 16
const spacingPx = 31
/** How far they move from their place. */
const stepPx = 0.5
const usableMaxMs = 60_000

const degreesPerPx = 360 / (512 * 2 ** zoom)
const middle = { latitude: 51, longitude: 11 }
const degreesNorth = degreesPerPx * Math.cos((middle.latitude * Math.PI) / 180)

/** Where a twin is, at each of its moves. */
function placeOf(twin: number, move: number): { latitude: number; longitude: number } {
  const angle = twin + move
  const x = ((twin % columns) - columns / 2) * spacingPx + stepPx * Math.cos(angle)
  const y = (Math.floor(twin / columns) - rows / 2) * spacingPx + stepPx * Math.sin(angle)
  return { latitude: middle.latitude - y * degreesNorth, longitude: middle.longitude + x * degreesPerPx }
}

/** What the open map of 1 000 twins costs in the browser while each of them moves every ten seconds. */
export async function moves(options: Options, say: Say, signal: AbortSignal): Promise<Report> {
  const program = findBrowser()
  if (program === null) throw new Error('there is no browser: CHROMIUM_PATH, or chromium on the PATH')
  await using platform = await openPlatform(options, signal)
  if (platform.database === null) throw new Error('the database of the platform is not known')
  say(`making ${twinsTotal} twins`)
  const { rootId, key } = await makeFleet(platform)
  await using database = await openDatabase(platform.database)
  await fillFleet(database, rootId)
  const browser = await launchBrowser(program)
  try {
    const context = await browser.newContext({ viewport: { width: 1920, height: 1080 }, locale: 'en-US' })
    await context.addInitScript((token) => localStorage.setItem('leitstand.token', token), platform.token)
    const page = await context.newPage()
    const heard = listen(page)
    await page.goto(`${platform.url}/#/digitaltwin-mgmt/map/twin/${rootId}`)
    await page.locator('main nav li').first().waitFor({ timeout: usableMaxMs })
    const cdp = await context.newCDPSession(page)
    await cdp.send('Performance.enable')
    using fleet = drive(`${platform.url}/api/hooks/${key}`)
    say(`they move; ${warmUpSeconds} s until it is measured`)
    await delay(warmUpSeconds * 1000, undefined, { signal })
    const before = { ...(await metricsOf(cdp)), ...heard }
    say(`measuring ${options.seconds} s`)
    await delay(options.seconds * 1000, undefined, { signal })
    const after = { ...(await metricsOf(cdp)), ...heard }
    fleet.check()
    const shown = await singlesIn(page)
    const seconds = after.timestamp - before.timestamp
    const json = {
      subject: 'moves',
      twins: twinsTotal,
      shown,
      seconds: rounded(seconds),
      moves: after.moves - before.moves,
      messages: after.messages - before.messages,
      clusterCalls: after.calls - before.calls,
      taskSeconds: rounded(after.task - before.task),
      coreShare: Math.round((1000 * (after.task - before.task)) / seconds) / 1000,
    }
    const lines = table([
      [
        '1 000 twins that move',
        'seconds',
        'moves',
        'messages',
        'cluster calls',
        'task seconds',
        '% of a core',
      ],
      [
        `each every ${everySeconds} s`,
        ...[json.seconds, json.moves, json.messages, json.clusterCalls].map(cell),
        cell(json.taskSeconds),
        cell(100 * json.coreShare),
      ],
    ])
    return { json, lines: [...lines, '', `${cell(shown)} places in view`], isClean: json.moves > 0 }
  } finally {
    await browser.close()
  }
}

/** The twin whose map is opened, and the key of a webhook to which the positions are sent. */
async function makeFleet(platform: Platform): Promise<{ rootId: number; key: string }> {
  const api = createApi(platform.url, platform.token)
  const { id: accountId } = await createAccount(api)
  const kind = 'webhook-in'
  const { key } = await api.bridge.create({ accountId, kind, name: 'Fleet', settings: {} })
  if (key === null) throw new Error('a new webhook has a key')
  const { id: rootId } = await api.digitaltwin.create({ title: 'Fleet', accountId })
  const settings = { pitch: 0, zoom, distance: 30 }
  await api.digitaltwin.setMapSettings({ id: rootId, version: 0, settings })
  return { rootId, key }
}

/** Writes directly to the tables: twins with their position, and the two states that move each of them. */
async function fillFleet(database: pg.Client, rootId: number): Promise<void> {
  const places = Array.from({ length: twinsTotal }, (_, twin) => placeOf(twin, 0))
  await database.query(
    `with made as (
      insert into twins (category, account_id, scope_id, parent_id, title, type, latitude, longitude)
      select 'digitalTwin', r.account_id, r.scope_id, r.id, 'Truck ' || p.at, 'trackable', p.latitude, p.longitude
      from twins r, unnest($2::float8[], $3::float8[]) with ordinality as p (latitude, longitude, at)
      where r.id = $1 returning id, account_id, title),
    named as (
      insert into twin_references (twin_id, account_id, name, value) select id, account_id, 'truck', title from made)
    insert into states (twin_id, key, title, source, position_axis)
    select made.id, axis, axis, 'datarouting', axis from made, unnest(array['latitude', 'longitude']) as axis`,
    [rootId, places.map(({ latitude }) => latitude), places.map(({ longitude }) => longitude)],
  )
  await database.query('vacuum analyze twins, states, twin_references')
}

/** Moves a part of the twins every second, until it is disposed. */
function drive(url: string): Disposable & { check(): void } {
  const perSecond = twinsTotal / everySeconds
  let second = 0
  let failure: unknown
  const send = async () => {
    const first = (second % everySeconds) * perSecond
    const move = 1 + Math.floor(second++ / everySeconds)
    const packets = Array.from({ length: perSecond }, (_, at) => first + at).flatMap((twin) =>
      Object.entries(placeOf(twin, move)).map(([variable, value]) => ({
        routing: { truck: `Truck ${twin + 1}` },
        variable,
        data: { value },
      })),
    )
    const headers = { 'content-type': 'application/json' }
    const reply = await fetch(url, { method: 'POST', headers, body: JSON.stringify(packets) })
    if (!reply.ok) throw new Error(`the webhook answered ${reply.status}: ${await reply.text()}`)
  }
  const timer = setInterval(() => {
    send().catch((error: unknown) => {
      failure ??= error
    })
  }, 1000)
  return {
    check() {
      if (failure !== undefined) throw failure
    },
    [Symbol.dispose]: () => clearInterval(timer),
  }
}

/** Places in view, as the page says it above its list. */
async function singlesIn(page: Page): Promise<number> {
  const text = (await page.locator('main nav p').first().textContent()) ?? ''
  return Number(/^[\d,]+/.exec(text)?.[0].replaceAll(',', ''))
}

/** Counts what the page hears and asks. */
function listen(page: Page): { moves: number; messages: number; calls: number } {
  const heard = { moves: 0, messages: 0, calls: 0 }
  page.on('websocket', (socket) =>
    socket.on('framereceived', ({ payload }) => {
      const message = JSON.parse(String(payload)) as { kind: string; moves?: unknown[] }
      if (message.kind !== 'moves') return
      heard.messages++
      heard.moves += message.moves?.length ?? 0
    }),
  )
  page.on('request', (request) => {
    if (request.url().includes('/geo-clusters')) heard.calls++
  })
  return heard
}

/** Time of the page's main thread, and the time of the measurement, both in seconds. */
async function metricsOf(cdp: CDPSession): Promise<{ task: number; timestamp: number }> {
  const { metrics } = await cdp.send('Performance.getMetrics')
  const read = (name: string) => metrics.find((metric) => metric.name === name)?.value ?? Number.NaN
  return { task: read('TaskDuration'), timestamp: read('Timestamp') }
}
