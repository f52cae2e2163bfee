import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import { type Options, UsageError } from '../arguments.ts'
import { type Api, createApi } from '../client.ts'
import { openDatabase } from '../database.ts'
import { createAccount } from '../fleet.ts'
import { openPlatform } from '../platform.ts'
import { type Call, type Timing, timeCalls, timingsTable, timingsToJson } from './calls.ts'
import { type Address, openingsTable, openingsToJson, timeAddresses } from './listAddresses.ts'
import { findBrowser } from './listConsole.ts'
import type { Report, Say } from './report.ts'

const buildingsTotal = 200
const floorsPerBuilding = 5
const twinsTotal = 20_000
const statesPerTwin = 50
/** One in so many states has limits. */
const limitedEvery = 10
const page = 50

const mapsPart = 'maps'

/**
 * 20 000 twins in three levels with a million states, a tenth of them with limits: tree, list, map, states overview, public link.
 * The part `maps` only opens maps in the console.
 */
export async function twins(options: Options, say: Say, signal: AbortSignal): Promise<Report> {
  if (options.part !== null && options.part !== mapsPart)
    throw new UsageError(`--part of twins is ${mapsPart}`)
  await using platform = await openPlatform(options, signal)
  if (platform.database === null) throw new Error('the database of the platform is not known')
  const api = createApi(platform.url, platform.token)
  await using database = await openDatabase(platform.database)
  const states = twinsTotal * statesPerTwin
  say(`making ${twinsTotal} twins and ${states} states`)
  const buildings = await fillTwins(api, database)
  const timings = options.part === null ? await timeAll(api, { database, buildings }, say, signal) : []
  const executablePath = findBrowser()
  const openings =
    executablePath === null
      ? []
      : await timeAddresses(platform, { executablePath, addresses: maps(buildings) }, say, signal)
  const missing = 'The maps were not opened: there is no browser, CHROMIUM_PATH may name one.'
  return {
    json: {
      subject: 'twins',
      twins: twinsTotal,
      states,
      calls: timingsToJson(timings),
      addresses: openingsToJson(openings),
    },
    lines: [...timingsTable(timings), '', ...(executablePath === null ? [missing] : openingsTable(openings))],
  }
}

async function timeAll(
  api: Api,
  { database, buildings }: { database: pg.Client; buildings: readonly number[] },
  say: Say,
  signal: AbortSignal,
): Promise<Timing[]> {
  const calls = [...callsOver(buildings), ...(await callsOfVisitors(api, buildings))]
  say('making an aggregate of all rooms')
  const follow = await followingCall(api, database, signal)
  return timeCalls(api, [...calls, follow], say, signal)
}

/** A map is usable when it and the first places beside it are there. */
const maps = (buildings: readonly number[]): Address[] => [
  {
    name: 'map of a building',
    path: `/digitaltwin-mgmt/map/twin/${buildings[0]}`,
    usable: [
      ['main canvas', ''],
      ['main nav li', ''],
    ],
  },
]

/** Until an aggregate has its first value. */
const firstValueMaxMs = 60_000
const lookEveryMs = 5

/** An aggregate by query over the rooms: from a new value of one of them until the aggregate shows it. */
async function followingCall(api: Api, database: pg.Client, signal: AbortSignal): Promise<Call> {
  const { rows } = await database.query<{ id: number; twinId: number; rooms: number }>(
    `select min(s.id) as id, min(t.parent_id) as "twinId", count(*)::int as rooms from states s join twins t on t.id = s.twin_id
      where t.type = 'room' and s.key = 'state_1'`,
  )
  const [found] = rows
  if (found === undefined) throw new Error('there are no rooms')
  const { id: aggregateId } = await api.state.create({
    dtwinId: found.twinId,
    key: 'rooms',
    title: 'All rooms',
    source: 'aggregate',
    sourceSettings: { query: { key: 'state_1', types: ['room'] }, method: 'avg' },
  })
  const current = async () => (await api.state.get({ id: aggregateId })).value
  const whenOther = async (before: unknown) => {
    const until = performance.now() + firstValueMaxMs
    for (;;) {
      const value = await current()
      if (value !== before) return value
      if (performance.now() > until) throw new Error('the aggregate does not follow')
      await delay(lookEveryMs, undefined, { signal })
    }
  }
  let last = await whenOther(null)
  return {
    name: `aggregate by query over ${found.rooms} rooms, follows a value`,
    run: async (_, round) => {
      await api.state.setValue({ id: found.id, value: (round + 1) * found.rooms })
      last = await whenOther(last)
      return { rows: 1 }
    },
  }
}

