import type pg from 'pg'
import { type Options, UsageError } from '../arguments.ts'
import { type Api, createApi } from '../client.ts'
import { openDatabase } from '../database.ts'
import { createAccount } from '../fleet.ts'
import { openPlatform } from '../platform.ts'
import { type Call, timeCalls, timingsTable, timingsToJson } from './calls.ts'
import { addressesOf, openingsTable, openingsToJson, timeAddresses } from './listAddresses.ts'
import { findBrowser, timeConsole } from './listConsole.ts'
import { makeSample } from './listSample.ts'
import type { Report, Say } from './report.ts'

const devicesTotal = 100_000
const twinsTotal = 20_000
const buildingsTotal = 200
const page = 50
const monthMs = 30 * 86_400_000

const addressesPart = 'addresses'

/**
 * Lists of 100 000 virtual devices, 20 000 twins and 200 000 states: over the API and, where there is a browser, in the console.
 * The part `addresses` only opens addresses of the console.
 */
export async function list(options: Options, say: Say, signal: AbortSignal): Promise<Report> {
  if (options.part !== null && options.part !== addressesPart)
    throw new UsageError(`--part of list is ${addressesPart}`)
  const isWhole = options.part === null
  await using platform = await openPlatform(options, signal)
  if (platform.database === null) throw new Error('the database of the platform is not known')
  const api = createApi(platform.url, platform.token)
  await using database = await openDatabase(platform.database)
  const sample = await makeSample(api, platform, signal)
  say(`making ${devicesTotal} devices and ${twinsTotal} twins`)
  const buildings = await fill(api, database)
  const calls = isWhole ? await timeCalls(api, callsOver(buildings), say, signal) : []
  const executablePath = findBrowser()
  const shown =
    executablePath === null || !isWhole ? [] : await timeConsole(platform, executablePath, say, signal)
  const openings =
    executablePath === null
      ? []
      : await timeAddresses(platform, { executablePath, addresses: addressesOf(sample) }, say, signal)
  const timings = [...calls, ...shown]
  const missing = 'The console was not measured: there is no browser, CHROMIUM_PATH may name one.'
  return {
    json: {
      subject: 'list',
      devices: devicesTotal,
      twins: twinsTotal,
      calls: timingsToJson(timings),
      addresses: openingsToJson(openings),
    },
    lines: [...timingsTable(timings), '', ...(executablePath === null ? [missing] : openingsTable(openings))],
  }
}

/**
 * Writes directly to the tables, as only reading is measured.
 * @returns ids of the buildings
 */
async function fill(api: Api, database: pg.Client): Promise<number[]> {
  const account = await createAccount(api)
  const settings = { preset: 'tts-v3' }
  const { id: connectorId } = await api.bridge.create({
    accountId: account.id,
    kind: 'webhook-in',
    name: 'Lists',
    settings,
  })
  const scope = `(select id from scopes where account_id = ${account.id} and twin_id is null)`
  const { rows } = await database.query<{ id: number }>(`
    insert into twins (category, account_id, scope_id, title, type)
    select 'digitalTwin', ${account.id}, ${scope}, 'Building ' || lpad(n::text, 3, '0'), 'building'
    from generate_series(1, ${buildingsTotal}) as n returning id`)
  const buildings = rows.map(({ id }) => id)
  const parent = `($1::int[])[1 + n % ${buildingsTotal}]`
  await database.query(
    `insert into twins (category, account_id, scope_id, parent_id, title, type, tags)
    select 'digitalTwin', ${account.id}, ${scope}, ${parent}, 'Room ' || lpad(n::text, 5, '0'), 'room', array['floor ' || n % 9]
    from generate_series(1, ${twinsTotal - buildingsTotal}) as n`,
    [buildings],
  )
  await database.query(
    `with made as (
      insert into twins (category, account_id, scope_id, parent_id, title, type, tags, zones, latitude, longitude)
      select 'virtualDevice', ${account.id}, ${scope}, ${parent}, 'Sensor ' || lpad(n::text, 6, '0'), 'sensor',
        array['tag ' || n % 20], array['zone ' || n % 10], 47.5 + n % 317 * 0.02, 6.5 + n / 317 * 0.025
      from generate_series(1, ${devicesTotal}) as n returning id),
    known as (
      insert into virtual_devices (twin_id, connector_id, external_id, driver_id, operational_status, groups)
      select id, ${connectorId}, '70B3D57ED2' || lpad(upper(to_hex(id)), 6, '0'), (select min(id) from drivers), 3,
        array['group ' || id % 50]
      from made),
    measuring as (
      insert into states (twin_id, key, title, source)
      select id, key, key, 'connector' from made, unnest(array['temperature', 'humidity']) as key)
    insert into device_live (twin_id, last_seen, health)
    select id, now() - id % 100000 * interval '7 seconds', id % 4 from made`,
    [buildings],
  )
  await database.query('vacuum analyze twins, virtual_devices, device_live, states')
  return buildings
}

