import { randomBytes, randomUUID } from 'node:crypto'
import { ORPCError } from '@orpc/client'
import type { Protocol } from './arguments.ts'
import type { Api } from './client.ts'
import type { HttpTarget } from './load/httpLane.ts'
import type { MqttTarget } from './load/mqttLane.ts'
import { type SimulatedDevice, simulatedDevice } from './load/uplinks.ts'
import type { Platform } from './platform.ts'

/** Concurrent API calls while the fleet is created. */
const callsAtOnce = 8
const pageMax = 1000
const attemptsMax = 5
/** One in ten devices has a twin that follows it, with a rule. */
const everyTwin = 10
/** One in ten states has a transformer: one state each of four in ten devices. */
const transformersIn = { devices: 10, have: 4 } as const

/** What was created in the platform for a run. */
export interface Fleet {
  accountId: number
  groups: Group[]
  /** how fast the API created devices */
  devicesPerSecond: number
}

/** The devices of one connector. */
export interface Group {
  protocol: Protocol
  connectorId: number
  devices: readonly (SimulatedDevice & { readonly id: number })[]
  mqtt: MqttTarget
  http: HttpTarget
}

/** An account for a run, below the root. */
export async function createAccount(api: Api): Promise<{ id: number; scopeId: number }> {
  const { items: accounts } = await api.tenant.fetchAll()
  const root = accounts.find(({ parentId }) => parentId === null)
  if (root === undefined) throw new Error('the session sees no root account')
  return api.tenant.create({ name: `Load ${new Date().toISOString()} ${randomUUID()}`, parentId: root.id })
}

/** Makes an account with a connector for each protocol, and devices of a delivered driver on them. */
export async function buildFleet(
  api: Api,
  platform: Pick<Platform, 'url' | 'mqttPort'>,
  options: { protocols: readonly Protocol[]; devices: number },
  signal: AbortSignal,
): Promise<Fleet> {
  const account = await createAccount(api)
  const driverId = await findDriver(api)
  const groups: Group[] = []
  const started = performance.now()
  for (const [place, protocol] of options.protocols.entries()) {
    const connector = await createConnector(api, platform, account.id, protocol)
    const devices = await inParallel(options.devices, signal, async (index) => {
      const device = simulatedDevice(place * options.devices + index)
      const { id } = await api.virtualdevice.create({
        title: `Sensor ${device.devEui}`,
        externalId: device.devEui,
        connectorId: connector.connectorId,
        driverId,
        operationalStatus: 3,
      })
      return { ...device, id }
    })
    groups.push({ protocol, ...connector, devices })
  }
  const count = options.protocols.length * options.devices
  return { accountId: account.id, groups, devicesPerSecond: (count * 1000) / (performance.now() - started) }
}

/** The delivered driver of the simulated devices. @returns its id */
export async function findDriver(api: Api): Promise<number> {
  const { items: drivers } = await api.devicedrivers.list({ limit: pageMax, search: 'ERS' })
  const driver = drivers.find(({ manufacturer, model }) => /elsys/i.test(manufacturer) && /ERS/.test(model))
  if (driver === undefined) throw new Error('the delivered driver for the Elsys ERS is not there')
  return driver.id
}

export async function createConnector(
  api: Api,
  platform: Pick<Platform, 'url' | 'mqttPort'>,
  accountId: number,
  protocol: Protocol,
) {
  const port = Number(new URL(platform.url).port)
  const login = { username: `bench-${accountId}`, password: randomBytes(18).toString('base64url') }
  const settings =
    protocol === 'http'
      ? { preset: 'tts-v3' }
      : { ...login, preset: 'tts-v3', publishTopics: ['v3/#'], subscribeTopics: [] }
  const kind = protocol === 'http' ? 'webhook-in' : 'mqtt-broker'
  const { id, key } = await api.bridge.create({ accountId, kind, name: `Load ${protocol}`, settings })
  return {
    connectorId: id,
    mqtt: { port: platform.mqttPort, ...login },
    http: { port, path: `/api/hooks/${key ?? ''}` },
  }
}

/**
 * Transformers on one state in ten, and for one device in ten a twin that follows it, with a rule. The states
 * must already exist.
 */
export async function addFollowers(api: Api, fleet: Fleet, signal: AbortSignal): Promise<void> {
  const devices = fleet.groups.flatMap((group) => group.devices)
  await inParallel(devices.length, signal, async (index) => {
    const isTransformed = index % transformersIn.devices < transformersIn.have
    const isFollowed = index % everyTwin === 0
    if (!isTransformed && !isFollowed) return
    const device = devices[index] as (typeof devices)[number]
    const { items } = await api.digitaltwin.states({ id: device.id })
    const state = items.find(({ key }) => key === 'temperature')
    if (state === undefined) throw new Error(`${device.devEui} has no temperature after its first uplink`)
    if (isTransformed) {
      const { value: _, time: __, twinId: ___, position: ____, ...fields } = state
      await patiently(() =>
        api.state.update({ ...fields, transformer: 'return Math.round(value * 10) / 10' }),
      )
    }
    if (isFollowed) await addTwin(api, fleet.accountId, device.devEui, state.id)
  })
}

async function addTwin(api: Api, accountId: number, devEui: string, sourceId: number): Promise<void> {
  const twin = await api.digitaltwin.create({ title: `Room ${devEui}`, type: 'room', accountId })
  const state = await api.state.create({
    dtwinId: twin.id,
    key: 'temperature',
    title: 'Temperature',
    unit: '°C',
    valueType: 'number',
    source: 'virtual-device-aggregate',
    sourceSettings: { stateIds: [sourceId], method: 'latest' },
  })
  await api.ddr.create({
    dtwinId: twin.id,
    title: 'Too warm',
    metrics: [{ alias: 'temperature', stateId: state.id }],
    conditions: { op: 'gt', left: { metric: 'temperature' }, right: { value: 30 } },
    actions: [{ kind: 'alarm', severity: 'warning', message: '{{temperature}} °C' }],
  })
}

/** The script timeout is wall-clock time: on a very busy machine even a short script may be rejected. */
async function patiently<T>(call: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await call()
    } catch (error) {
      const isSlow = error instanceof ORPCError && error.code === 'SCRIPT_TIMEOUT'
      if (!isSlow || attempt === attemptsMax) throw error
    }
  }
}

/** Runs a task for each index, a few concurrently; returns results in order. The first failure ends it. */
export async function inParallel<T>(
  count: number,
  signal: AbortSignal,
  work: (index: number) => Promise<T>,
): Promise<T[]> {
  const results = new Array<T>(count)
  let next = 0
  const runners = Array.from({ length: callsAtOnce }, async () => {
    while (next < count) {
      signal.throwIfAborted()
      const index = next++
      results[index] = await work(index)
    }
  })
  await Promise.all(runners)
  return results
}
