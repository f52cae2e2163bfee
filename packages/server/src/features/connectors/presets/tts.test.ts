import { expect, test } from 'vitest'
import { foreignMessage } from './index.ts'
import { identifierLengthMax, identifierTooLong } from './read.ts'
import { ttsV3 } from './tts.ts'

const ids = {
  device_id: 'well-3',
  application_ids: { application_id: 'water' },
  dev_eui: 'a81758fffe00000a',
  join_eui: '70B3D57ED0000001',
  dev_addr: '260B1234',
}
const uplink = {
  session_key_id: 'AYfXQ2m1WUE=',
  f_port: 5,
  f_cnt: 41,
  frm_payload: 'AQD2AkU=',
  decoded_payload: { temperature: 24.6 },
  rx_metadata: [
    {
      gateway_ids: { gateway_id: 'roof', eui: 'B827EBFFFE000001' },
      time: '2026-03-04T05:06:06.9Z',
      rssi: -97,
      snr: 7.2,
    },
    { gateway_ids: { gateway_id: 'tower' }, rssi: -81, timestamp: '123' },
  ],
  settings: {
    data_rate: { lora: { bandwidth: 125000, spreading_factor: 9 } },
    data_rate_index: 3,
    frequency: '868100000',
    timestamp: '2463457000',
  },
  received_at: '2026-03-04T05:06:07.123456789Z',
}
const read = (body: unknown) => ttsV3(foreignMessage(JSON.stringify(body)))
const readUplink = (changes: object, idChanges: object = {}) =>
  read({
    end_device_ids: { ...ids, ...idChanges },
    received_at: '2026-03-04T05:06:08.000000001Z',
    uplink_message: { ...uplink, ...changes },
  })

test('an uplink becomes a packet with bytes as hex, the time of the network and what the radio says', () => {
  const { packets, refused, event } = readUplink({})
  expect({ refused, event }).toEqual({ refused: [], event: undefined })
  expect(packets).toHaveLength(1)
  expect(packets[0]?.packet).toEqual({
    identifier: 'A81758FFFE00000A',
    payload: '0100f60245',
    time: '2026-03-04T05:06:07.123Z',
    meta: {
      decoded: { temperature: 24.6 },
      lora: {
        devEui: 'A81758FFFE00000A',
        devAddr: '260B1234',
        joinEui: '70B3D57ED0000001',
        deviceId: 'well-3',
        applicationId: 'water',
        sessionKeyId: 'AYfXQ2m1WUE=',
        fport: 5,
        fcnt: 41,
        confirmed: false,
        dr: 3,
        sf: 9,
        bw: 125000,
        freq: 868100000,
        rssi: -81,
        snr: 0,
        gateways: [
          { id: 'roof', eui: 'B827EBFFFE000001', rssi: -97, snr: 7.2 },
          { id: 'tower', rssi: -81, snr: 0 },
        ],
      },
    },
  })
})

test('fields that are left out are zero or false', () => {
  const { packets } = read({
    end_device_ids: { device_id: 'well-3', dev_eui: 'A81758FFFE00000A' },
    uplink_message: { frm_payload: 'qg==', rx_metadata: [{ gateway_ids: { gateway_id: 'roof' } }] },
  })
  expect(packets[0]?.packet).toEqual({
    identifier: 'A81758FFFE00000A',
    payload: 'aa',
    meta: {
      lora: {
        devEui: 'A81758FFFE00000A',
        deviceId: 'well-3',
        fport: 0,
        fcnt: 0,
        confirmed: false,
        dr: 0,
        rssi: 0,
        snr: 0,
        gateways: [{ id: 'roof', rssi: 0, snr: 0 }],
      },
    },
  })
  expect(packets[0]?.dedupKey, 'no session: the content decides').toBeUndefined()
})

test('a device without a DevEUI goes by its id', () => {
  expect(readUplink({}, { dev_eui: undefined }).packets[0]?.packet).toMatchObject({ identifier: 'well-3' })
})

test('roaming gateways get their real name', () => {
  const { packets } = readUplink({
    rx_metadata: [
      {
        gateway_ids: { gateway_id: 'packetbroker' },
        packet_broker: { forwarder_net_id: '000013', forwarder_gateway_eui: 'B827EBFFFE0000FF' },
        rssi: -110,
      },
    ],
  })
  expect(packets[0]?.packet.meta).toMatchObject({
    lora: {
      gateways: [{ id: 'packetbroker/B827EBFFFE0000FF', eui: 'B827EBFFFE0000FF', rssi: -110, snr: 0 }],
    },
  })
})

test('the same uplink has the same key, a new session, counter, port or content another', () => {
  const key = (changes: object, idChanges: object = {}) => readUplink(changes, idChanges).packets[0]?.dedupKey
  const first = key({})
  expect(first).toBeDefined()
  expect(key({ received_at: '2026-03-04T05:06:09Z', rx_metadata: [] })).toBe(first)
  const others = [
    key({ session_key_id: 'BBBB' }),
    key({ f_cnt: 42 }),
    key({ f_port: 6 }),
    key({ frm_payload: 'AQD2AkY=' }),
    key({ session_key_id: undefined }),
  ]
  expect(new Set([first, ...others]).size).toBe(6)
  expect(key({ session_key_id: undefined }, { dev_addr: undefined })).toBeUndefined()
})

