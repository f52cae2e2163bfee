import { Payload, type Uplink } from './bytes.ts'

export interface Em310Values {
  readonly distance: number
  readonly tilted: boolean
  readonly battery?: number
}

export function encode(values: Em310Values): Uplink {
  const payload = new Payload()
  if (values.battery !== undefined) payload.raw(0x01, 0x75).u8(values.battery)
  return payload
    .raw(0x03, 0x82)
    .u16le(values.distance)
    .raw(0x04, 0x00)
    .u8(values.tilted ? 1 : 0)
    .on(85)
}
