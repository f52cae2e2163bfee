import { bits, Payload, type Uplink } from './bytes.ts'

export interface Dw10Values {
  readonly open: boolean
  readonly temperature: number
  readonly humidity: number
  readonly battery_voltage: number
  readonly minutes_since_change: number
  readonly open_count: number
  readonly button_pressed?: boolean
  readonly tamper?: boolean
  readonly tilted?: boolean
}

export function encode(values: Dw10Values): Uplink {
  return new Payload()
    .raw(bits(values.open, values.button_pressed, values.tamper, values.tilted))
    .u8(Math.min(15, Math.max(0, values.battery_voltage * 10 - 21)))
    .s8(values.temperature)
    .u8(Math.min(127, values.humidity))
    .u16le(values.minutes_since_change)
    .u24le(values.open_count)
    .on(120)
}
