import type { DownlinkReason } from '@leitstand/contract/downlinks'

/** A downlink as a network server needs it. */
export interface OutgoingDownlink {
  /** UUID, the same at every attempt */
  readonly correlation: string
  /** how the device is known to us: its EUI, or its name at the network server */
  readonly externalId: string
  /** what its last uplink said about it */
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

/** A way to a network server. Where it is not known how the server names the device there is no message. */
export interface Way {
  /** how the server will name the downlink; null: it says so when it takes it */
  nameOf(correlation: string, over: 'mqtt' | 'http'): string | null
  /** whether it is known how the server names the device */
  knows(downlink: Pick<OutgoingDownlink, 'externalId' | 'lora'>, over: 'mqtt' | 'http'): boolean
  mqtt(downlink: OutgoingDownlink, username: string): MqttMessage | null
  http(downlink: OutgoingDownlink, base: string, key: string): HttpRequest | null
  /** the server's name of a downlink it has taken by HTTP */
  readName(answer: unknown): string | null
}

/**
 * What became of handing a downlink over:
 * - `taken`: the network server has it, `name` is how it will name it (null: as before)
 * - `again`: it has not got it, a later attempt may succeed
 * - `unknown`: it was sent, and nobody knows whether it was taken
 * - `never`: it will not be taken
 */
export type Delivery =
  | { outcome: 'taken'; name: string | null }
  | { outcome: 'again' | 'unknown' | 'never'; reason: DownlinkReason; detail: string }

export const never = (reason: DownlinkReason): Delivery => ({ outcome: 'never', reason, detail: '' })
