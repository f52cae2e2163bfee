import { describe, expect, it } from 'vitest'
import { publishTopic, type Sending, sampleMessage, sendCommand, sendingOf } from './sending.ts'

const webhook: Sending = {
  kind: 'webhook-in',
  preset: 'standard',
  identifier: 'A81758FFFE000001',
  payload: { text: '0100e2', encoding: 'hex', fPort: 5 },
  hookUrl: 'https://iot.example/api/hooks/k1',
  host: '',
  port: 1883,
  username: '',
  topics: [],
}
const broker: Sending = {
  ...webhook,
  kind: 'mqtt-broker',
  host: 'iot.example',
  username: 'press',
  topics: ['{username}/#'],
}

describe('how to send a packet', () => {
  it('by webhook with curl', () => {
    expect(sendCommand(webhook)).toBe(
      [
        "curl -X POST 'https://iot.example/api/hooks/k1'",
        "  -H 'Content-Type: application/json'",
        `  -d '{"identifier":"A81758FFFE000001","payload":"0100e2","meta":{"lora":{"fport":5}}}'`,
      ].join(' \\\n'),
    )
  })

  it('by MQTT with mosquitto_pub, below the first topic allowed', () => {
    expect(publishTopic(broker)).toBe('press/A81758FFFE000001')
    expect(sendCommand(broker)).toContain("-u 'press' -P '<…>'")
    expect(sendCommand({ ...broker, topics: ['plant/+/up'], username: '' })).toContain(
      "-t 'plant/A81758FFFE000001/up'",
    )
  })

  it('in the form of the network server', () => {
    expect(sampleMessage({ ...webhook, preset: 'tts-v3' })).toMatchObject({
      end_device_ids: { dev_eui: 'A81758FFFE000001' },
      uplink_message: { f_port: 5, frm_payload: 'AQDi' },
    })
    expect(sampleMessage({ ...webhook, preset: 'chirpstack-v4' })).toMatchObject({ data: 'AQDi', fPort: 5 })
    expect(sendCommand({ ...webhook, preset: 'chirpstack-v4' })).toContain(
      "'https://iot.example/api/hooks/k1?event=up'",
    )
    expect(publishTopic({ ...broker, preset: 'chirpstack-v4' })).toBe('press/A81758FFFE000001/event/up')
  })

  it('as JSON data, safe in a shell', () => {
    const payload = { text: '{"note":"it\'s on"}', encoding: 'json' as const, fPort: null }
    expect(sendCommand({ ...webhook, payload })).toContain(
      `-d '{"identifier":"A81758FFFE000001","data":{"note":"it'\\''s on"}}'`,
    )
  })

  it('reads what matters of a connector', () => {
    const settings = { preset: 'tts-v3', username: 'press', publishTopics: ['press/#'], other: 1 }
    const endpoints = ['mqtt://iot.example:1884', 'mqtts://iot.example:8883']
    expect(sendingOf({ kind: 'mqtt-broker', endpoints, settings }, '')).toMatchObject({
      preset: 'tts-v3',
      host: 'iot.example',
      port: 1884,
      topics: ['press/#'],
    })
    const foreign = { host: 'b', port: 8883, topics: ['a'] }
    expect(sendingOf({ kind: 'mqtt-in', endpoints: [], settings: foreign }, '')).toMatchObject({
      preset: 'standard',
      ...foreign,
    })
    const hooks = ['https://iot.example/api/hooks']
    expect(sendingOf({ kind: 'webhook-in', endpoints: hooks, settings: {} }, 'k1').hookUrl).toBe(
      'https://iot.example/api/hooks/k1',
    )
  })
})
