/** LoRaWAN details of an uplink, from the packet's untyped metadata. */
export interface Radio {
  facts: { key: RadioKey; value: number | string | boolean; unit: string }[]
  gateways: { id: string; rssi: number | null; snr: number | null }[]
}

export const radioKeys = ['devAddr', 'dr', 'sf', 'bw', 'freq', 'rssi', 'snr', 'confirmed'] as const
export type RadioKey = (typeof radioKeys)[number]

const units: Partial<Record<RadioKey, string>> = { rssi: 'dBm', snr: 'dB', freq: 'MHz', bw: 'kHz' }

/**
 * Radio details of `meta.lora`, gateways by signal strength; null if the packet did not come over LoRaWAN.
 */
export function radioOf(meta: Readonly<Record<string, unknown>>): Radio | null {
  const lora = recordOf(meta.lora)
  if (!lora) return null
  const facts = radioKeys.flatMap((key) => {
    const value = lora[key]
    if (typeof value !== 'number' && typeof value !== 'string' && typeof value !== 'boolean') return []
    return [{ key, value: scaled(key, value), unit: units[key] ?? '' }]
  })
  const gateways = (Array.isArray(lora.gateways) ? lora.gateways : []).flatMap((each: unknown) => {
    const gateway = recordOf(each)
    if (!gateway) return []
    const id = [gateway.id, gateway.eui].find((name) => typeof name === 'string' && name !== '')
    return [
      {
        id: typeof id === 'string' ? id : '?',
        rssi: numberOf(gateway.rssi),
        snr: numberOf(gateway.snr),
      },
    ]
  })
  gateways.sort((a, b) => (b.rssi ?? -999) - (a.rssi ?? -999))
  return facts.length === 0 && gateways.length === 0 ? null : { facts, gateways }
}

/** Networks report Hz, or kHz and Hz; shown as MHz and kHz. */
function scaled(key: RadioKey, value: number | string | boolean): number | string | boolean {
  const number = typeof value === 'string' && /^\d+(\.\d+)?$/.test(value) ? Number(value) : value
  if (typeof number !== 'number') return value
  if (key === 'freq') return number > 1e6 ? number / 1e6 : number
  if (key === 'bw') return number > 1000 ? number / 1000 : number
  return key === 'devAddr' ? value : number
}

function recordOf(value: unknown): Record<string, unknown> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined
}

function numberOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null
}
