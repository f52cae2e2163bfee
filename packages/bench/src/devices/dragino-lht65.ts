import { Payload, type Uplink } from './bytes.ts'

export interface Lht65Values {
  readonly temperature: number
  readonly humidity: number
  readonly battery_voltage: number
  readonly external_temperature?: number
}

/** Nothing plugged in. */
const NO_SENSOR = 0x7fff

export function encode(values: Lht65Values): Uplink {
  const external = values.external_temperature
  const good = 3 << 14
  return new Payload()
    .u16be(good | Math.min(0x3fff, Math.round(values.battery_voltage * 1000)))
    .s16be(values.temperature * 100)
    .u16be(values.humidity * 10)
    .u8(1)
    .s16be(external === undefined ? NO_SENSOR : external * 100)
    .u16be(NO_SENSOR)
    .on(2)
}
