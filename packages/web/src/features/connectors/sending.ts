import type { Preset } from './queries.ts'

/** An example packet of a device. */
export interface Sample {
  /** external id of the device; an example if there is none yet */
  identifier: string
  /** hexadecimal bytes, or a JSON value as text */
  payload: { text: string; encoding: 'hex' | 'json'; fPort: number | null }
}

const sampleMessages: Readonly<Record<Preset, (sample: Sample) => unknown>> = {
  standard: standardMessage,
  template: standardMessage,
  'tts-v3': ({ identifier, payload }) => ({
    end_device_ids: { device_id: identifier.toLowerCase(), dev_eui: identifier },
    uplink_message: { f_port: payload.fPort ?? 1, f_cnt: 1, frm_payload: hexToBase64(payload) },
  }),
  'chirpstack-v4': ({ identifier, payload }) => ({
    deviceInfo: { devEui: identifier.toLowerCase() },
    fPort: payload.fPort ?? 1,
    fCnt: 1,
    data: hexToBase64(payload),
  }),
}

function standardMessage({ identifier, payload }: Sample): unknown {
  const value = payload.encoding === 'hex' ? payload.text : parsed(payload.text)
  if (payload.encoding === 'json') return { identifier, data: value }
  return { identifier, payload: value, meta: { lora: { fport: payload.fPort ?? 1 } } }
}

/** The message of one packet in the form a preset reads. */
export function sampleMessage(preset: Preset, sample: Sample): unknown {
  return sampleMessages[preset](sample)
}

/** Quotes a text as one shell word. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function hexToBase64({ text, encoding }: Sample['payload']): string {
  if (encoding === 'json') return base64Of(new TextEncoder().encode(text))
  const pairs = text.match(/[0-9a-f]{2}/gi) ?? []
  return base64Of(Uint8Array.from(pairs, (pair) => Number.parseInt(pair, 16)))
}

/** `btoa` alone refuses characters above U+00FF, so it gets bytes. */
function base64Of(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
}

/** The payload of one of a driver's golden packets; no bytes if its base64 is invalid. */
export function samplePayload(packet: {
  payload: string
  encoding: 'base16' | 'base64' | 'json'
  fPort: number | null
}): Sample['payload'] {
  const { payload, encoding, fPort } = packet
  if (encoding === 'json') return { text: payload, encoding: 'json', fPort }
  const text = encoding === 'base16' ? payload.replace(/\s/g, '') : hexOfBase64(payload)
  return { text, encoding: 'hex', fPort }
}

function hexOfBase64(payload: string): string {
  try {
    const bytes = atob(payload.replaceAll('-', '+').replaceAll('_', '/'))
    return Array.from(bytes, (char) => char.charCodeAt(0).toString(16).padStart(2, '0')).join('')
  } catch {
    // Invalid base64: the sample has no bytes.
    return ''
  }
}
