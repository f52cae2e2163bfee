import { bits, Payload, type Uplink } from './bytes.ts'

export interface Tbsl100Values {
  readonly sound_level: number
  readonly sound_alarm: boolean
  readonly internal_temperature: number
  readonly battery_voltage: number
}

export function encode(values: Tbsl100Values): Uplink {
  return new Payload()
    .raw(bits(values.sound_alarm))
    .u8(Math.min(15, Math.max(0, values.battery_voltage * 10 - 25)))
    .u8(Math.min(127, Math.max(0, values.internal_temperature + 32)))
    .u8(values.sound_level)
    .on(105)
}