/**
 * Writes directly to the tables, as only reading is measured.
 * @returns ids of the buildings
 */
async function fillTwins(api: Api, database: pg.Client): Promise<number[]> {
  const account = await createAccount(api)
  const scope = `(select id from scopes where account_id = ${account.id} and twin_id is null)`
  const square = (
    half: string,
  ) => `jsonb_build_object('type', 'Polygon', 'coordinates', jsonb_build_array(jsonb_build_array(
    jsonb_build_array(lon - ${half}, lat - ${half}), jsonb_build_array(lon + ${half}, lat - ${half}),
    jsonb_build_array(lon + ${half}, lat + ${half}), jsonb_build_array(lon - ${half}, lat + ${half}),
    jsonb_build_array(lon - ${half}, lat - ${half}))))`
  const { rows } = await database.query<{ id: number }>(`
    insert into twins (category, account_id, scope_id, title, type, latitude, longitude, geo_polygon)
    select 'digitalTwin', ${account.id}, ${scope}, 'Building ' || lpad(n::text, 3, '0'), 'building', lat, lon, ${square('0.0004')}
    from (select n, 50.9 + n % 15 * 0.01 as lat, 11 + n / 15 * 0.015 as lon from generate_series(1, ${buildingsTotal}) as n) as places
    returning id`)
  const buildings = rows.map(({ id }) => id)
  await database.query(
    `with floors as (
      insert into twins (category, account_id, scope_id, parent_id, title, type, floor_number, latitude, longitude)
      select 'digitalTwin', ${account.id}, ${scope}, b.id, 'Floor ' || f, 'floor', f, b.latitude, b.longitude
      from twins b, generate_series(1, ${floorsPerBuilding}) as f where b.id = any($1::int[])
      returning id, latitude, longitude),
    numbered as (select id, latitude, longitude, row_number() over (order by id) - 1 as place from floors)
    insert into twins (category, account_id, scope_id, parent_id, title, type, tags, latitude, longitude)
    select 'digitalTwin', ${account.id}, ${scope}, f.id, 'Room ' || lpad(n::text, 5, '0'), 'room', array['tag ' || n % 20],
      f.latitude + (n % 7 - 3) * 0.0001, f.longitude + (n % 11 - 5) * 0.0001
    from generate_series(1, ${twinsTotal - buildingsTotal * (1 + floorsPerBuilding)}) as n
      join numbered f on f.place = n % ${buildingsTotal * floorsPerBuilding}`,
    [buildings],
  )
  await database.query(`
    with made as (
      insert into states (twin_id, key, title, unit, source, visualization)
      select t.id, 'state_' || k, 'State ' || k, case k % 3 when 0 then '°C' when 1 then 'ppm' else '%' end, 'none',
        case when k % ${limitedEvery} = 0 then '{"kind":"value","lowerThreshold":60,"upperThreshold":99}'::jsonb else '{"kind":"value"}'::jsonb end
      from twins t, generate_series(1, ${statesPerTwin}) as k where t.account_id = ${account.id}
      returning id)
    insert into state_current (state_id, time, num)
    select id, now() - id % 100000 * interval '7 seconds', id * 7 % 100 from made`)
  await database.query('vacuum analyze twins, states, state_current')
  return buildings
}

