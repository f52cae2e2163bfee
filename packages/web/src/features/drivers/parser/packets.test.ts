import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { goldenTime } from '../compare.ts'
import type { Golden, RecentPacket } from '../queries.ts'
import { hexOf, type OwnPacket, testPackets } from './packets.ts'

const own: OwnPacket = { payload: '0a ff', encoding: 'base16', fPort: 5 }
const recent = [
  {
    packetId: 77,
    deviceTitle: 'Tonne 1',
    payload: '01',
    encoding: 'base16',
    fPort: 2,
    receivedAt: '2026-03-04T12:00:00.000Z',
  },
] as RecentPacket[]
const golden = [
  { title: 'warm', payload: 'AQ==', encoding: 'base64', fPort: null, expected: {} },
  { title: '', payload: '{}', encoding: 'json', fPort: 1, expected: {} },
] as Golden[]

describe('packets to try a driver on', () => {
  it('are the typed one, then received ones, then golden ones', () => {
    expect(testPackets(own, recent, golden, 'Eigenes Paket')).toEqual([
      { key: 'own', source: 'own', title: 'Eigenes Paket', payload: '0aff', encoding: 'base16', fPort: 5 },
      {
        key: 'recent-77',
        source: 'recent',
        title: 'Tonne 1',
        payload: '01',
        encoding: 'base16',
        fPort: 2,
        time: '2026-03-04T12:00:00.000Z',
      },
      {
        key: 'golden-0',
        source: 'golden',
        title: 'warm',
        payload: 'AQ==',
        encoding: 'base64',
        fPort: null,
        time: goldenTime,
      },
      {
        key: 'golden-1',
        source: 'golden',
        title: '',
        payload: '{}',
        encoding: 'json',
        fPort: 1,
        time: goldenTime,
      },
    ])
  })

  it.each(['', ' ', '0', 'xy'])('%j typed is no packet yet', (payload) => {
    expect(testPackets({ ...own, payload }, recent, [], '').map(({ source }) => source)).toEqual(['recent'])
  })

  it.each([
    ['', null],
    [0, 0],
    ['7', 7],
    [255, 255],
    [256, null],
    [-1, null],
    ['x', null],
    [1.5, null],
  ])('port %j is sent as %j', (fPort, sent) => {
    expect(testPackets({ ...own, fPort }, [], [], '')[0]?.fPort).toBe(sent)
  })

  it('have keys of their own', () => {
    const twice = [...recent, { ...recent[0], packetId: 78 }] as RecentPacket[]
    const keys = testPackets(own, twice, golden, '').map(({ key }) => key)
    expect(new Set(keys).size).toBe(keys.length)
  })
})

describe('bytes of a packet', () => {
  it('are the same however they are encoded', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 40 }), (bytes) => {
        const buffer = Buffer.from(bytes)
        const hex = buffer.toString('hex')
        expect(hexOf({ payload: hex.toUpperCase(), encoding: 'base16' })).toBe(hex)
        expect(hexOf({ payload: buffer.toString('base64'), encoding: 'base64' })).toBe(hex)
        expect(hexOf({ payload: buffer.toString('base64url'), encoding: 'base64' })).toBe(hex)
      }),
    )
  })

  it.each([
    ['', 'base16'],
    ['0', 'base16'],
    ['!', 'base64'],
    ['AAAAA', 'base64'],
    ['[1,2]', 'json'],
  ] as const)('%j as %s has none', (payload, encoding) => {
    expect(hexOf({ payload, encoding })).toBe('')
  })
})
