import { expect, test } from 'vitest'
import { findChirpstackDevices } from './chirpstack.ts'
import { findTtnDevices } from './ttn.ts'

const files = (entries: Record<string, string>) => new Map(Object.entries(entries))

test('a device of The Things Network: newest firmware, maker by name, examples with and without values', () => {
  const [device, ...others] = findTtnDevices(
    files({
      'repo/vendor/index.yaml': 'vendors:\n  - id: acme\n    name: Acme Sensors\n',
      'repo/vendor/acme/index.yaml': 'endDevices: [th1]\n',
      'repo/vendor/acme/th1.yaml': `name: TH1
description: Climate
firmwareVersions:
  - version: '1.0'
    profiles: { EU863-870: { id: p, codec: old } }
  - version: '2.0'
    profiles: { EU863-870: { id: p, codec: th1-codec }, US902-928: { id: p, codec: th1-codec } }
sensors: [temperature]
productURL: https://example.org/th1
dataSheetURL: not an address
`,
      'repo/vendor/acme/th1-codec.yaml': `uplinkDecoder:
  fileName: th1.js
  examples:
    - description: warm
      input: { fPort: 2, bytes: [1, 0xff] }
      output: { data: { temperature: 21.5 } }
    - description: refused
      input: { fPort: 3, bytes: [0] }
      output: { errors: [unknown port] }
downlinkEncoder:
  fileName: th1.js
`,
      'repo/vendor/acme/th1.js': 'function decodeUplink() {}',
    }),
  )
  expect(others).toEqual([])
  expect(device).toEqual({
    path: 'repo/vendor/acme/th1.yaml',
    manufacturer: 'Acme Sensors',
    model: 'TH1',
    description: 'Climate',
    problem: null,
    specs: {
      technology: 'LoRaWAN',
      frequency: 'EU863-870, US902-928',
      highlights: ['temperature'],
      documentationUrl: 'https://example.org/th1',
    },
    decoder: {
      path: 'repo/vendor/acme/th1.js',
      script: 'function decodeUplink() {}',
      encoder: true,
      unusable: 1,
      examples: [{ title: 'warm', fPort: 2, payload: '01ff', data: { temperature: 21.5 } }],
    },
  })
})

test('what is missing or broken is said of each device', () => {
  const described = (codec: string) =>
    `name: D\nfirmwareVersions: [{ profiles: { EU: { codec: ${codec} } } }]`
  const found = findTtnDevices(
    files({
      'acme/a.yaml': 'firmwareVersions:\n  - profiles: {}\n',
      'acme/b.yaml': described('gone').replace('firmwareVersions: [', 'firmwareVersions:\n  ['),
      'acme/c.yaml': 'firmwareVersions:\n  - [\n',
      'acme/d.yaml': described('codec').replace('firmwareVersions: [', 'firmwareVersions:\n  ['),
      'acme/codec.yaml': 'uplinkDecoder: { fileName: ../../../etc/passwd }',
    }),
  )
  expect(found.map(({ path, problem }) => [path, problem?.code])).toEqual([
    ['acme/a.yaml', 'noDecoder'],
    ['acme/b.yaml', 'fileMissing'],
    ['acme/c.yaml', 'unreadable'],
    ['acme/d.yaml', 'fileMissing'],
  ])
  expect(found[0]?.manufacturer).toBe('acme')
})

test('a device of ChirpStack: maker taken off its name, examples beside the script', () => {
  const [device] = findChirpstackDevices(
    files({
      'vendors/acme/vendor.toml': '[vendor]\nname = "Acme"\n',
      'vendors/acme/devices/acme-th2.toml': `[device]
name = "Acme TH2"
description = "Climate"

[[device.firmware]]
version = "1.0"
profiles = ["EU868-1_0_3.toml", "US915-1_0_3.toml"]
codec = "th2.js"

[device.metadata]
documentation_url = "https://example.org/th2.pdf"
`,
      'vendors/acme/codecs/th2.js': 'function decodeUplink() {}\nfunction encodeDownlink() {}',
      'vendors/acme/codecs/test_decode_th2.json': JSON.stringify([
        { name: 'cold', input: { bytes: [7] }, expected: { data: { temperature: -1 } } },
        { name: 'odd', input: { bytes: 'no' }, expected: { data: {} } },
      ]),
    }),
  )
  expect(device).toEqual({
    path: 'vendors/acme/devices/acme-th2.toml',
    manufacturer: 'Acme',
    model: 'TH2',
    description: 'Climate',
    problem: null,
    specs: {
      technology: 'LoRaWAN',
      frequency: 'EU868, US915',
      documentationUrl: 'https://example.org/th2.pdf',
    },
    decoder: {
      path: 'vendors/acme/codecs/th2.js',
      script: 'function decodeUplink() {}\nfunction encodeDownlink() {}',
      encoder: true,
      unusable: 1,
      examples: [{ title: 'cold', fPort: null, payload: '07', data: { temperature: -1 } }],
    },
  })
})