test('an uplink that somebody made up says so, wherever that stands', () => {
  const simulated = (body: object, message: object) =>
    read({ end_device_ids: ids, uplink_message: { ...uplink, ...message }, ...body }).packets[0]?.packet.meta
  expect(simulated({ simulated: true }, {})).toMatchObject({ simulated: true })
  expect(simulated({}, { simulated: true })).toMatchObject({ simulated: true })
  expect(simulated({ simulated: 'yes' }, { simulated: 1 })).not.toHaveProperty('simulated')
})

test('an uplink says whether it wants to be confirmed, and whether it can be recognised', () => {
  expect(readUplink({ confirmed: true }).packets[0]?.packet.meta).toMatchObject({ lora: { confirmed: true } })
  const unknown = readUplink({ session_key_id: undefined }, { dev_addr: undefined })
  expect(unknown.packets[0]).not.toHaveProperty('dedupKey')
})

test('a gateway without any name is unknown', () => {
  const { packets } = readUplink({ rx_metadata: [{ rssi: -1 }, { packet_broker: {}, rssi: -2 }] })
  expect(packets[0]?.packet.meta).toMatchObject({
    lora: {
      gateways: [
        { id: 'unknown', rssi: -1, snr: 0 },
        { id: 'packetbroker/unknown', rssi: -2, snr: 0 },
      ],
    },
  })
})

test('an identifier has at most as many characters as the platform stores', () => {
  const named = (length: number) => readUplink({}, { dev_eui: 'A'.repeat(length) })
  expect(named(identifierLengthMax).packets).toHaveLength(1)
  expect(named(identifierLengthMax + 1)).toMatchObject({
    packets: [],
    refused: [{ message: identifierTooLong }],
  })
  const nobody = read({ end_device_ids: {}, uplink_message: uplink })
  expect(nobody.refused[0]?.message).toBe('The message has no end_device_ids')
})

test('an uplink without payload is an event, not a packet', () => {
  expect(readUplink({ frm_payload: undefined, f_port: undefined })).toMatchObject({
    packets: [],
    refused: [],
    event: { name: 'mac_only', identifier: 'A81758FFFE00000A', failed: false },
  })
})

test.each([
  ['join_accept', { session_key_id: 'x', received_at: '2026-03-04T05:06:07Z' }, false],
  ['downlink_queued', { f_port: 2 }, false],
  ['downlink_sent', { f_port: 2 }, false],
  ['downlink_ack', { f_port: 2, f_cnt: 1, frm_payload: 'vu8=' }, false],
  ['downlink_nack', { f_port: 2 }, true],
  ['downlink_failed', { downlink: {}, error: { code: 5 } }, true],
  ['downlink_queue_invalidated', { downlinks: [] }, true],
  ['uplink_normalized', { normalized_payload: {} }, false],
  ['location_solved', { service: 'geo', location: {} }, false],
  ['service_data', { service: 'geo', data: {} }, false],
])('%s is told as an event', (name, detail, failed) => {
  expect(read({ end_device_ids: ids, received_at: '2026-03-04T05:06:07Z', [name]: detail })).toEqual({
    packets: [],
    refused: [],
    event: { name, identifier: 'A81758FFFE00000A', detail, failed },
  })
})

test.each([
  ['downlink_queued', (correlation_ids: string[]) => ({ correlation_ids }), 'queued', ''],
  ['downlink_sent', (correlation_ids: string[]) => ({ correlation_ids }), 'transmitted', ''],
  ['downlink_ack', (correlation_ids: string[]) => ({ correlation_ids }), 'acknowledged', ''],
  ['downlink_nack', (correlation_ids: string[]) => ({ correlation_ids }), 'refused', ''],
  [
    'downlink_failed',
    (correlation_ids: string[]) => ({ downlink: { correlation_ids }, error: { name: 'too_long' } }),
    ...(['failed', 'too_long'] as const),
  ],
  [
    'downlink_queue_invalidated',
    (correlation_ids: string[]) => ({ downlinks: [{ correlation_ids }] }),
    ...(['failed', 'downlink_queue_invalidated'] as const),
  ],
])('%s tells of downlinks that have a name of ours', (name, detailWith, what, detail) => {
  const told = (ids_: string[]) => read({ end_device_ids: ids, [name]: detailWith(ids_) }).event?.downlink
  const names = ['leitstand:downlink:1']
  expect(told(['as:downlink:01E1', ...names])).toEqual({ names, what, detail })
  expect(told(['as:downlink:01E1'])).toBeUndefined()
  // Named twice it is one, and what is no text is no name.
  expect(told([...names, 7 as unknown as string, ...names])?.names).toEqual(names)
})

test('a join tells of no downlink, whatever it is named', () => {
  const join = { correlation_ids: ['leitstand:downlink:1'] }
  expect(read({ end_device_ids: ids, join_accept: join }).event).not.toHaveProperty('downlink')
})

test.each([
  [[], 'The message is not a JSON object'],
  [{ uplink_message: uplink }, 'The message has no end_device_ids'],
  [{ end_device_ids: ids, something: {} }, 'The message is none of the known ones of The Things Stack'],
  [{ end_device_ids: ids, uplink_message: { frm_payload: '*' } }, 'frm_payload is not base64'],
])('refuses %j', (body, reason) => {
  expect(read(body).refused).toEqual([
    { raw: JSON.stringify(body), identifier: null, code: 'PACKET_INVALID', message: reason },
  ])
})
