import { bits, Payload, type Uplink } from './bytes.ts'

export interface Nps310Values {
  readonly occupied: boolean
  /** A heartbeat instead of a change. */
  readonly heartbeat?: boolean
}

export function encode(values: Nps310Values): Uplink {
  return new Payload().raw(bits(values.occupied)).on(values.heartbeat === true ? 2 : 1)
}
