import type { StandardPacket } from '@leitstand/contract/bridge'
import type { PacketFault } from '@leitstand/contract/errors'
import type { Addressed, Meaning } from './decode.ts'
import type { DevicePacket, ReadPacket, Refused } from './resolve.ts'
import type { InboundMessage, Outcome } from './types.ts'

/** Data used by the batch has changed: look it up again. */
export class Outdated extends Error {}

/** A packet of a message in the pipeline. */
export interface Entry {
  message: InboundMessage
  outcome: Outcome
  standard: StandardPacket
  packet: ReadPacket | Refused
  key: bigint | null
}

/** A packet of a device with its decoded content. */
export interface DeviceEntry extends Entry, Addressed {
  packet: DevicePacket
  meaning: Meaning
  error: PacketFault | null
}
