import { bits, Payload, type Uplink } from './bytes.ts'

export interface Cd10Values {
  readonly co2: number
  readonly temperature: number
  readonly humidity: number
  readonly battery_voltage: number
  readonly co2_alarm?: boolean
}

export function encode(values: Cd10Values): Uplink {
  return new Payload()
    .raw(bits(false, false, false, false, values.co2_alarm))
    .u8(Math.min(15, Math.max(0, values.battery_voltage * 10 - 21)))
    .s8(values.temperature)
    .u8(Math.min(127, values.humidity))
    .u16le(values.co2)
    .on(127)
}
