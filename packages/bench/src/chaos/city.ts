import { setTimeout as delay } from 'node:timers/promises'
import type { Api } from '../client.ts'
import { buildFleet, findDriver, type Group, inParallel } from '../fleet.ts'
import { simulatedDevice } from '../load/uplinks.ts'
import { admin } from '../platform.ts'
import type { ForeignBroker } from './foreignBroker.ts'
import type { Line } from './load.ts'
import { HttpSender, MqttSender, type Sender } from './senders.ts'
import type { ChaosDevice } from './uplinks.ts'

/** One in this many devices of a connector has a twin that follows it, with rules. */
const watchedEvery = 5
/** One in this many devices has a transformer on its temperature. */
const transformedEvery = 3
const mqttConnections = 8
/** Devices of the foreign broker have numbers of their own. */
const foreignDevicesFrom = 500_000
const warmFrom = 30
const pollMs = 50

/** A watched device with its twins and rules. */
export interface Watch {
  device: ChaosDevice
  ruleId: number
  /** the rule sets this state of the twin to the temperature it has seen */
  noteId: number
  /** a state of the twin that follows the device's temperature */
  followerId: number
  /** a state of another twin that follows `noteId`, and the rule on it */
  echoRuleId: number
}

/** The accounts and devices a fault run uses. */
export interface City extends Disposable {
  accountId: number
  lines: readonly Line[]
  watches: Watch[]
}

interface Doors {
  http: { readonly port: number }
  mqtt: { readonly port: number }
  foreign: ForeignBroker | null
}

/** Creates connectors and devices; `addWatches` adds twins and rules once the devices' states exist. */
export async function buildCity(api: Api, doors: Doors, devices: number, signal: AbortSignal): Promise<City> {
  const platform = { url: `http://127.0.0.1:${doors.http.port}`, mqttPort: doors.mqtt.port }
  const share = Math.floor(devices / (doors.foreign ? 3 : 2))
  const fleet = await buildFleet(api, platform, { protocols: ['mqtt', 'http'], devices: share }, signal)
  const lines = fleet.groups.map((group, connector) => lineOf(group, connector))
  if (doors.foreign)
    lines.push(await foreignLine(api, doors.foreign, fleet.accountId, lines.length, share, signal))
  return {
    accountId: fleet.accountId,
    lines,
    watches: [],
    [Symbol.dispose]: () => {
      for (const { senders } of lines) for (const sender of senders) sender[Symbol.dispose]()
    },
  }
}

export function lineOf({ protocol, connectorId, devices, mqtt, http }: Group, connector: number): Line {
  const senders: Sender[] =
    protocol === 'mqtt'
      ? Array.from({ length: mqttConnections }, (_, at) => new MqttSender(mqtt, `chaos-${at}`))
      : [new HttpSender(http)]
  return {
    name: protocol,
    connectorId,
    isDirect: true,
    senders,
    devices: devices.map((device, index) => chaosDevice(device, connector, index % watchedEvery === 0)),
  }
}

/** Devices that send to a foreign broker, from which the platform fetches their uplinks. */
async function foreignLine(
  api: Api,
  broker: ForeignBroker,
  accountId: number,
  connector: number,
  count: number,
  signal: AbortSignal,
): Promise<Line> {
  const settings = { host: broker.host, port: broker.port, preset: 'tts-v3' as const, topics: ['v3/#'] }
  const { id: connectorId } = await api.bridge.create({
    accountId,
    kind: 'mqtt-in',
    name: 'Foreign',
    settings,
  })
  // Messages published before it subscribes are lost.
  while ((await api.bridge.get({ id: connectorId })).state !== 'connected')
    await delay(pollMs, undefined, { signal })
  const driverId = await findDriver(api)
  const devices = await inParallel(count, signal, async (index) => {
    const device = simulatedDevice(foreignDevicesFrom + index)
    const { devEui } = device
    const { id } = await api.virtualdevice.create({
      title: `Sensor ${devEui}`,
      externalId: devEui,
      connectorId,
      driverId,
      operationalStatus: 3,
    })
    // That broker acknowledges before the platform has received the uplink: two of a device may be stored at
    // once, and then only the newer one is current and triggers rules.
    return chaosDevice({ ...device, id }, connector, false)
  })
  const target = { port: broker.port, username: 'load', password: 'load' }
  const senders = [new MqttSender(target, 'chaos-foreign')]
  return { name: 'foreign mqtt', connectorId, isDirect: false, devices, senders }
}

