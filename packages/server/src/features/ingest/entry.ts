import type { StandardPacket } from '@leitstand/contract/bridge'
import type { PacketFault } from '@leitstand/contract/errors'
import type { Addressed, Meaning } from './decode.ts'
import type { DevicePacket, ReadPacket, Refused } from './resolve.ts'
import type { InboundMessage, Outcome } from './types.ts'

/** Something the batch relied on has changed since it was looked up: look up again. */
export class Outdated extends Error {}

/** A packet of a message on its way through the pipeline. */
export interface Entry {
  message: InboundMessage
  outcome: Outcome
  standard: StandardPacket
  packet: ReadPacket | Refused
  key: bigint | null
}

/** A packet of a device with what its driver made of it. */
export interface DeviceEntry extends Entry, Addressed {
  packet: DevicePacket
  meaning: Meaning
  error: PacketFault | null
}