function callsOver(buildings: readonly number[]): Call[] {
  type Devices = Parameters<Api['virtualdevice']['list']>[0]
  const devices = (name: string, input: (round: number) => Devices): Call => ({
    name: `devices, ${name}`,
    run: async (api, round) => ({
      rows: (await api.virtualdevice.list({ limit: page, ...input(round) })).items.length,
    }),
  })
  type Twins = Parameters<Api['digitaltwin']['list']>[0]
  const twins = (name: string, input: (round: number) => Twins): Call => ({
    name: `twins, ${name}`,
    run: async (api, round) => ({
      rows: (await api.digitaltwin.list({ limit: page, ...input(round) })).items.length,
    }),
  })
  return [
    devices('first page', () => ({})),
    devices('deep page', (round) => ({ offset: devicesTotal - page * (2 + round) })),
    devices('search for a part of the title', (round) => ({ search_items: `sor 0${100 + round}` })),
    devices('with a tag', (round) => ({ tags: [`tag ${round % 20}`] })),
    devices('with a health', (round) => ({ health: [round % 4] })),
    devices('search for a part of an EUI', (round) => ({ search_items: `70-B3-D5-7E-D2-01-${round % 10}` })),
    devices('search for what all EUIs begin with', () => ({ search_items: '70-B3-D5-7E-D2' })),
    devices('search for what all titles have', () => ({ search_items: 'sensor' })),
    {
      name: 'map, everything',
      run: async (api) => ({ rows: (await api.virtualdevice.geoClusters({ zoom: 5 })).items.length }),
    },
    {
      name: 'map, in a cluster',
      run: async (api) => ({
        rows: (await api.virtualdevice.geoClusterBreakOpen({ id: '5_50_172_110', limit: page })).total,
      }),
    },
    devices('seen last', () => ({ order_by: '-lastSeen' })),
    {
      name: 'devices, statistics',
      run: async (api) => ({ rows: (await api.virtualdevice.statistics({})).byHealth.length }),
    },
    {
      name: 'devices, growth',
      run: async (api) => {
        const [start, end] = [new Date(Date.now() - monthMs).toISOString(), new Date().toISOString()]
        const { growth } = await api.virtualdevice.statistics({ period: { start, end, steps: 100 } })
        return { rows: growth?.total.length ?? 0 }
      },
    },
    {
      name: 'devices, groups',
      run: async (api) => ({ rows: (await api.virtualdevice.groups({})).items.length }),
    },
    {
      name: 'devices, tags and zones',
      run: async (api) => ({ rows: (await api.virtualdevice.tagsZones()).tags.length }),
    },
    {
      name: 'states, first page',
      run: async (api) => ({ rows: (await api.state.search({ limit: page })).items.length }),
    },
    twins('first page', () => ({})),
    twins('deep page', (round) => ({ offset: twinsTotal - page * (2 + round) })),
    twins('search for a part of the title', (round) => ({ search: `oom 0${100 + round}` })),
    {
      name: 'tree, top',
      run: async (api) => ({ rows: (await api.digitaltwin.children({ id: 0 })).items.length }),
    },
    {
      name: 'tree, children of a building',
      run: async (api, round) => {
        const id = buildings[round % buildings.length] as number
        return { rows: (await api.digitaltwin.children({ id })).items.length }
      },
    },
  ]
}
