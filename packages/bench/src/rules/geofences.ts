import { setTimeout as delay } from 'node:timers/promises'
import { type GeofenceMode, geofenceLimits } from '@leitstand/contract/rules/triggers/geofence'
import type pg from 'pg'
import type { Options } from '../arguments.ts'
import type { Api } from '../client.ts'
import { followUp } from '../database.ts'
import { createAccount, inParallel } from '../fleet.ts'
import type { Platform } from '../platform.ts'
import { type Cost, CostMeter } from '../processes.ts'
import { cell, rounded, table } from '../report/table.ts'
import type { Say } from '../subjects/report.ts'
import type { Part } from './part.ts'

const zonesTotal = 10_000
const zoneColumns = 100
/** Degrees: about 1.1 km north and 0.7 km east, of which a zone takes the middle third. */
const spacing = 0.01
const corner = { latitude: 50.5, longitude: 10 }
const zoneCorners = 16
const modes: readonly GeofenceMode[] = ['enter', 'exit', 'dwelltime']
const dwellMinutes = 60

/** Positions per second; each tracker sends one a second. */
const rate = 1_000
const requestsPerSecond = 10
/** A tracker moves about within a zone for so long, then about between zones. */
const staySeconds = 10
const warmUpSeconds = 5
/** of a rule */
const triggersMax = 10

/** Ten thousand zones, in rules for everything below a twin, and trackers that cross them. */
export async function geofences(
  tools: { options: Options; platform: Platform; database: pg.Client; api: Api; say: Say },
  signal: AbortSignal,
): Promise<Part> {
  const { options, platform, database, api, say } = tools
  say(`making ${rate} trackers and ${zonesTotal} zones`)
  const { rootId, key } = await makeRoot(api)
  await makeTrackers(database, rootId, rate)
  const zones = await makeZones(database, rootId)
  const fleet = new Fleet(`${platform.url}/api/hooks/${key}`, rate)
  const measure = async (name: string) => {
    say(`${name}: ${rate} positions/s, ${options.seconds} s`)
    await fleet.drive(warmUpSeconds, signal)
    await catchUp(database, signal)
    using meter = new CostMeter(platform.pids)
    const { seconds, late } = await fleet.drive(options.seconds, signal)
    const behindMs = await catchUp(database, signal)
    return { name, cost: meter.stop(), seconds, late, behindMs }
  }
  const phases: Phase[] = [{ measured: await measure('no rules'), kind: null }]
  for (const kind of ['rules on one twin', 'rules for many'] as const) {
    const triggers = kind === 'rules for many' ? triggersMax : 1
    say(
      `${kind}: ${zonesTotal / geofenceLimits.zonesMax / triggers} with ${triggers * geofenceLimits.zonesMax} zones each`,
    )
    const start = performance.now()
    const ids = await makeRules(api, rootId, { zones, triggers, kind }, signal)
    const makingMs = performance.now() - start
    // The first positions only tell where each tracker is.
    await fleet.drive(1, signal)
    await catchUp(database, signal)
    fleet.countCrossings()
    const measured = await measure(kind)
    const expected = fleet.crossings
    phases.push({
      measured,
      kind: { rules: ids.length, makingMs, expected, found: await countWakes(database, rootId) },
    })
    await inParallel(ids.length, signal, async (index) => {
      await api.ddr.delete({ id: ids[index] as number })
    })
  }
  return report(phases)
}

/** What was measured, and of phases with rules what these should have found. */
interface Phase {
  measured: Measured
  kind: { rules: number; makingMs: number; expected: Crossings; found: Crossings } | null
}

interface Crossings {
  enter: number
  exit: number
}

interface Measured {
  name: string
  cost: Cost
  seconds: number
  /** requests that could not be sent in time */
  late: number
  /** from the last acknowledgement until everything was judged; null: it took too long */
  behindMs: number | null
}

async function makeRoot(api: Api): Promise<{ rootId: number; key: string }> {
  const { id: accountId } = await createAccount(api)
  const kind = 'webhook-in'
  const { key } = await api.bridge.create({ accountId, kind, name: 'Fleet', settings: {} })
  if (key === null) throw new Error('a new webhook has a key')
  const { id: rootId } = await api.digitaltwin.create({ title: 'Fleet', accountId })
  return { rootId, key }
}

/** Writes directly to the tables: twins, and the two states that move each of them. */
async function makeTrackers(database: pg.Client, rootId: number, count: number): Promise<void> {
  await database.query(
    `with made as (
      insert into twins (category, account_id, scope_id, parent_id, title, type)
      select 'digitalTwin', r.account_id, r.scope_id, r.id, 'Truck ' || n, 'trackable'
      from twins r, generate_series(1, $2) as n where r.id = $1 returning id, account_id, title),
    named as (
      insert into twin_references (twin_id, account_id, name, value) select id, account_id, 'truck', title from made)
    insert into states (twin_id, key, title, source, position_axis)
    select made.id, axis, axis, 'datarouting', axis from made, unnest(array['latitude', 'longitude']) as axis`,
    [rootId, count],
  )
}

