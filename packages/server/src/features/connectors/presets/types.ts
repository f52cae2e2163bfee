import type { StandardPacket } from '@leitstand/contract/bridge'
import type { JsonValue } from '@leitstand/contract/common'
import type { ErrorCode } from '@leitstand/contract/errors'

/** A message as it reached a connector, before anything is made of it. */
export interface ForeignMessage {
  /** the body as text (UTF-8) */
  readonly text: string
  /** the body parsed; absent when it is not JSON */
  readonly json?: JsonValue
  /** MQTT only */
  readonly topic?: string
  /** HTTP only: parameters of the address */
  readonly query: Readonly<Record<string, string>>
}

/** A packet for the pipeline. The key recognises the same uplink delivered twice; without one its content does. */
export interface KeyedPacket {
  readonly packet: StandardPacket
  readonly dedupKey?: string
}

/** A part of a message that is no packet, with the reason; it is kept as a dead letter. */
export interface RefusedPart {
  readonly raw: string
  /** more came than `raw` holds: it cannot be replayed */
  readonly isCut?: boolean
  readonly identifier: string | null
  readonly code: ErrorCode
  readonly message: string
}

/** What a network server says about downlinks. */
export interface DownlinkReport {
  /** names of the downlinks at the network server */
  readonly names: readonly string[]
  /**
   * `queued` — taken, `transmitted` — a gateway sends it, `acknowledged` — the device has confirmed it, `refused` — the
   * device has not, `failed` — the server has given it up
   */
  readonly what: 'queued' | 'transmitted' | 'acknowledged' | 'refused' | 'failed'
  /** in the words of the server */
  readonly detail: string
}

/** What a network tells beside measurements (a join, an acknowledgement, …); shown in the connector's log. */
export interface NetworkEvent {
  readonly name: string
  readonly identifier: string | null
  readonly detail: Readonly<Record<string, JsonValue>>
  /** it reports that something went wrong */
  readonly failed: boolean
  /** it is about downlinks that may be ours */
  readonly downlink?: DownlinkReport
}

/** What a preset or template makes of one message. All three may be empty: a template may drop a message. */
export interface Translation {
  readonly packets: readonly KeyedPacket[]
  readonly refused: readonly RefusedPart[]
  readonly event?: NetworkEvent
}

/** A translation that refuses the whole message. */
export function refusal(
  message: ForeignMessage,
  reason: string,
  code: ErrorCode = 'PACKET_INVALID',
): Translation {
  return { packets: [], refused: [{ raw: message.text, identifier: null, code, message: reason }] }
}
