import type { StandardPacket } from '@leitstand/contract/bridge'
import type { JsonValue } from '@leitstand/contract/common'
import type { ErrorCode } from '@leitstand/contract/errors'

/** A message as it reached a connector, before parsing. */
export interface ForeignMessage {
  /** the body as text (UTF-8) */
  readonly text: string
  /** the body parsed; absent when it is not JSON, or has too many values to be read */
  readonly json?: JsonValue
  /** it has too many values to be read */
  readonly isTooRich?: true
  /** MQTT only */
  readonly topic?: string
  /** HTTP only: query parameters */
  readonly query: Readonly<Record<string, string>>
}

/**
 * A packet for the pipeline. The key identifies an uplink that is delivered twice; without a key its content
 * does.
 */
export interface KeyedPacket {
  readonly packet: StandardPacket
  readonly dedupKey?: string
}

/** A part of a message that is not a packet, with the reason; stored as a dead letter. */
export interface RefusedPart {
  readonly raw: string
  /** `raw` is truncated, so the part cannot be replayed */
  readonly isCut?: boolean
  readonly identifier: string | null
  readonly code: ErrorCode
  readonly message: string
}

/** Status of downlinks as reported by a network server. */
export interface DownlinkReport {
  /** ids of the downlinks at the network server */
  readonly names: readonly string[]
  /**
   * `queued` — accepted, `transmitted` — sent by a gateway, `acknowledged` — confirmed by the device,
   * `refused` — not confirmed by the device, `failed` — given up by the server
   */
  readonly what: 'queued' | 'transmitted' | 'acknowledged' | 'refused' | 'failed'
  /** text from the server */
  readonly detail: string
}

/**
 * A network event that is not a measurement (a join, an acknowledgement, …); shown in the connector's log.
 */
export interface NetworkEvent {
  readonly name: string
  readonly identifier: string | null
  readonly detail: Readonly<Record<string, JsonValue>>
  /** it reports that something went wrong */
  readonly failed: boolean
  /** set when it concerns downlinks that may be ours */
  readonly downlink?: DownlinkReport
}

/**
 * The result of parsing one message with a preset or template. All three may be empty: a template may drop a
 * message.
 */
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
