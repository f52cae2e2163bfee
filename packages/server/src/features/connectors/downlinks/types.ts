import type { DownlinkReason } from '@leitstand/contract/downlinks'

/** A downlink as a network server needs it. */
export interface OutgoingDownlink {
  /** UUID, the same for every attempt */
  readonly correlation: string
  /** our external id of the device: its EUI, or its id at the network server */
  readonly externalId: string
  /** metadata of its last uplink */
  readonly lora: { readonly deviceId?: string | undefined; readonly applicationId?: string | undefined }
  readonly port: number
  readonly payload: Buffer
  readonly confirmed: boolean
  readonly gateways: readonly string[]
}

interface MqttMessage {
  readonly topic: string
  readonly body: object
  readonly qos: 0 | 1
}

interface HttpRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: object
}

/** Builds messages for a network server. Returns no message if the server's id of the device is not known. */
export interface Way {
  /** the id the server will use for the downlink; null: the server returns it when it accepts the downlink */
  nameOf(correlation: string, over: 'mqtt' | 'http'): string | null
  /** whether the server's id of the device is known */
  knows(downlink: Pick<OutgoingDownlink, 'externalId' | 'lora'>, over: 'mqtt' | 'http'): boolean
  mqtt(downlink: OutgoingDownlink, username: string): MqttMessage | null
  http(downlink: OutgoingDownlink, base: string, key: string): HttpRequest | null
  /** the server's id of a downlink that it accepted over HTTP */
  readName(answer: unknown): string | null
}

/**
 * Outcome of sending a downlink:
 * - `taken`: the network server has it, `name` is the id it will use (null: unchanged)
 * - `again`: it does not have it, a later attempt may succeed
 * - `unknown`: it was sent, but it is not known whether it was accepted
 * - `never`: it will not be accepted
 */
export type Delivery =
  | { outcome: 'taken'; name: string | null }
  | { outcome: 'again' | 'unknown' | 'never'; reason: DownlinkReason; detail: string }

export const never = (reason: DownlinkReason): Delivery => ({ outcome: 'never', reason, detail: '' })