/** Round zones in rows and columns. @returns their ids, in that order */
async function makeZones(database: pg.Client, rootId: number): Promise<number[]> {
  const polygons = Array.from({ length: zonesTotal }, (_, zone) => {
    const middle = middleOf(zone)
    const ring = Array.from({ length: zoneCorners + 1 }, (__, at) => {
      const angle = ((at % zoneCorners) / zoneCorners) * 2 * Math.PI
      return [
        middle.longitude + (spacing / 6) * Math.cos(angle),
        middle.latitude + (spacing / 6) * Math.sin(angle),
      ]
    })
    return JSON.stringify({ type: 'Polygon', coordinates: [ring] })
  })
  const { rows } = await database.query<{ id: number }>(
    `insert into twins (category, account_id, scope_id, title, type, geo_polygon)
    select 'digitalTwin', r.account_id, r.scope_id, 'Zone ' || p.at, 'zone', p.polygon::jsonb
    from twins r, unnest($2::text[]) with ordinality as p (polygon, at) where r.id = $1 order by p.at returning id`,
    [rootId, polygons],
  )
  await database.query('vacuum analyze twins, states, twin_references')
  return rows.map(({ id }) => id).sort((a, b) => a - b)
}

function middleOf(zone: number): { latitude: number; longitude: number } {
  return {
    latitude: corner.latitude + Math.floor(zone / zoneColumns) * spacing,
    longitude: corner.longitude + (zone % zoneColumns) * spacing,
  }
}

const ruleOf = (zone: number) => Math.floor(zone / geofenceLimits.zonesMax)
const modeOf = (zone: number) => modes[ruleOf(zone) % modes.length] as GeofenceMode

/** @param parts.triggers of each rule @returns the ids of the rules */
async function makeRules(
  api: Api,
  rootId: number,
  parts: { zones: readonly number[]; triggers: number; kind: 'rules on one twin' | 'rules for many' },
  signal: AbortSignal,
): Promise<number[]> {
  const { zones, triggers, kind } = parts
  const isForMany = kind === 'rules for many'
  const fenceOf = (index: number) => {
    const first = index * geofenceLimits.zonesMax
    const mode = modeOf(first)
    return {
      kind: 'geofence' as const,
      mode,
      below: !isForMany,
      area: { kind: 'zones' as const, zoneIds: zones.slice(first, first + geofenceLimits.zonesMax) },
      ...(mode === 'dwelltime' ? { minutes: dwellMinutes } : {}),
    }
  }
  const ids: number[] = []
  await inParallel(zones.length / geofenceLimits.zonesMax / triggers, signal, async (index) => {
    const { id } = await api.ddr.create({
      dtwinId: rootId,
      title: `Fence ${index}`,
      many: isForMany ? { query: { twinId: rootId, types: ['trackable'] } } : null,
      triggers: Array.from({ length: triggers }, (_, at) => fenceOf(index * triggers + at)),
      metrics: [{ alias: 'hour', operation: 'clock', clock: 'hour' }],
      conditions: { op: 'gte', left: { metric: 'hour' }, right: { value: 0 } },
      actions: [{ kind: 'alarm', severity: 'warning', message: 'crossed' }],
    })
    ids.push(id)
  })
  return ids
}

/** Trackers that stay within a zone for ten seconds, then between zones for as long, and so on in other zones. */
class Fleet {
  readonly #url: string
  readonly #count: number
  #second = 0
  #counted: Crossings | null = null

  constructor(url: string, count: number) {
    this.#url = url
    this.#count = count
  }

