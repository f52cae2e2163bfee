import { presets } from '@leitstand/contract/bridge'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { kinds } from './kinds/index.ts'
import type { Reached } from './kinds/types.ts'
import { publishTopic, textOf, textsOf } from './mqtt.ts'
import { quoted, type Sample, sampleMessage, samplePayload } from './sending.ts'

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
  kinds[connector.kind].sending?.command(connector, packet, 'k1')

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

describe('any payload', () => {
  const textOfBase64 = (encoded: string) => Buffer.from(encoded, 'base64').toString('utf8')

  it.each(['tts-v3', 'chirpstack-v4'] as const)('of %s holds JSON in UTF-8', (preset) => {
    for (const text of ['{"t":21}', '{"Ort":"Grüße aus Köln"}', '{"a":"温度 🌡"}', '']) {
      const message = JSON.stringify(
        sampleMessage(preset, { ...sample, payload: { text, encoding: 'json', fPort: null } }),
      )
      const encoded = /"(?:frm_payload|data)":"([^"]*)"/.exec(message)?.[1] ?? 'none'
      expect(textOfBase64(encoded)).toBe(text)
    }
  })

  it('of bytes is the same bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        const text = Buffer.from(bytes).toString('hex')
        const message = sampleMessage('chirpstack-v4', {
          ...sample,
          payload: { text, encoding: 'hex', fPort: 1 },
        })
        expect(message).toMatchObject({ data: Buffer.from(bytes).toString('base64') })
      }),
    )
  })

  it('can be written for every preset', () => {
    for (const preset of presets)
      for (const encoding of ['hex', 'json'] as const) {
        const payload = { text: encoding === 'hex' ? '0a' : '{"ü":1}', encoding, fPort: null }
        expect(JSON.stringify(sampleMessage(preset, { ...sample, payload }))).toContain('{')
      }
  })

  it('that is no JSON is sent as text', () => {
    const payload = { text: '{open', encoding: 'json' as const, fPort: null }
    expect(sampleMessage('standard', { ...sample, payload })).toEqual({
      identifier: sample.identifier,
      data: '{open',
    })
  })
})

describe('a golden packet as a sample', () => {
  it.each([
    ['base16', '0A ff', { text: '0Aff', encoding: 'hex' }],
    ['base64', 'Cv8=', { text: '0aff', encoding: 'hex' }],
    ['base64', 'Cv8', { text: '0aff', encoding: 'hex' }],
    ['base64', '-_8=', { text: 'fbff', encoding: 'hex' }],
    ['json', '{"Ort": "Halle 1"}', { text: '{"Ort": "Halle 1"}', encoding: 'json' }],
  ] as const)('%s %s', (encoding, payload, sent) => {
    expect(samplePayload({ payload, encoding, fPort: 3 })).toEqual({ ...sent, fPort: 3 })
  })

  it('whose base64 is broken is left out', () => {
    expect(samplePayload({ payload: 'A', encoding: 'base64', fPort: null }).text).toBe('')
  })
})

describe('in a shell', () => {
  it('any text is one word', () => {
    /** What a POSIX shell makes of a word in single quotes and escaped quotes. */
    const unquoted = (word: string) => word.replace(/^'|'$/g, '').replaceAll("'\\''", "'")
    fc.assert(
      fc.property(fc.string(), (text) => {
        const word = quoted(text)
        expect(unquoted(word)).toBe(text)
        expect(word.replaceAll("'\\''", '').slice(1, -1)).not.toContain("'")
      }),
    )
  })
})

describe('topics', () => {
  const topic = (filter: string, preset: 'standard' | 'chirpstack-v4' = 'standard') =>
    publishTopic({ topics: filter === '' ? [] : [filter], username: 'press' }, preset, sample)
  it.each([
    ['', 'A81758FFFE000001'],
    ['plant/up', 'plant/up'],
    ['plant/+/up', 'plant/A81758FFFE000001/up'],
    ['#', 'A81758FFFE000001'],
    ['+/+', 'A81758FFFE000001/A81758FFFE000001'],
    ['a+b/#', 'a+b/A81758FFFE000001'],
    ['{username}/{username}', 'press/press'],
  ])('%s is published to %s', (filter, expected) => {
    expect(topic(filter)).toBe(expected)
  })
  it('of ChirpStack end in the event only below a wildcard', () => {
    expect(topic('application/1/device/+/event/up', 'chirpstack-v4')).toBe(
      'application/1/device/A81758FFFE000001/event/up',
    )
    expect(topic('application/#', 'chirpstack-v4')).toBe('application/A81758FFFE000001/event/up')
  })
})

describe('settings of any kind', () => {
  const of = (settings: Record<string, unknown>) => ({ settings }) as unknown as Reached
  it.each([
    [{ host: 'a' }, 'a', []],
    [{ host: 7 }, '', []],
    [{ host: ['a', 1, null, 'b'] }, '', ['a', 'b']],
    [{}, '', []],
  ])('%j', (settings, text, texts) => {
    expect(textOf(of(settings), 'host')).toBe(text)
    expect(textsOf(of(settings), 'host')).toEqual(texts)
  })
})
