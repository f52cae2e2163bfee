import { bits, Payload, type Uplink } from './bytes.ts'

export interface Tpl110Values {
  readonly occupied: boolean
  /** With a temperature it is the daily sign of life, else a change. */
  readonly temperature?: number
}

export function encode(values: Tpl110Values): Uplink {
  const payload = new Payload().raw(bits(values.occupied))
  return values.temperature === undefined ? payload.on(1) : payload.s8(values.temperature).on(2)
}
