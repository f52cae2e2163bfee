import type { JsonValue } from '@leitstand/contract/common'
import fc from 'fast-check'

/**
 * Parameters of `fc.assert`. The seed is that of the run (`FUZZ_SEED`, see `seed.ts`), else a new one, and printed with a
 * failure; `FUZZ_TIMES` multiplies the number of runs for a longer search.
 */
export function fuzzing(numRuns: number): { numRuns: number; seed: number; endOnFailure: boolean } {
  const seed = Number(process.env.FUZZ_SEED ?? Math.floor(Math.random() * 2 ** 31))
  // Inputs that take seconds to shrink are reported as they are; the seed reproduces them.
  return { numRuns: Math.ceil(numRuns * Number(process.env.FUZZ_TIMES ?? 1)), seed, endOnFailure: true }
}

type Path = (string | number)[]

/** Values that have broken software before, as JSON text. */
const hostileTokens: readonly string[] = [
  ...['null', 'true', 'false', '0', '-0', '-1', '1.5', '[]', '{}', '""', '" "', '[[]]', '[{}]', '[null]'],
  ...[
    '1e308',
    '-1e308',
    '1e400',
    '-1e400',
    '1e-400',
    '9007199254740993',
    '18446744073709551616',
    '256',
    '-32769',
  ],
  ...[
    '"\\u0000"',
    '"a\\u0000b"',
    '"\\ud800"',
    '"\\udfff\\ud800"',
    '"\\ufeff"',
    '"\\u2028"',
    '"🌡️"',
    '"ｄ"',
    '"\\n\\r\\t"',
  ],
  ...['"NaN"', '"-Infinity"', '"0x10"', '"1e999"', '"true"', '"null"', '"undefined"', '"[object Object]"'],
  ...[
    '"__proto__"',
    '"constructor"',
    '"toString"',
    '"hasOwnProperty"',
    '"$&"',
    '"%s%n"',
    '"\'; drop table packets; --"',
  ],
  ...[
    '"2026-13-45T99:99:99Z"',
    '"0000-01-01"',
    '"9999-12-31T23:59:59Z"',
    '"1970-01-01T00:00:00Z"',
    '8640000000000001',
    '-1e15',
  ],
  ...[
    '{"__proto__":{"admin":true}}',
    '{"constructor":{"prototype":{"admin":true}}}',
    '{"toString":1,"valueOf":2}',
  ],
  ...[
    '{"toJSON":1}',
    '{"length":-1}',
    '{"then":"x"}',
    '{"":{"":""}}',
    '{"a":1,"a":2,"a":3}',
    '{"a.b":{"c.d":1}}',
  ],
  `"${'x'.repeat(201)}"`,
  `"${'0a'.repeat(3000)}"`,
  `"${'ÿ'.repeat(70_000)}"`,
  `"${'='.repeat(50_000)}"`,
  '[1'.padEnd(20_001, ',1').concat(']'),
  ...[50, 101, 1200, 40_000].flatMap((depth) => [
    '['.repeat(depth) + ']'.repeat(depth),
    `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`,
  ]),
]

const hostileKeys = [
  '__proto__',
  'constructor',
  'toString',
  '',
  '\u0000',
  '\ud800',
  'a.b',
  'length',
  'x'.repeat(300),
]

/** One change of a body; `at` selects the place. */
interface Change {
  readonly at: number
  readonly kind: 'replace' | 'remove' | 'rename' | 'repeat' | 'wrap'
  readonly token: string
  readonly key: string
}

const change: fc.Arbitrary<Change> = fc.record({
  at: fc.nat(),
  kind: fc.constantFrom('replace', 'replace', 'replace', 'remove', 'rename', 'repeat', 'wrap'),
  token: fc.oneof(
    fc.constantFrom(...hostileTokens),
    fc.jsonValue().map((value) => JSON.stringify(value)),
  ),
  key: fc.constantFrom(...hostileKeys),
})

/**
 * Texts made of a real JSON body: fields replaced, removed, renamed, repeated, wrapped, then optionally with
 * damaged bytes.
 */
export function mutantsOf(body: JsonValue): fc.Arbitrary<string> {
  return fc
    .tuple(fc.array(change, { minLength: 1, maxLength: 4 }), fc.option(damage, { freq: 4 }))
    .map(([changes, harm]) => {
      const text = mutate(body, changes)
      return harm === null ? text : harm(text)
    })
}

/** Texts that are not JSON, or barely. */
export const rubbish: fc.Arbitrary<string> = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.json(),
  fc.constantFrom(...hostileTokens),
  fc.constantFrom(
    '',
    ' ',
    '{',
    '[',
    '"',
    '{"a":',
    '[1,',
    '\ufeff{}',
    '{}{}',
    "{'a':1}",
    '{"a":01}',
    'NaN',
    '\u0000',
  ),
)

/** Arbitrary bytes, including invalid UTF-8. */
export const rubbishBytes: fc.Arbitrary<Uint8Array> = fc.oneof(
  fc.uint8Array({ maxLength: 400 }),
  fc.constantFrom(
    Uint8Array.of(0xc0, 0x80),
    Uint8Array.of(0xed, 0xa0, 0x80),
    Uint8Array.of(0xf8, 0x88, 0x80, 0x80, 0x80),
    Uint8Array.of(0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d),
    Uint8Array.of(0x1f, 0x8b, 0x08, 0x00, 0x00),
    Uint8Array.of(0xff, 0xfe, 0x7b, 0x00),
  ),
)

