import { describe, expect, it } from 'vitest'
import { kinds } from './kinds/index.ts'
import type { Reached } from './kinds/types.ts'
import { publishTopic } from './mqtt.ts'
import { type Sample, sampleMessage } from './sending.ts'

const sample: Sample = {
  identifier: 'A81758FFFE000001',
  payload: { text: '0100e2', encoding: 'hex', fPort: 5 },
}
const webhook: Reached = {
  kind: 'webhook-in',
  preset: 'standard',
  endpoints: ['https://iot.example/api/hooks'],
  settings: {},
}
const broker: Reached = {
  kind: 'mqtt-broker',
  preset: 'standard',
  endpoints: ['mqtt://iot.example:1884', 'mqtts://iot.example:8883'],
  settings: { username: 'press', publishTopics: ['{username}/#'] },
}

const commandOf = (connector: Reached, packet = sample) =>
  kinds[connector.kind].command(connector, packet, 'k1')

describe('how to send a packet', () => {
  it('by webhook with curl, the key in the address', () => {
    expect(commandOf(webhook)).toBe(
      [
        "curl -X POST 'https://iot.example/api/hooks/k1'",
        "  -H 'Content-Type: application/json'",
        `  -d '{"identifier":"A81758FFFE000001","payload":"0100e2","meta":{"lora":{"fport":5}}}'`,
      ].join(' \\\n'),
    )
  })

  it('to the built-in broker with mosquitto_pub, below the first topic allowed', () => {
    expect(commandOf(broker)).toContain('mosquitto_pub -h iot.example -p 1884 -q 1')
    expect(commandOf(broker)).toContain("-u 'press' -P '<…>'")
    expect(commandOf(broker)).toContain("-t 'press/A81758FFFE000001'")
  })

  it('to a foreign broker at its own address', () => {
    const settings = { host: 'b.example', port: 8883, topics: ['plant/+/up'] }
    const foreign: Reached = { kind: 'mqtt-in', preset: 'standard', endpoints: [], settings }
    expect(commandOf(foreign)).toContain('mosquitto_pub -h b.example -p 8883 -q 1')
    expect(commandOf(foreign)).toContain("-t 'plant/A81758FFFE000001/up'")
    expect(commandOf(foreign)).not.toContain('-u')
  })

  it('in the form of the network server', () => {
    expect(sampleMessage('tts-v3', sample)).toMatchObject({
      end_device_ids: { dev_eui: 'A81758FFFE000001' },
      uplink_message: { f_port: 5, frm_payload: 'AQDi' },
    })
    expect(sampleMessage('chirpstack-v4', sample)).toMatchObject({ data: 'AQDi', fPort: 5 })
    expect(commandOf({ ...webhook, preset: 'chirpstack-v4' })).toContain(
      "'https://iot.example/api/hooks/k1?event=up'",
    )
    const target = { topics: ['{username}/#'], username: 'press' }
    expect(publishTopic(target, 'standard', sample)).toBe('press/A81758FFFE000001')
    expect(publishTopic(target, 'chirpstack-v4', sample)).toBe('press/A81758FFFE000001/event/up')
  })

  it('as JSON data, safe in a shell', () => {
    const payload = { text: '{"note":"it\'s on"}', encoding: 'json' as const, fPort: null }
    expect(commandOf(webhook, { ...sample, payload })).toContain(
      `-d '{"identifier":"A81758FFFE000001","data":{"note":"it'\\''s on"}}'`,
    )
  })
})
