import { Payload, type Uplink } from './bytes.ts'

export interface Lse01Values {
  readonly soil_moisture: number
  readonly soil_temperature: number
  readonly soil_conductivity: number
  readonly battery_voltage: number
}

export function encode(values: Lse01Values): Uplink {
  return new Payload()
    .u16be(Math.min(0x3fff, Math.round(values.battery_voltage * 1000)))
    .s16be(0)
    .u16be(values.soil_moisture * 100)
    .s16be(values.soil_temperature * 100)
    .u16be(values.soil_conductivity)
    .u8(0x10)
    .on(2)
}
