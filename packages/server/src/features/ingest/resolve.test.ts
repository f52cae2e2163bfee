import { describe, expect, it } from 'vitest'
import { type DevicePacket, dedupKey, hexOf, readPacket, valueAt } from './resolve.ts'

const now = new Date('2026-11-20T12:00:00Z')
const oldest = new Date('2024-11-20T12:00:00Z')
const read = (packet: Parameters<typeof readPacket>[0]) => readPacket(packet, now, oldest)
const device = (packet: Parameters<typeof readPacket>[0]) => read(packet) as DevicePacket

describe('reading a standard packet', () => {
  it('takes hexadecimal text as bytes and everything else as JSON', () => {
    expect(device({ identifier: 'a', payload: 'CB F6-0B:0D' })).toMatchObject({
      payload: 'cbf60b0d',
      encoding: 'hex',
    })
    expect(device({ identifier: 'a', data: { t: 1 } })).toMatchObject({
      payload: '{"t":1}',
      encoding: 'json',
    })
    expect(device({ identifier: 'a', data: 'open' })).toMatchObject({ payload: '"open"', encoding: 'json' })
    expect(device({ identifier: 'a', data: 0 })).toMatchObject({ payload: '0', encoding: 'json' })
  })
  it('compares an EUI-64 without case and separators', () => {
    expect(device({ identifier: 'a8-17-58-ff-fe-00-00-01', data: 1 }).key).toBe('A81758FFFE000001')
    expect(device({ identifier: ' Meter 7 ', data: 1 }).key).toBe('Meter 7')
  })
  it('uses the time of reception when there is none', () => {
    expect(device({ identifier: 'a', data: 1 })).toMatchObject({ time: now, timed: false })
    expect(device({ identifier: 'a', data: 1, time: 1763640000 }).time.toISOString()).toBe(
      '2025-11-20T12:00:00.000Z',
    )
  })
  it.each([
    ['PACKET_TOO_FAR_AHEAD', '2026-11-21T12:00:01Z'],
    ['PACKET_TOO_OLD', '2024-11-20T11:59:59Z'],
    ['PACKET_INVALID', 'yesterday'],
  ])('refuses with %s a packet of %s', (code, time) => {
    expect(read({ identifier: 'a', data: 1, time })).toMatchObject({ kind: 'refused', code })
  })
  it.each([
    ['2026-11-21T12:00:00Z', 'as far ahead as allowed'],
    ['2024-11-20T12:00:00Z', 'as old as the retention'],
  ])('takes a packet of %s: %s', (time) => {
    expect(device({ identifier: 'a', data: 1, time })).toMatchObject({ time: new Date(time), timed: true })
  })
  it('takes a value for the twins with a reference id', () => {
    expect(
      read({
        routing: { meter: 17 },
        variable: 'volume',
        data: { value: 2.5, time: '2026-11-20T11:00:00Z' },
      }),
    ).toEqual({
      kind: 'routed',
      routes: [{ name: 'meter', value: '17' }],
      variable: 'volume',
      value: 2.5,
      time: new Date('2026-11-20T11:00:00Z'),
    })
    expect(
      read({ routing: { meter: 17 }, variable: 'volume', data: { value: 2.5, time: 'soon' } }),
    ).toMatchObject({ kind: 'refused', identifier: 'meter=17', code: 'PACKET_INVALID' })
    expect(read({ routing: { a: 1, b: 2 }, variable: 'x', data: { value: 1 } })).toMatchObject({
      identifier: 'a=1 b=2',
      code: 'PACKET_INVALID',
    })
  })
  it('keeps the metadata for the driver', () => {
    expect(device({ identifier: 'a', data: 1 })).toMatchObject({ kind: 'device', meta: '{}' })
    expect(device({ identifier: 'a', data: 1, meta: { gateway: 'g' } }).meta).toBe('{"gateway":"g"}')
  })
  it('refuses a packet without data and a routing packet with two pairs', () => {
    expect(read({ identifier: 'a' })).toMatchObject({ kind: 'refused', code: 'PACKET_INVALID' })
    expect(read({ routing: { a: 1, b: 2 }, variable: 'x', data: { value: 1 } })).toMatchObject({
      kind: 'refused',
    })
  })
  it('reads port and counter of LoRaWAN, absent ones as unknown', () => {
    const meta = { lora: { fport: 2, fcnt: 0 } }
    expect(device({ identifier: 'a', payload: '00', meta })).toMatchObject({ fPort: 2, fCnt: 0 })
    expect(device({ identifier: 'a', payload: '00' })).toMatchObject({ fPort: null, fCnt: null })
  })
  it.each([
    [255, 255],
    [0, 0],
    [256, null],
    [-1, null],
    [1.5, null],
    ['1', null],
    [null, null],
  ])('takes %j for the port %j', (fport, expected) => {
    expect(device({ identifier: 'a', payload: '00', meta: { lora: { fport } } }).fPort).toBe(expected)
  })
  it.each([null, 'x', 5, [{ fport: 1 }]])('takes no port from %j', (lora) => {
    expect(device({ identifier: 'a', payload: '00', meta: { lora } }).fPort).toBeNull()
  })
})

