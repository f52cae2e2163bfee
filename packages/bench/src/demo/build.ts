import { randomBytes } from 'node:crypto'
import type { Api } from '../client.ts'
import { cityName, type DeviceSpec, departments, type Network, place, type TwinSpec, twins } from './city.ts'
import { deviceSpecs } from './deviceSpecs.ts'
import { drawFloor, outlineOf, plannedFloors } from './floorPlans.ts'
import { dashboards, type RuleSpec, rules } from './views.ts'

/** What the traffic needs of the city. */
export interface City {
  devices: { spec: DeviceSpec; id: number; devEui: string; createdAt: Date; lastSeen: Date | null }[]
  webhookKey: string
  mqtt: { username: string; password: string }
}

/** Ids of the states of twins and devices, by title and key. */
export type StateIds = ReadonlyMap<string, ReadonlyMap<string, number>>

const mqttUsername = 'chirpstack-demo'
const pageMax = 1000

/**
 * Creates what is missing of the city: accounts, connectors, twins, devices, states. Existing objects are
 * left unchanged; after an interruption it continues where it stopped.
 */
export async function buildCity(api: Api): Promise<{ city: City; ids: CityIds }> {
  const accounts = await buildAccounts(api)
  const { connectors, webhookKey, password } = await buildConnectors(api, accounts)
  const twinIds = await buildTwins(api, accounts)
  await buildPlans(api, twinIds)
  const devices = await buildDevices(api, connectors, twinIds)
  const states = await buildStates(api, twinIds, new Map(devices.map(({ spec, id }) => [spec.title, id])))
  return {
    city: { devices, webhookKey, mqtt: { username: mqttUsername, password } },
    ids: { accounts, twins: twinIds, states },
  }
}

export interface CityIds {
  accounts: Accounts
  twins: ReadonlyMap<string, number>
  states: StateIds
}

type Accounts = { city: number } & Record<keyof typeof departments, number>

async function buildAccounts(api: Api): Promise<Accounts> {
  const { items } = await api.tenant.fetchAll()
  const root = items.find(({ parentId }) => parentId === null)
  if (root === undefined) throw new Error('there is no root account')
  const ensure = async (name: string, parentId: number) =>
    items.find((account) => account.name === name && account.parentId === parentId) ??
    (await api.tenant.create({ name, parentId, description: 'Demo' }))
  const city = await ensure(cityName, root.id)
  // So that it can be found again, and deleted.
  await api.setup.noteDemo({ accountId: city.id })
  return {
    city: city.id,
    buildings: (await ensure(departments.buildings, city.id)).id,
    streets: (await ensure(departments.streets, city.id)).id,
  }
}

async function buildConnectors(api: Api, accounts: Accounts) {
  const { items } = await api.bridge.list({
    limit: pageMax,
    accountIds: [accounts.buildings, accounts.streets],
  })
  const hook = items.find(({ kind, accountId }) => kind === 'webhook-in' && accountId === accounts.buildings)
  const webhook =
    hook === undefined
      ? await api.bridge.create({
          accountId: accounts.buildings,
          kind: 'webhook-in',
          name: 'The Things Stack',
          settings: { preset: 'tts-v3' },
          description: 'LoRaWAN-Netz der Gebäude, Anlieferung per Webhook',
        })
      : // The platform only stores a hash of the key: every start creates a new one.
        await api.bridge.makeKey({ id: hook.id, overlapHours: 0 })
  const password = randomBytes(18).toString('base64url')
  const settings = {
    username: mqttUsername,
    password,
    preset: 'chirpstack-v4',
    publishTopics: ['application/#'],
    subscribeTopics: ['application/#'],
  }
  const known = items.find(({ kind, accountId }) => kind === 'mqtt-broker' && accountId === accounts.streets)
  const broker =
    known === undefined
      ? await api.bridge.create({
          accountId: accounts.streets,
          kind: 'mqtt-broker',
          name: 'ChirpStack',
          settings,
          description: 'LoRaWAN-Netz der Straßen, Anlieferung per MQTT',
        })
      : // The platform only stores a hash of the password: every start creates a new one.
        await api.bridge.update({ ...known, settings: { ...known.settings, password } })
  if (webhook.key === null) throw new Error('the webhook has no key')
  const connectors: Record<Network, number> = { tts: webhook.id, chirpstack: broker.id }
  return { connectors, webhookKey: webhook.key, password }
}

