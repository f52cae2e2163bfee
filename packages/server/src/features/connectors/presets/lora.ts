import type { JsonRecord } from './read.ts'

export interface Gateway {
  readonly id: string
  readonly eui?: string | undefined
  readonly rssi: number
  readonly snr: number
}

/** Metadata of an uplink from a LoRaWAN network server; frequency in Hz, bandwidth in Hz. */
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

/**
 * `meta.lora` as drivers see it: `fport` in lower case, RSSI and SNR of the gateway with the best reception.
 */
export function loraMeta(uplink: LoraUplink): JsonRecord {
  const best = uplink.gateways.reduce<Gateway | undefined>(
    (found, gateway) => (found === undefined || gateway.rssi > found.rssi ? gateway : found),
    undefined,
  )
  const meta: JsonRecord = {}
  for (const key of plainKeys) {
    const value = uplink[key]
    if (value !== undefined) meta[key] = value
  }
  if (best !== undefined) {
    meta.rssi = best.rssi
    meta.snr = best.snr
  }
  meta.gateways = uplink.gateways.map(({ id, eui, rssi, snr }) =>
    eui === undefined ? { id, rssi, snr } : { id, eui, rssi, snr },
  )
  return meta
}

const plainKeys = [
  'devEui',
  'devAddr',
  'joinEui',
  'deviceId',
  'applicationId',
  'sessionKeyId',
  'fport',
  'fcnt',
  'confirmed',
  'dr',
  'sf',
  'bw',
  'freq',
] as const satisfies readonly (keyof LoraUplink)[]

/**
 * Key that identifies an uplink delivered twice (a repeated webhook, two servers): the session's frame
 * counter with FPort and payload. The payload is included because an ABP device restarts at 0 with the same
 * address after a reset. Undefined without a session; the pipeline then compares the whole packet.
 */
export function uplinkKey(uplink: LoraUplink, payloadHex: string): string | undefined {
  const session = uplink.sessionKeyId ?? uplink.devAddr
  if (session === undefined) return undefined
  return `lora:${session}:${uplink.fcnt}:${uplink.fport}:${payloadHex}`
}
