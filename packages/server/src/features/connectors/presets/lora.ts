import { createHash } from 'node:crypto'
import type { JsonValue } from '@leitstand/contract/common'
import type { JsonRecord } from './read.ts'

export interface Gateway {
  readonly id: string
  readonly eui?: string | undefined
  readonly rssi: number
  readonly snr: number
}

/** What a LoRaWAN network server says about an uplink; frequency in Hz, bandwidth in Hz. */
export interface LoraUplink {
  readonly devEui?: string | undefined
  readonly devAddr?: string | undefined
  readonly deviceId?: string | undefined
  readonly joinEui?: string | undefined
  readonly applicationId?: string | undefined
  readonly sessionKeyId?: string | undefined
  readonly fport: number
  readonly fcnt: number
  readonly confirmed: boolean
  readonly dr: number
  readonly sf?: number | undefined
  readonly bw?: number | undefined
  readonly freq?: number | undefined
  readonly gateways: readonly Gateway[]
}

/** `meta.lora` as drivers see it: `fport` in lower case, rssi and snr of the gateway that heard it best. */
export function loraMeta(uplink: LoraUplink): JsonRecord {
  const best = uplink.gateways.reduce<Gateway | undefined>(
    (found, gateway) => (found === undefined || gateway.rssi > found.rssi ? gateway : found),
    undefined,
  )
  const { gateways, ...rest } = uplink
  return withoutUndefined({
    ...rest,
    rssi: best?.rssi,
    snr: best?.snr,
    gateways: gateways.map((gateway) => withoutUndefined({ ...gateway })),
  })
}

/**
 * Recognises an uplink that is delivered twice (a repeated webhook, two servers): the counter of a session with port
 * and content. The content belongs to it because a device activated by personalisation starts again at 0 with the same
 * address after a reset. Without a session: undefined, the pipeline compares the whole packet.
 */
export function uplinkKey(uplink: LoraUplink, payloadHex: string): string | undefined {
  const session = uplink.sessionKeyId ?? uplink.devAddr
  if (session === undefined) return undefined
  const content = createHash('sha256').update(payloadHex).digest('base64url').slice(0, 16)
  return `lora:${session}:${uplink.fcnt}:${uplink.fport}:${content}`
}

export function withoutUndefined(values: Record<string, JsonValue | undefined>): JsonRecord {
  const result: JsonRecord = {}
  for (const [key, value] of Object.entries(values)) if (value !== undefined) result[key] = value
  return result
}