function chaosDevice(
  device: Omit<ChaosDevice, 'connector' | 'isWatched' | 'count' | 'warm' | 'late'>,
  connector: number,
  isWatched: boolean,
): ChaosDevice {
  return { ...device, connector, isWatched, count: 0, warm: 0, late: 0 }
}

/** Adds transformers, twins and rules. Every device must have sent before, and nothing may be in flight. */
export async function addWatches(api: Api, city: City, signal: AbortSignal): Promise<void> {
  const devices = city.lines.flatMap((line) => line.devices)
  await inParallel(devices.length, signal, async (index) => {
    const device = devices[index] as ChaosDevice
    const isTransformed = index % transformedEvery === 0
    if (!isTransformed && !device.isWatched) return
    const { items } = await api.digitaltwin.states({ id: device.id })
    const state = items.find(({ key }) => key === 'temperature')
    if (state === undefined) throw new Error(`${device.devEui} has no temperature after its first uplink`)
    if (isTransformed) {
      const { value: _, time: __, twinId: ___, position: ____, ...fields } = state
      await api.state.update({ ...fields, transformer: 'return Math.round(value * 10) / 10' })
    }
    if (device.isWatched) city.watches.push(await addWatch(api, city.accountId, device, state.id))
  })
}

async function addWatch(api: Api, accountId: number, device: ChaosDevice, sourceId: number): Promise<Watch> {
  const twin = await api.digitaltwin.create({ title: `Room ${device.devEui}`, type: 'room', accountId })
  const follower = await addState(api, twin.id, 'temperature', sourceId)
  const note = await addState(api, twin.id, 'warmest', null)
  const conditions = { op: 'gt', left: { metric: 'temperature' }, right: { value: warmFrom } } as const
  const rule = await api.ddr.create({
    dtwinId: twin.id,
    title: `Too warm ${device.devEui}`,
    conditions,
    metrics: [{ alias: 'temperature', stateId: follower.id }],
    actions: [
      { kind: 'alarm', severity: 'warning', message: '{{temperature}} °C' },
      { kind: 'set-state', stateId: note.id, value: { metric: 'temperature' } },
      { kind: 'email', recipients: [admin.username], subject: '{{temperature}}', body: '' },
    ],
  })
  const house = await api.digitaltwin.create({ title: `House ${device.devEui}`, type: 'building', accountId })
  const echo = await addState(api, house.id, 'temperature', note.id)
  const echoRule = await api.ddr.create({
    dtwinId: house.id,
    title: `Echo ${device.devEui}`,
    conditions,
    metrics: [{ alias: 'temperature', stateId: echo.id }],
    actions: [{ kind: 'email', recipients: [admin.username], subject: '{{temperature}}', body: '' }],
  })
  return { device, ruleId: rule.id, noteId: note.id, followerId: follower.id, echoRuleId: echoRule.id }
}

/** @param sourceId the state it follows; null: it is set manually or by rules */
function addState(api: Api, dtwinId: number, key: string, sourceId: number | null) {
  const common = { dtwinId, key, title: key, unit: '°C', valueType: 'number' as const }
  return sourceId === null
    ? api.state.create({ ...common, source: 'platform', sourceSettings: {} })
    : api.state.create({
        ...common,
        source: 'virtual-device-aggregate',
        sourceSettings: { stateIds: [sourceId], method: 'latest' },
      })
}
