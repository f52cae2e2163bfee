import { Payload, type Uplink } from './bytes.ts'

export interface LevelMonitorValues {
  readonly distance: number
  readonly fill_level: number
  readonly battery_voltage: number
}

export function encode(values: LevelMonitorValues): Uplink {
  return new Payload()
    .u16be(values.distance)
    .u8(values.fill_level)
    .u16be(values.battery_voltage * 1000)
    .u8(0)
    .on(1)
}
