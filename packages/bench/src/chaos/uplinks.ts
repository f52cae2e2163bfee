import { ttsBody } from '../bodies.ts'
import { encode } from '../devices/elsys-ers.ts'
import type { SimulatedDevice } from '../load/uplinks.ts'

/** One in this many uplinks of a watched device is warm enough for its rule. */
const warmEvery = 6
const warmPlaces = [1, 2]
/** One in this many uplinks of other devices was measured long ago and arrives late. */
const lateEvery = 7
const latePlace = 3
/** Some from this or the previous day, others from two days before: hours and days already rolled up. */
const lateByMs = [2 * 3_600_000, 50 * 3_600_000]
const lateStepMs = 1000

/** A device of the load with what it has sent. */
export interface ChaosDevice extends SimulatedDevice {
  readonly id: number
  /** its connector's place in the fleet */
  readonly connector: number
  /** a twin follows it and a rule watches the twin */
  readonly isWatched: boolean
  count: number
  warm: number
  late: number
}

/** An uplink in the run's ledger. */
export interface Entry {
  readonly device: ChaosDevice
  readonly sequence: number
  readonly timeMs: number
  readonly temperature: number
  readonly isWarm: boolean
  isAcknowledged: boolean
}

/**
 * The next uplink of a device. Each warm one of a device has a unique temperature, which identifies it in its
 * rule's effects.
 * @param startMs when the run began; late uplinks were measured before it
 */
export function nextUplink(
  device: ChaosDevice,
  sequence: number,
  nowMs: number,
  startMs: number,
): { entry: Entry; body: string } {
  const place = device.count++
  const isWarm = device.isWatched && warmPlaces.includes(place % warmEvery)
  const isLate = !device.isWatched && place % lateEvery === latePlace
  const temperature = isWarm ? warmTemperature(device.warm++) : (200 + (sequence % 50)) / 10
  if (!isLate) device.lastMs = Math.max(nowMs, device.lastMs + 1)
  const timeMs = isLate ? startMs - lateOf(device) + device.late++ * lateStepMs : device.lastMs
  device.fCnt++
  const body = ttsBody({
    ...encode(valuesOf({ sequence, temperature })),
    devEui: device.devEui,
    devAddr: device.devAddr,
    fCnt: device.fCnt,
    time: new Date(timeMs),
    rssi: -90,
    snr: 7.5,
    spreadingFactor: 7,
    gateway: 'bench-gateway',
  })
  const entry = { device, sequence, timeMs, temperature, isWarm, isAcknowledged: false }
  return { entry, body: JSON.stringify(body) }
}

function lateOf({ id }: ChaosDevice): number {
  return lateByMs[id % lateByMs.length] as number
}

/** The values of an uplink by the keys of its states. */
export function valuesOf({ sequence, temperature }: Pick<Entry, 'sequence' | 'temperature'>) {
  return {
    temperature,
    humidity: 40 + (sequence % 20),
    illuminance: sequence & 0xffff,
    co2: sequence >>> 16,
  }
}

/** Above the rule's limit, and unique among the thousands a device may send. */
function warmTemperature(index: number): number {
  return (400 + (index % 30_000)) / 10
}

/** How often the device's alarm opens for these uplinks in this order. */
export function warmStretches(entries: readonly Pick<Entry, 'isWarm'>[]): number {
  return entries.filter(({ isWarm }, index) => isWarm && !entries[index - 1]?.isWarm).length
}
