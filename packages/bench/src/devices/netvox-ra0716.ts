import { Payload, type Uplink } from './bytes.ts'

export interface Ra0716Values {
  readonly pm2_5: number
  readonly temperature: number
  readonly humidity: number
  readonly battery_voltage: number
  readonly battery_low?: boolean
}

export function encode(values: Ra0716Values): Uplink {
  const low = values.battery_low === true ? 0x80 : 0
  return new Payload()
    .raw(0x01, 0x35, 0x01)
    .u8(low | Math.min(127, Math.round(values.battery_voltage * 10)))
    .s16be(values.temperature * 100)
    .u16be(values.humidity * 100)
    .u16be(values.pm2_5)
    .u8(0)
    .on(6)
}
