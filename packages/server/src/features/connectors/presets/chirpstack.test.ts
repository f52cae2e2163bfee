import { expect, test } from 'vitest'
import { chirpstackV4 } from './chirpstack.ts'
import { foreignMessage } from './index.ts'
import { identifierLengthMax, identifierTooLong } from './read.ts'

const deviceInfo = {
  tenantName: 'City',
  applicationId: '5f1f1a5e-0000-4000-8000-000000000001',
  applicationName: 'Parking',
  deviceName: 'Bay 12',
  devEui: '70b3d57ed0001234',
}
const up = {
  deduplicationId: '3ac7e3c4-0000-4000-8000-000000000001',
  time: '2026-03-04T05:06:07.123456789+00:00',
  deviceInfo,
  devAddr: '00a1b2c3',
  dr: 5,
  fCnt: 7,
  fPort: 2,
  confirmed: true,
  data: 'AQIDBA==',
  object: { occupied: true },
  rxInfo: [
    { gatewayId: '0016c001ff10a235', rssi: -57, snr: 10, location: {} },
    { gatewayId: '0016c001ff10a236', rssi: -101 },
  ],
  txInfo: { frequency: 868300000, modulation: { lora: { bandwidth: 125000, spreadingFactor: 7 } } },
}
const read = (
  body: unknown,
  from: { topic?: string; query?: Record<string, string> } = { query: { event: 'up' } },
) => chirpstackV4(foreignMessage(JSON.stringify(body), from))

test('an uplink becomes a packet', () => {
  const { packets, refused } = read(up)
  expect(refused).toEqual([])
  expect(packets[0]?.packet).toEqual({
    identifier: '70B3D57ED0001234',
    payload: '01020304',
    time: '2026-03-04T05:06:07.123Z',
    meta: {
      decoded: { occupied: true },
      lora: {
        devEui: '70B3D57ED0001234',
        devAddr: '00A1B2C3',
        deviceId: 'Bay 12',
        applicationId: deviceInfo.applicationId,
        fport: 2,
        fcnt: 7,
        confirmed: true,
        dr: 5,
        sf: 7,
        bw: 125000,
        freq: 868300000,
        rssi: -57,
        snr: 10,
        gateways: [
          { id: '0016c001ff10a235', eui: '0016c001ff10a235', rssi: -57, snr: 10 },
          { id: '0016c001ff10a236', eui: '0016c001ff10a236', rssi: -101, snr: 0 },
        ],
      },
    },
  })
})

test('proto3 leaves out zeros', () => {
  const { fCnt: _a, fPort: _b, dr: _c, confirmed: _d, object: _e, ...bare } = up
  expect(read(bare).packets[0]?.packet.meta).toMatchObject({
    lora: { fcnt: 0, fport: 0, dr: 0, confirmed: false },
  })
})

test('a counter that restarts after a new join is no duplicate', () => {
  const key = (changes: object) => read({ ...up, ...changes }).packets[0]?.dedupKey
  expect(key({ deduplicationId: 'another server', time: '2026-03-04T05:06:09Z' })).toBe(key({}))
  expect(key({ devAddr: '00ffffff' })).not.toBe(key({}))
  expect(key({ fCnt: 0 })).not.toBe(key({}))
  expect(key({ devAddr: undefined })).toBeUndefined()
})

test('the event stands in the address, in the topic, or shows in the fields', () => {
  const topic = 'application/5f1f1a5e/device/70b3d57ed0001234/event/up'
  expect(read(up, { topic }).packets).toHaveLength(1)
  expect(read(up, {}).packets).toHaveLength(1)
  const named = (body: object, from = {}) => read({ deviceInfo, ...body }, from).event?.name
  expect(named({ devAddr: '00a1b2c3' }, { topic: topic.replace('up', 'join') })).toBe('join')
  expect(named({ devAddr: '00a1b2c3' })).toBe('join')
  expect(named({ margin: 10 })).toBe('status')
  expect(named({ queueItemId: 'q', fCntDown: 3 })).toBe('ack')
  expect(named({ queueItemId: 'q', gatewayId: 'g' })).toBe('txack')
  expect(named({ level: 'INFO', code: 'OTAA' })).toBe('log')
  expect(named({ location: { latitude: 1 } })).toBe('location')
  expect(named({ integrationName: 'x', eventType: 'y' })).toBe('integration')
  expect(named({ batteryLevel: 80 })).toBe('status')
  expect(named({ devAddr: '00a1b2c3' }, { topic: 'event/join' })).toBe('join')
  // Each field alone shows an uplink; a level or a code alone shows no log.
  for (const one of [{ fPort: 2 }, { rxInfo: [] }])
    expect(read({ deviceInfo, devAddr: '00a1b2c3', ...one }, {}).event?.name).toBe('mac_only')
  expect(named({ level: 'INFO', location: {} })).toBe('location')
  expect(named({ code: 'OTAA', location: {} })).toBe('location')
  // Only the last part of a topic names the event.
  for (const topic of ['a/event/up/b', 'a/noevent/up', 'a/event/up2'])
    expect(named({ devAddr: '00a1b2c3' }, { topic })).toBe('join')
})