async function buildTwins(api: Api, accounts: Accounts): Promise<Map<string, number>> {
  const { items } = await api.digitaltwin.list({
    limit: pageMax,
    accountIds: [accounts.buildings, accounts.streets],
  })
  const ids = new Map(items.map(({ title, id }) => [title, id]))
  for (const twin of twins) {
    if (ids.has(twin.title)) continue
    const { follows: _, aggregates: __, parent, department, ...fields } = twin
    const owner = parent === null ? { accountId: accounts[department] } : { parentId: known(ids, parent) }
    const { id } = await api.digitaltwin.create({ ...fields, ...owner })
    ids.set(twin.title, id)
  }
  return ids
}

/** The plans of floors that have none. */
async function buildPlans(api: Api, twinIds: ReadonlyMap<string, number>): Promise<void> {
  const { latitude } = place(0, 0)
  for (const [title, floor] of Object.entries(plannedFloors)) {
    const id = known(twinIds, title)
    const { items } = await api.upload.list({ object: 'digitalTwin', objectId: id })
    if (items.some(({ role }) => role === 'plan')) continue
    const [south, west, north, east] = outlineOf(floor)
    const picture = drawFloor(floor, Math.cos((latitude * Math.PI) / 180))
    const { id: fileId } = await api.upload.post({
      file: new File([new Uint8Array(picture)], `${title}.png`, { type: 'image/png' }),
      object: 'digitalTwin',
      objectId: id,
      role: 'plan',
    })
    await api.floor.place({ id, fileId, northEast: place(north, east), southWest: place(south, west) })
  }
}

async function buildDevices(
  api: Api,
  connectors: Record<Network, number>,
  twinIds: ReadonlyMap<string, number>,
): Promise<City['devices']> {
  const drivers = await api.devicedrivers.list({ limit: pageMax })
  const { items } = await api.virtualdevice.list({ limit: pageMax, connector_ids: Object.values(connectors) })
  const byEui = new Map(items.map((device) => [device.externalId, device]))
  const places = new Map(twins.map((twin) => [twin.title, twin]))
  const devices: City['devices'] = []
  for (const [index, spec] of deviceSpecs.entries()) {
    const devEui = `70B3D57ED0${(0x5a0000 + index * 0x11).toString(16).toUpperCase().padStart(6, '0')}`
    const there = byEui.get(devEui)
    if (there !== undefined) {
      devices.push({
        spec,
        id: there.id,
        devEui,
        createdAt: new Date(there.createdAt),
        lastSeen: there.lastSeen === null ? null : new Date(there.lastSeen),
      })
      continue
    }
    const driver = drivers.items.find(({ model, title }) => matches(spec.driver, `${title} ${model}`))
    if (driver === undefined) throw new Error(`there is no driver for ${spec.driver}`)
    const place = places.get(spec.parent)
    const { id, createdAt } = await api.virtualdevice.create({
      title: spec.title,
      externalId: devEui,
      connectorId: connectors[spec.network],
      driverId: driver?.id ?? null,
      parentId: known(twinIds, spec.parent),
      tags: spec.tags,
      operationalStatus: 3,
      ...(place === undefined ? {} : { latitude: place.latitude, longitude: place.longitude }),
    })
    devices.push({ spec, id, devEui, createdAt: new Date(createdAt), lastSeen: null })
  }
  return devices
}

/** `nwave-nps310` is the driver called "Nwave NPS310SM". */
function matches(key: string, title: string): boolean {
  const words = title.toLowerCase().split(/[^a-z0-9]+/)
  return key.split('-').every((part) => words.some((word) => word.startsWith(part)))
}