  /** Crossings from now on that wake a rule. */
  get crossings(): Crossings {
    return { enter: 0, exit: 0, ...this.#counted }
  }

  countCrossings(): void {
    this.#counted = { enter: 0, exit: 0 }
  }

  /** @returns how long it took, and how many requests began more than a second late */
  async drive(seconds: number, signal: AbortSignal): Promise<{ seconds: number; late: number }> {
    const start = performance.now()
    const share = this.#count / requestsPerSecond
    let late = 0
    const running: Promise<void>[] = []
    for (let turn = 0; turn < seconds * requestsPerSecond; turn++) {
      const dueMs = start + (turn * 1000) / requestsPerSecond
      if (performance.now() < dueMs) await delay(dueMs - performance.now(), undefined, { signal })
      else if (performance.now() > dueMs + 1000) late++
      const part = turn % requestsPerSecond
      const second = this.#second + Math.floor(turn / requestsPerSecond)
      running.push(this.#send(part * share, share, second))
      // The same trackers must not overtake themselves.
      if (part === requestsPerSecond - 1) await Promise.all(running.splice(0))
    }
    await Promise.all(running)
    this.#second += seconds
    return { seconds: (performance.now() - start) / 1000, late }
  }

  async #send(first: number, count: number, second: number): Promise<void> {
    const packets = Array.from({ length: count }, (_, at) => first + at).flatMap((tracker) => {
      this.#note(tracker, second)
      return Object.entries(placeOf(tracker, second)).map(([variable, value]) => ({
        routing: { truck: `Truck ${tracker + 1}` },
        variable,
        data: { value },
      }))
    })
    const headers = { 'content-type': 'application/json' }
    const reply = await fetch(this.#url, { method: 'POST', headers, body: JSON.stringify(packets) })
    if (!reply.ok) throw new Error(`the webhook answered ${reply.status}: ${await reply.text()}`)
  }

  #note(tracker: number, second: number): void {
    const counted = this.#counted
    if (counted === null) return
    const [was, is] = [zoneAt(tracker, second - 1), zoneAt(tracker, second)]
    if (was === is) return
    if (is !== null && modeOf(is) === 'enter') counted.enter++
    if (was !== null && modeOf(was) === 'exit') counted.exit++
  }
}

/** The zone a tracker is in; null: between zones. */
function zoneAt(tracker: number, second: number): number | null {
  const stay = Math.floor((second + tracker) / staySeconds)
  return stay % 2 === 0 ? spotOf(tracker, stay) : null
}

const spotOf = (tracker: number, stay: number) => (tracker * 7919 + stay * 104_729) % zonesTotal

function placeOf(tracker: number, second: number): { latitude: number; longitude: number } {
  const stay = Math.floor((second + tracker) / staySeconds)
  const middle = middleOf(spotOf(tracker, stay))
  const beside = stay % 2 === 0 ? 0 : spacing / 2
  const angle = second + tracker
  return {
    latitude: middle.latitude + beside + (spacing / 20) * Math.sin(angle),
    longitude: middle.longitude + beside + (spacing / 20) * Math.cos(angle),
  }
}

/** Waits until every position is judged and every rule evaluated. @returns the duration in ms; null: it took too long */
function catchUp(database: pg.Client, signal: AbortSignal): Promise<number | null> {
  return followUp(database, signal, [
    ['rules.fences', 'twin.moved'],
    ['rules', 'rule.woken'],
  ])
}

async function countWakes(database: pg.Client, rootId: number): Promise<Crossings> {
  const { rows } = await database.query<{ mode: string; count: number }>(
    `select e.cause ->> 'mode' as mode, count(*)::int as count
    from rule_executions e join rules r on r.id = e.rule_id
    where r.twin_id = $1 and e.cause ->> 'kind' = 'geofence' group by 1`,
    [rootId],
  )
  const of = (mode: string) => rows.find((row) => row.mode === mode)?.count ?? 0
  return { enter: of('enter'), exit: of('exit') }
}

function report(phases: readonly Phase[]): Part {
  const shown = phases.map(({ measured, kind }) => {
    const coresOf = (cpuSeconds: number | null) =>
      cpuSeconds === null ? null : cpuSeconds / measured.seconds
    return {
      name: measured.name,
      positionsPerSecond: rounded((rate * Math.round(measured.seconds)) / measured.seconds),
      serverCores: rounded(coresOf(measured.cost.serverCpuSeconds)),
      databaseCores: rounded(coresOf(measured.cost.databaseCpuSeconds)),
      lateRequests: measured.late,
      behindMs: rounded(measured.behindMs),
      ...(kind === null ? {} : { ...kind, makingMs: rounded(kind.makingMs) }),
    }
  })
  const wrong = phases.reduce(
    (sum, { kind }) =>
      kind === null
        ? sum
        : sum +
          Math.abs(kind.expected.enter - kind.found.enter) +
          Math.abs(kind.expected.exit - kind.found.exit),
    0,
  )
  const json = { part: 'geofences', zones: zonesTotal, phases: shown, wrong }
  const lines = [
    ...table([
      ['geofences', 'positions/s', 'server, cores', 'database, cores', 'late requests', 'behind ms'],
      ...shown.map((each) => [
        each.name,
        cell(each.positionsPerSecond),
        cell(each.serverCores),
        cell(each.databaseCores),
        cell(each.lateRequests),
        cell(each.behindMs === null ? null : Math.round(each.behindMs)),
      ]),
    ]),
    '',
    ...table([
      ['crossings', 'expected', 'found'],
      ...phases.flatMap(({ measured: { name }, kind }) =>
        kind === null
          ? []
          : (['enter', 'exit'] as const).map((mode) => [
              `${name}: ${mode}`,
              cell(kind.expected[mode]),
              cell(kind.found[mode]),
            ]),
      ),
    ]),
  ]
  const isClean = wrong === 0 && phases.every(({ measured }) => measured.behindMs !== null)
  return { json, lines, isClean }
}