test('a missing "acknowledged" is a refusal, an error of the log a failure', () => {
  const ack = { deviceInfo, deduplicationId: 'd', queueItemId: 'q', fCntDown: 3 }
  expect(read(ack, { query: { event: 'ack' } }).event).toEqual({
    name: 'ack',
    identifier: '70B3D57ED0001234',
    detail: { queueItemId: 'q', fCntDown: 3, acknowledged: false },
    failed: true,
    downlink: { names: ['q'], what: 'refused', detail: '' },
  })
  expect(read({ ...ack, acknowledged: true }, { query: { event: 'ack' } }).event).toMatchObject({
    failed: false,
    downlink: { names: ['q'], what: 'acknowledged' },
  })
  expect(read(ack, { query: { event: 'txack' } }).event).toMatchObject({
    downlink: { names: ['q'], what: 'transmitted' },
  })
  const log = {
    deviceInfo,
    level: 'ERROR',
    code: 'UPLINK_MIC',
    description: 'MIC of join-request is invalid',
  }
  expect(read(log, { query: { event: 'log' } }).event).toEqual(
    expect.not.objectContaining({ downlink: expect.anything() }),
  )
  expect(read(log, { query: { event: 'log' } }).event).toMatchObject({ name: 'log', failed: true })
  const lost = { ...log, code: 'EXPIRED', description: 'Too late', context: { queue_item_id: 'q' } }
  expect(read(lost, { query: { event: 'log' } }).event).toMatchObject({
    downlink: { names: ['q'], what: 'failed', detail: 'EXPIRED: Too late' },
  })
  const short = { ...lost, code: undefined }
  expect(read(short, { query: { event: 'log' } }).event?.downlink?.detail).toBe('Too late')
  for (const level of ['INFO', 'WARNING']) {
    const { event } = read({ ...lost, level }, { query: { event: 'log' } })
    expect(event?.failed).toBe(false)
    expect(event).not.toHaveProperty('downlink')
  }
  // Only acknowledgements and transmissions tell of a downlink.
  const other = read(
    { deviceInfo, queueItemId: 'q', margin: 1, level: 'ERROR' },
    { query: { event: 'status' } },
  )
  expect(other).toMatchObject({ packets: [], refused: [], event: { failed: false } })
  expect(other.event).not.toHaveProperty('downlink')
  expect(other.event?.detail).not.toHaveProperty('acknowledged')
  const without = read({ deviceInfo, acknowledged: true }, { query: { event: 'ack' } }).event
  expect(without).toMatchObject({ failed: false, detail: { acknowledged: true } })
  expect(without).not.toHaveProperty('downlink')
  const status = { deviceInfo, margin: 10, batteryLevelUnavailable: true }
  expect(read(status, { query: { event: 'status' } }).event).toMatchObject({
    detail: { margin: 10, batteryLevelUnavailable: true },
    failed: false,
  })
})

test('an uplink without data is an event', () => {
  const { data: _data, ...bare } = up
  expect(read(bare)).toMatchObject({ packets: [], refused: [], event: { name: 'mac_only', failed: false } })
})

test('an uplink may say less about its way', () => {
  const { data: _data, txInfo: _sent, ...bare } = up
  expect(read(bare).event?.detail).not.toHaveProperty('freq')
  expect(read({ ...bare, txInfo: { frequency: 868300000 } }).event?.detail).toMatchObject({ freq: 868300000 })
  expect(read({ ...bare, rxInfo: [{ rssi: -3 }] }).event?.detail).toMatchObject({
    gateways: [{ id: 'unknown', rssi: -3, snr: 0 }],
  })
  expect(read({ ...up, devAddr: undefined }).packets[0]).not.toHaveProperty('dedupKey')
})

test('an identifier has at most as many characters as the platform stores', () => {
  const named = (length: number) => read({ ...up, deviceInfo: { ...deviceInfo, devEui: 'a'.repeat(length) } })
  expect(named(identifierLengthMax).packets).toHaveLength(1)
  expect(named(identifierLengthMax + 1)).toMatchObject({
    packets: [],
    refused: [{ message: identifierTooLong }],
  })
})

test('refuses what it cannot read', () => {
  expect(chirpstackV4(foreignMessage('\u0008protobuf')).refused[0]?.message).toContain('must send JSON')
  expect(read(up, { query: { event: 'uplink' } }).refused[0]?.message).toContain('names no event')
  expect(read({}, {}).refused[0]?.message).toContain('names no event')
  expect(read({ ...up, deviceInfo: {} }).refused[0]?.message).toContain('deviceInfo.devEui')
  expect(read({ ...up, data: 'a' }).refused[0]?.message).toContain('base64')
})
