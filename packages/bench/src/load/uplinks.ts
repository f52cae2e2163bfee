import { ttsBody } from '../bodies.ts'
import { encode } from '../devices/elsys-ers.ts'

/** The values of every uplink. Two of them carry its sequence number. */
export const valueKeys = ['temperature', 'humidity', 'illuminance', 'co2'] as const

/** A simulated device: what the network knows about it, and how far it has counted. */
export interface SimulatedDevice {
  readonly devEui: string
  readonly devAddr: string
  readonly topic: string
  fCnt: number
  lastMs: number
}

/** DevEUIs of the generator, distinct from those of the demo city. */
export function devEuiOf(index: number): string {
  return `70B3D57ED1${index.toString(16).toUpperCase().padStart(6, '0')}`
}

export function simulatedDevice(index: number): SimulatedDevice {
  const devEui = devEuiOf(index)
  const topic = `v3/bench@leitstand/devices/eui-${devEui.toLowerCase()}/up`
  return { devEui, devAddr: `27${devEui.slice(-6)}`, topic, fCnt: 0, lastMs: 0 }
}

/** The two values that carry the low and the high half of a sequence number. */
export function valuesOf(sequence: number) {
  return {
    // Every thousandth uplink is warm enough for the rule.
    temperature: sequence % 1000 === 0 ? 31 : (200 + (sequence % 50)) / 10,
    humidity: 40 + (sequence % 20),
    illuminance: sequence & 0xffff,
    co2: sequence >>> 16,
  }
}

/** The sequence number back from its values. */
export function sequenceOf(values: { illuminance: number; co2: number }): number {
  return values.co2 * 0x10000 + values.illuminance
}

/**
 * The next message of a device, as The Things Stack sends it. Each has a different millisecond: two values of
 * a state with the same time would be one.
 */
export function nextBody(device: SimulatedDevice, sequence: number, nowMs: number): string {
  device.lastMs = Math.max(nowMs, device.lastMs + 1)
  device.fCnt++
  return JSON.stringify(
    ttsBody({
      ...encode(valuesOf(sequence)),
      devEui: device.devEui,
      devAddr: device.devAddr,
      fCnt: device.fCnt,
      time: new Date(device.lastMs),
      rssi: -90,
      snr: 7.5,
      spreadingFactor: 7,
      gateway: 'bench-gateway',
    }),
  )
}
