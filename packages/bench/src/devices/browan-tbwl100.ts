import { bits, Payload, type Uplink } from './bytes.ts'

export interface Tbwl100Values {
  readonly water_leak: boolean
  readonly temperature: number
  readonly humidity: number
  readonly internal_temperature: number
  readonly battery_voltage: number
}

export function encode(values: Tbwl100Values): Uplink {
  return new Payload()
    .raw(bits(values.water_leak))
    .u8(Math.min(15, Math.max(0, values.battery_voltage * 10 - 25)))
    .u8(Math.min(127, Math.max(0, values.internal_temperature + 32)))
    .u8(Math.min(127, values.humidity))
    .u8(Math.min(127, Math.max(0, values.temperature + 32)))
    .on(106)
}
