import type { ConnectorKind, Preset } from '@leitstand/contract/bridge'

/** Where and what a device sends, as far as it is known. */
export interface Sending {
  kind: ConnectorKind
  preset: Preset
  /** external id of the device; an example when there is none yet */
  identifier: string
  /** hexadecimal bytes, or a JSON value as text */
  payload: { text: string; encoding: 'hex' | 'json'; fPort: number | null }
  /** address of the webhook, with its key or what stands for it */
  hookUrl: string
  /** MQTT */
  host: string
  port: number
  username: string
  topics: readonly string[]
}

/**
 * What matters of a connector for sending to it: its addresses, and settings from the loose record of the API.
 * @param key of a webhook, or what stands for it: the server shows it once
 */
export function sendingOf(
  connector: {
    kind: ConnectorKind
    endpoints: readonly string[]
    settings: Record<string, unknown>
  },
  key: string,
): Omit<Sending, 'identifier' | 'payload'> {
  const { settings, endpoints } = connector
  const endpoint = URL.parse(endpoints[0] ?? '')
  const text = (key: string) => (typeof settings[key] === 'string' ? settings[key] : '')
  const list = (key: string) =>
    Array.isArray(settings[key]) ? settings[key].filter((each) => typeof each === 'string') : []
  const presets: readonly Preset[] = ['standard', 'tts-v3', 'chirpstack-v4', 'template']
  const own = connector.kind === 'mqtt-broker'
  return {
    kind: connector.kind,
    preset: presets.find((each) => each === settings.preset) ?? 'standard',
    hookUrl: connector.kind === 'webhook-in' && endpoints[0] ? `${endpoints[0]}/${key}` : '',
    host: own ? (endpoint?.hostname ?? '') : text('host'),
    port: own ? Number(endpoint?.port || 1883) : typeof settings.port === 'number' ? settings.port : 1883,
    username: text('username'),
    topics: own ? list('publishTopics') : list('topics'),
  }
}

/** The message of one packet in the form the connector's preset reads. */
export function sampleMessage({ preset, identifier, payload }: Sending): unknown {
  const value = payload.encoding === 'hex' ? payload.text : parsed(payload.text)
  const fPort = payload.fPort ?? 1
  if (preset === 'tts-v3') {
    return {
      end_device_ids: { device_id: identifier.toLowerCase(), dev_eui: identifier },
      uplink_message: { f_port: fPort, f_cnt: 1, frm_payload: hexToBase64(payload) },
    }
  }
  if (preset === 'chirpstack-v4') {
    return { deviceInfo: { devEui: identifier.toLowerCase() }, fPort, fCnt: 1, data: hexToBase64(payload) }
  }
  if (payload.encoding === 'json') return { identifier, data: value }
  return { identifier, payload: value, meta: { lora: { fport: fPort } } }
}

/** A command that sends one packet: curl for webhooks, mosquitto_pub for MQTT. */
export function sendCommand(sending: Sending): string {
  const message = JSON.stringify(sampleMessage(sending))
  if (sending.kind === 'webhook-in') {
    return [
      `curl -X POST '${eventUrl(sending)}'`,
      "  -H 'Content-Type: application/json'",
      `  -d ${quoted(message)}`,
    ].join(' \\\n')
  }
  return [
    `mosquitto_pub -h ${sending.host || 'localhost'} -p ${sending.port} -q 1`,
    ...(sending.username ? [`  -u ${quoted(sending.username)} -P '<…>'`] : []),
    `  -t ${quoted(publishTopic(sending))}`,
    `  -m ${quoted(message)}`,
  ].join(' \\\n')
}

/** Where an uplink goes; ChirpStack names the event in the address. */
function eventUrl({ hookUrl, preset }: Sending): string {
  return preset === 'chirpstack-v4' ? `${hookUrl}?event=up` : hookUrl
}

/** A topic below the first filter: `+` and `#` become the device, `{username}` the user name. */
export function publishTopic({ topics, identifier, username, preset }: Sending): string {
  const filter = topics[0] ?? identifier
  const levels = filter.replaceAll('{username}', username).split('/')
  const named = levels.map((level) => (level === '+' || level === '#' ? identifier : level))
  // ChirpStack's topics end in the kind of event.
  return preset === 'chirpstack-v4' && filter.endsWith('#')
    ? [...named, 'event', 'up'].join('/')
    : named.join('/')
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function hexToBase64({ text, encoding }: Sending['payload']): string {
  if (encoding === 'json') return btoa(text)
  const bytes = text.match(/[0-9a-f]{2}/gi) ?? []
  return btoa(String.fromCharCode(...bytes.map((pair) => Number.parseInt(pair, 16))))
}