const damage: fc.Arbitrary<(text: string) => string> = fc
  .tuple(
    fc.constantFrom('cut', 'insert', 'double', 'flip'),
    fc.nat(),
    fc.constantFrom(...'"{}[],:\\\u0000é0-.'),
  )
  .map(([kind, place, character]) => (text) => {
    const at = place % (text.length + 1)
    if (kind === 'cut') return text.slice(0, at)
    if (kind === 'insert') return text.slice(0, at) + character + text.slice(at)
    if (kind === 'double') return text.slice(0, at) + text
    return text.slice(0, at) + character + text.slice(at + 1)
  })

function mutate(body: JsonValue, changes: readonly Change[]): string {
  const tokens: string[] = []
  let value: JsonValue = structuredClone(body)
  for (const each of changes) {
    const places = placesIn(value)
    const path = places[each.at % places.length] ?? []
    tokens.push(each.token)
    value = changed(value, path, each, `@${tokens.length - 1}@`)
  }
  return JSON.stringify(value).replace(/"@(\d+)@"/g, (_, index) => tokens[Number(index)] ?? 'null')
}

function placesIn(value: JsonValue, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [path]
  return [path, ...Object.entries(value).flatMap(([key, item]) => placesIn(item, [...path, key]))]
}

function changed(value: JsonValue, path: Path, { kind, key }: Change, mark: string): JsonValue {
  const [first, ...rest] = path
  if (first === undefined) return kind === 'wrap' ? [value] : kind === 'repeat' ? [value, value, mark] : mark
  const deeper = (item: JsonValue) => changed(item, rest, { kind, key, at: 0, token: '' }, mark)
  if (Array.isArray(value)) {
    return value.flatMap((item, index) => {
      if (index !== Number(first)) return [item]
      if (rest.length > 0) return [deeper(item)]
      if (kind === 'remove') return []
      if (kind === 'repeat') return Array<JsonValue>(50).fill(item)
      return [kind === 'wrap' ? [item] : mark]
    })
  }
  if (typeof value !== 'object' || value === null) return mark
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, item]): [string, JsonValue][] => {
      if (name !== first) return [[name, item]]
      if (rest.length > 0) return [[name, deeper(item)]]
      if (kind === 'remove') return []
      if (kind === 'rename') return [[key, item]]
      if (kind === 'repeat')
        return [
          [name, item],
          [`${name} again`, mark],
        ]
      return [[name, kind === 'wrap' ? { [key]: item } : mark]]
    }),
  )
}

/** Valid bodies of devices and networks, from which the mutants are made. */
export const soundBodies = {
  standard: [
    { identifier: 'A1', data: '00f0', time: '2026-03-04T05:06:07Z', meta: { lora: { fport: 2, fcnt: 7 } } },
    [
      { identifier: 'A1', payload: { temperature: 21.5, nested: { level: [1, 2, 3] } } },
      { routing: { meterNo: '0815' }, variable: 'energy', data: { value: 12.5, time: '2026-01-02' } },
      { identifier: 'A1', data: 'AP8=', encoding: 'base64' },
    ],
  ],
  'tts-v3': [
    {
      end_device_ids: {
        device_id: 'well-3',
        application_ids: { application_id: 'water' },
        dev_eui: 'A81758FFFE00AA01',
        join_eui: '70B3D57ED0000001',
        dev_addr: '260B0001',
      },
      received_at: '2026-03-04T05:06:08.000000001Z',
      uplink_message: {
        session_key_id: 'AYfXQ2m1WUE=',
        f_port: 2,
        f_cnt: 12,
        frm_payload: '3A==',
        decoded_payload: { temperature: 24.6 },
        rx_metadata: [
          { gateway_ids: { gateway_id: 'roof', eui: 'B827EBFFFE000001' }, rssi: -97, snr: 7.2 },
          {
            gateway_ids: { gateway_id: 'packetbroker' },
            packet_broker: { forwarder_net_id: '000013' },
            rssi: -81,
          },
        ],
        settings: {
          data_rate: { lora: { bandwidth: 125000, spreading_factor: 9 } },
          data_rate_index: 3,
          frequency: '868100000',
        },
        received_at: '2026-03-04T05:06:07.123456789Z',
      },
    },
    {
      end_device_ids: { device_id: 'well-3', dev_eui: 'A81758FFFE00AA01' },
      received_at: '2026-03-04T05:06:07Z',
      downlink_failed: { downlink: { f_port: 2 }, error: { code: 5 } },
    },
  ],
  'chirpstack-v4': [
    {
      deduplicationId: '3ac7e3c4-0000-4000-8000-000000000001',
      time: '2026-03-04T05:06:07.123456789+00:00',
      deviceInfo: { applicationId: '5f1f1a5e', deviceName: 'Bay 12', devEui: '70b3d57ed0001234' },
      devAddr: '00a1b2c3',
      dr: 5,
      fCnt: 7,
      fPort: 2,
      confirmed: true,
      data: 'AQIDBA==',
      object: { occupied: true },
      rxInfo: [{ gatewayId: '0016c001ff10a235', rssi: -57, snr: 10, location: {} }],
      txInfo: { frequency: 868300000, modulation: { lora: { bandwidth: 125000, spreadingFactor: 7 } } },
    },
    { deviceInfo: { devEui: '70b3d57ed0001234' }, level: 'ERROR', code: 'UPLINK_MIC', context: { a: '1' } },
  ],
} as const satisfies Record<string, readonly JsonValue[]>
