import { Payload, type Uplink } from './bytes.ts'

export interface ErsValues {
  readonly temperature?: number
  readonly humidity?: number
  readonly illuminance?: number
  readonly motion_count?: number
  readonly co2?: number
  readonly battery_voltage?: number
  readonly sound_peak?: number
  readonly sound_level?: number
}

/** Sends the given values, in the order of the real device. */
export function encode(values: ErsValues): Uplink {
  const payload = new Payload()
  if (values.temperature !== undefined) payload.u8(0x01).s16be(values.temperature * 10)
  if (values.humidity !== undefined) payload.u8(0x02).u8(values.humidity)
  if (values.illuminance !== undefined) payload.u8(0x04).u16be(values.illuminance)
  if (values.motion_count !== undefined) payload.u8(0x05).u8(values.motion_count)
  if (values.co2 !== undefined) payload.u8(0x06).u16be(values.co2)
  if (values.battery_voltage !== undefined) payload.u8(0x07).u16be(values.battery_voltage * 1000)
  if (values.sound_level !== undefined)
    payload
      .u8(0x15)
      .u8(values.sound_peak ?? values.sound_level)
      .u8(values.sound_level)
  return payload.on(5)
}
