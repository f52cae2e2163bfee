import type { Protocol } from '../arguments.ts'
import type { Route } from './drive.ts'
import { HttpLane, type HttpTarget } from './httpLane.ts'
import type { Lane } from './lane.ts'
import { MqttLane, type MqttTarget } from './mqttLane.ts'
import type { SimulatedDevice } from './uplinks.ts'

/** Connections, and messages in flight on each. */
export interface Shape {
  connections: number
  window: number
}

const shapes = {
  mqtt: { connections: 64, window: 32 },
  http: { connections: 256, window: 1 },
} as const

export interface Routes extends AsyncDisposable {
  routes: readonly Route[]
}

/** Opens the connections of a protocol and gives each its share of the devices. */
export async function openRoutes(
  group: {
    protocol: Protocol
    devices: readonly SimulatedDevice[]
    mqtt: MqttTarget
    http: HttpTarget
  },
  { connections, window }: Shape = shapes[group.protocol],
): Promise<Routes> {
  const count = Math.min(connections, group.devices.length)
  await using opened = new AsyncDisposableStack()
  const routes: Route[] = []
  for (let at = 0; at < count; at++) {
    const lane: Lane =
      group.protocol === 'mqtt'
        ? await MqttLane.open(group.mqtt, `gateway-${at}`, window)
        : await HttpLane.open(group.http)
    opened.use(lane)
    routes.push({ lane, devices: group.devices.filter((_, index) => index % count === at) })
  }
  const kept = opened.move()
  return { routes, [Symbol.asyncDispose]: () => kept.disposeAsync() }
}