describe('recognising a packet that comes twice', () => {
  const packet = { identifier: 'a', payload: '0102', meta: { lora: { fport: 1, fcnt: 7 } } }
  it('by the key of its source', () => {
    expect(dedupKey(device(packet), 'session/7/1')).toBe(
      dedupKey(device({ ...packet, payload: '0304' }), 'session/7/1'),
    )
    expect(dedupKey(device(packet), 'session/7/1')).not.toBe(dedupKey(device(packet), 'other/7/1'))
  })
  it('by counter or time when there is no such key', () => {
    expect(dedupKey(device(packet), undefined)).toBe(dedupKey(device({ ...packet }), undefined))
    expect(dedupKey(device(packet), undefined)).not.toBe(
      dedupKey(device({ ...packet, payload: '03' }), undefined),
    )
  })
  it('distinguishes counters, ports and times', () => {
    const keyOf = (fport: number, fcnt: number, time?: string) =>
      dedupKey(
        device({
          identifier: 'a',
          payload: '0102',
          meta: { lora: { fport, fcnt } },
          ...(time === undefined ? {} : { time }),
        }),
        undefined,
      )
    const keys = [keyOf(1, 7), keyOf(1, 8), keyOf(2, 7), keyOf(1, 7, '2026-11-20T11:00:00Z')]
    keys.push(keyOf(1, 7, '2026-11-20T11:00:01Z'))
    expect(new Set(keys).size).toBe(keys.length)
    const timed = device({ identifier: 'a', data: 21, time: '2026-11-20T11:00:00Z' })
    expect(dedupKey(timed, undefined)).toBe(dedupKey({ ...timed }, undefined))
    expect(dedupKey(timed, undefined)).not.toBeNull()
  })
  it('not at all when it has neither: an equal reading is a new reading', () => {
    expect(dedupKey(device({ identifier: 'a', data: 21 }), undefined)).toBeNull()
  })
})

describe('small readers', () => {
  it('finds a value below a path, never something inherited', () => {
    expect(valueAt({ a: { b: 5 } }, 'a.b')).toBe(5)
    expect(valueAt({ a: 1 }, 'a.b')).toBeUndefined()
    expect(valueAt({}, 'constructor')).toBeUndefined()
    expect(valueAt([1], null)).toEqual([1])
    expect(valueAt([1], '')).toEqual([1])
    expect(valueAt([1], '0')).toBeUndefined()
    expect(valueAt({ a: null }, 'a.b')).toBeUndefined()
    expect(valueAt({ a: 'text' }, 'a.length')).toBeUndefined()
    expect(valueAt({ a: { b: null } }, 'a.b')).toBeNull()
  })
  it('tells bytes from other text', () => {
    expect([hexOf('0A0b'), hexOf('0A0'), hexOf('open'), hexOf('')]).toEqual(['0a0b', null, null, null])
    expect([hexOf('0a0b'), hexOf('0a0'), hexOf('xx0a'), hexOf('0axx')]).toEqual(['0a0b', null, null, null])
    expect([hexOf(' - '), hexOf('XX0A'), hexOf('0AXX')]).toEqual([null, null, null])
  })
})
