import { Payload, type Uplink } from './bytes.ts'

export interface Ldds75Values {
  readonly distance: number
  readonly battery_voltage: number
  readonly external_temperature?: number
  readonly interrupt?: boolean
}

export function encode(values: Ldds75Values): Uplink {
  return new Payload()
    .u16be(Math.min(0x3fff, Math.round(values.battery_voltage * 1000)))
    .u16be(values.distance)
    .u8(values.interrupt === true ? 1 : 0)
    .s16be((values.external_temperature ?? 0) * 10)
    .u8(1)
    .on(2)
}