async function buildStates(
  api: Api,
  twinIds: ReadonlyMap<string, number>,
  deviceIds: ReadonlyMap<string, number>,
): Promise<StateIds> {
  const states = new Map<string, Map<string, number>>()
  const read = async (title: string, id: number) => {
    const { items } = await api.digitaltwin.states({ id })
    states.set(title, new Map(items.map((state) => [state.key, state.id])))
  }
  for (const [title, id] of deviceIds) await read(`device ${title}`, id)
  for (const [title, id] of twinIds) await read(title, id)
  const find = (title: string, key: string) => known(known(states, title), key)
  for (const twin of twins) await follow(api, twin, known(twinIds, twin.title), states, find)
  for (const twin of twins) await aggregate(api, twin, known(twinIds, twin.title), states, find)
  return states
}

type Find = (title: string, key: string) => number

async function follow(
  api: Api,
  twin: TwinSpec,
  dtwinId: number,
  states: Map<string, Map<string, number>>,
  find: Find,
) {
  const own = known(states, twin.title)
  for (const { key, title, unit, device, variable, upper } of twin.follows ?? []) {
    if (own.has(key)) continue
    const sourceId = find(`device ${device}`, variable ?? key)
    const source = await api.state.get({ id: sourceId })
    const { id } = await api.state.create({
      dtwinId,
      key,
      title,
      unit,
      source: 'virtual-device-aggregate',
      valueType: source.valueType,
      sourceSettings: { stateIds: [sourceId], method: 'latest' },
      ...(source.valueType === 'number'
        ? { decimals: unit === '°C' || unit === 'm/s' ? 1 : unit === 'm³' ? 3 : 0 }
        : {}),
      ...(upper === undefined ? {} : { visualization: gauge(upper) }),
    })
    own.set(key, id)
  }
}

function gauge(upper: number) {
  return { kind: 'gauge' as const, min: 0, max: Math.round(upper * 1.8), upperThreshold: upper }
}

async function aggregate(
  api: Api,
  twin: TwinSpec,
  dtwinId: number,
  states: Map<string, Map<string, number>>,
  find: Find,
) {
  const own = known(states, twin.title)
  for (const { key, title, unit, method, of } of twin.aggregates ?? []) {
    if (own.has(key)) continue
    const stateIds = of.map(([other, otherKey]) => find(other, otherKey))
    const { id } = await api.state.create({
      dtwinId,
      key,
      title,
      unit,
      source: 'aggregate',
      valueType: 'number',
      decimals: unit === '°C' ? 1 : 0,
      sourceSettings: { stateIds, method },
    })
    own.set(key, id)
  }
}

/** Rules; those with an average over minutes need live values, the others may watch the last days of the history. */
export async function buildRules(api: Api, { twins: twinIds, states }: CityIds, when: RuleSpec['from']) {
  const find = (title: string, key: string) => known(known(states, title), key)
  for (const { twin: title, from, ...rule } of rules(find)) {
    if (from !== when) continue
    const dtwinId = known(twinIds, title)
    const { items } = await api.ddr.list({ dtwinId })
    if (!items.some((other) => other.title === rule.title)) await api.ddr.create({ dtwinId, ...rule })
  }
}

/** Dashboards, which need values first. */
export async function buildDashboards(
  api: Api,
  { accounts, twins: twinIds, states }: CityIds,
): Promise<void> {
  const find = (title: string, key: string) => known(known(states, title), key)
  const existing = await api.dashboards.list({ limit: pageMax, accountIds: [accounts.city] })
  for (const { name, description, widgets } of dashboards(find, (title) => known(twinIds, title))) {
    if (existing.items.some((dashboard) => dashboard.name === name)) continue
    const { id } = await api.dashboards.create({ name, description, accountId: accounts.city })
    for (const definition of widgets) await api.dashboards.addWidget({ id, definition })
    await api.favorite.create({ type: 'dashboard', objectId: id })
  }
}

function known<V>(map: ReadonlyMap<string, V>, key: string): V {
  const value = map.get(key)
  if (value === undefined) throw new Error(`${key} is not there`)
  return value
}
