import { Payload, type Uplink } from './bytes.ts'

export interface Am107Values {
  readonly battery?: number
  readonly temperature?: number
  readonly humidity?: number
  readonly motion_level?: number
  readonly illuminance?: number
  readonly co2?: number
  readonly tvoc?: number
  readonly pressure?: number
}

/** Sends the given values; the two other light channels follow the illuminance. */
export function encode(values: Am107Values): Uplink {
  const payload = new Payload()
  if (values.battery !== undefined) payload.raw(0x01, 0x75).u8(values.battery)
  if (values.temperature !== undefined) payload.raw(0x03, 0x67).s16le(values.temperature * 10)
  if (values.humidity !== undefined) payload.raw(0x04, 0x68).u8(values.humidity * 2)
  if (values.motion_level !== undefined) payload.raw(0x05, 0x6a).u16le(values.motion_level)
  if (values.illuminance !== undefined)
    payload
      .raw(0x06, 0x65)
      .u16le(values.illuminance)
      .u16le(values.illuminance * 4)
      .u16le(values.illuminance / 2)
  if (values.co2 !== undefined) payload.raw(0x07, 0x7d).u16le(values.co2)
  if (values.tvoc !== undefined) payload.raw(0x08, 0x7d).u16le(values.tvoc)
  if (values.pressure !== undefined) payload.raw(0x09, 0x73).u16le(values.pressure * 10)
  return payload.on(85)
}