/** What visitors of a building's public pages read; fewer calls than one address may make at once. */
async function callsOfVisitors(api: Api, buildings: readonly number[]): Promise<Call[]> {
  const twinId = buildings[0] as number
  const { token: key } = await api.sharing.createKey({ id: twinId })
  return [
    {
      name: 'public map, a building and everything below it',
      run: async (visitor) => {
        const { items, areas } = await visitor.shared.geoClusters({ key, twinId, zoom: 17 })
        return { rows: items.length + areas.length }
      },
    },
    {
      name: 'public tiles, states of a building',
      run: async (visitor) => ({ rows: (await visitor.shared.states({ key, id: twinId })).items.length }),
    },
    {
      name: 'public tiles, what is below it',
      run: async (visitor) => ({ rows: (await visitor.shared.children({ key, id: twinId })).items.length }),
    },
  ]
}

/** By title, as people choose them, and by key; some values fit none. */
const markers = JSON.stringify({
  states: ['State 3', 'state_7'],
  operators: [
    { state: 'State 1', operator: 'gt', value: 95, color: 'red' },
    { state: 'state_2', operator: 'lt', value: 10, color: 'violet' },
    { state: 'State 4', operator: 'eq', value: 42, color: 'yellow' },
  ],
})

function callsOver(buildings: readonly number[]): Call[] {
  const building = (round: number) => buildings[round % buildings.length] as number
  type Twins = Parameters<Api['digitaltwin']['list']>[0]
  const list = (name: string, input: (round: number) => Twins): Call => ({
    name: `list, ${name}`,
    run: async (api, round) => ({
      rows: (await api.digitaltwin.list({ limit: page, ...input(round) })).items.length,
    }),
  })
  type Part = Parameters<Api['digitaltwin']['geoClusters']>[0]
  const map = (name: string, input: (round: number) => Part): Call => ({
    name: `map, ${name}`,
    run: async (api, round) => {
      const { items, areas } = await api.digitaltwin.geoClusters(input(round))
      return { rows: items.length + areas.length }
    },
  })
  type Overview = Parameters<Api['stateOverview']['fetch']>[0]
  const overview = (name: string, input: (round: number) => Overview): Call => ({
    name: `states overview, ${name}`,
    run: async (api, round) => ({
      rows: (await api.stateOverview.fetch({ limit: page, ...input(round) })).items.length,
    }),
  })
  const around = (round: number) => {
    const [south, west] = [50.9 + (round % 15) * 0.01, 11 + (1 + (round % 12)) * 0.015]
    return { south: south - 0.005, north: south + 0.005, west: west - 0.008, east: west + 0.008 }
  }
  return [
    {
      name: 'tree, top',
      run: async (api) => ({ rows: (await api.digitaltwin.children({ id: 0 })).items.length }),
    },
    {
      name: 'tree, colours of the top',
      run: async (api) => ({
        rows: (await api.digitaltwin.worstLevels({ ids: [...buildings] })).items.length,
      }),
    },
    {
      name: 'tree, children of a building',
      run: async (api, round) => ({
        rows: (await api.digitaltwin.children({ id: building(round) })).items.length,
      }),
    },
    {
      name: 'tree, search',
      run: async (api, round) => ({
        rows: (await api.digitaltwin.partialTree({ search: `oom 0${100 + round}` })).items.length,
      }),
    },
    list('first page', () => ({})),
    list('deep page', (round) => ({ offset: twinsTotal - page * (2 + round) })),
    list('search for a part of the title', (round) => ({ search: `oom 0${100 + round}` })),
    {
      name: 'map, extent of everything',
      run: async (api) => ({ rows: (await api.digitaltwin.geoMetaInfos({})).placed }),
    },
    map('everything', () => ({ zoom: 11 })),
    map('a district', (round) => ({ zoom: 16, ...around(round) })),
    map('everything, coloured by operators', () => ({ zoom: 11, markers })),
    map('a district, values and colours by operators', (round) => ({ zoom: 16, markers, ...around(round) })),
    map('a building and everything below it', (round) => ({ zoom: 17, twinId: building(round) })),
    overview('first page', () => ({})),
    overview('search', (round) => ({ search: `building ${100 + (round % 100)} state 7` })),
    overview('deep page', (round) => ({ offset: 9_000 + round })),
    overview('with a tag', (round) => ({
      filter: { attribute: 'twin_tags', operator: 'contains', value: [`tag ${round % 20}`] },
    })),
  ]
}
