import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { byteCount, hexLines } from './hex.ts'
import { radioKeys, radioOf } from './radio.ts'

describe('the payload of a packet', () => {
  it('reads in lines of 16 bytes with what is printable', () => {
    const hex = `${'00'.repeat(16)}48656c6c6fff`
    expect(hexLines(hex)).toEqual([
      { offset: '0000', bytes: Array(16).fill('00').join(' '), ascii: '' },
      { offset: '0010', bytes: '48 65 6C 6C 6F FF', ascii: 'Hello·' },
    ])
    expect(byteCount(hex)).toBe(22)
    expect(hexLines('')).toEqual([])
  })
})

describe('the radio facts of a packet', () => {
  it('come from the network server, gateways by strength', () => {
    const radio = radioOf({
      lora: {
        devAddr: '00A1B2C3',
        sf: 7,
        freq: 868300000,
        bw: 125000,
        rssi: -57,
        gateways: [{ id: 'far', rssi: -110, snr: -3 }, { eui: 'AA', rssi: -57, snr: 10 }, { rssi: 'x' }],
      },
    })
    expect(radio?.facts).toEqual([
      { key: 'devAddr', value: '00A1B2C3', unit: '' },
      { key: 'sf', value: 7, unit: '' },
      { key: 'bw', value: 125, unit: 'kHz' },
      { key: 'freq', value: 868.3, unit: 'MHz' },
      { key: 'rssi', value: -57, unit: 'dBm' },
    ])
    expect(radio?.gateways.map(({ id }) => id)).toEqual(['AA', 'far', '?'])
  })

  it('are missing where there was no radio', () => {
    expect(radioOf({})).toBeNull()
    expect(radioOf({ lora: 'no' })).toBeNull()
    expect(radioOf({ lora: {} })).toBeNull()
  })
})

describe('a hex dump', () => {
  test('shows every byte, in lines of sixteen', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
        const hex = Buffer.from(bytes).toString('hex')
        const lines = hexLines(hex)
        expect(lines.map((line) => line.bytes.replaceAll(' ', '')).join('')).toBe(hex.toUpperCase())
        expect(lines).toHaveLength(Math.ceil(bytes.length / 16))
        expect(lines.map(({ offset }) => Number.parseInt(offset, 16))).toEqual(
          lines.map((_, index) => index * 16),
        )
        expect(byteCount(hex)).toBe(bytes.length)
      }),
    )
  })

  test.each([
    ['204d7e7f', ' M~·'],
    ['00', ''],
    ['c3a4', ''],
    ['0a41', '·A'],
  ])('%s is read as %j', (hex, ascii) => {
    expect(hexLines(hex)[0]?.ascii).toBe(ascii)
  })

  test('half a byte at the end is left out', () => {
    expect(hexLines('0a1')).toEqual([{ offset: '0000', bytes: '0A', ascii: '' }])
    expect(byteCount('0a1')).toBe(1)
  })
})

describe('radio facts', () => {
  const fact = (key: string, value: unknown) => radioOf({ lora: { [key]: value } })?.facts[0]
  test.each([
    ['freq', 868_100_000, 868.1, 'MHz'],
    ['freq', '868100000', 868.1, 'MHz'],
    ['freq', 868.1, 868.1, 'MHz'],
    ['bw', 125_000, 125, 'kHz'],
    ['bw', 125, 125, 'kHz'],
    ['bw', 500, 500, 'kHz'],
    ['rssi', -113, -113, 'dBm'],
    ['snr', -7.5, -7.5, 'dB'],
    ['snr', 0, 0, 'dB'],
    ['sf', '12', 12, ''],
    ['dr', 0, 0, ''],
    ['dr', 'SF7BW125', 'SF7BW125', ''],
    ['devAddr', '26011234', '26011234', ''],
    ['confirmed', false, false, ''],
  ])('%s %j is shown as %j %s', (key, value, shown, unit) => {
    expect(fact(key, value)).toEqual({ key, value: shown, unit })
  })

  test.each([null, undefined, {}, [], [1]])('%j is no fact', (value) => {
    expect(fact('rssi', value)).toBeUndefined()
  })

  test('come in a fixed order, whatever the order of the packet', () => {
    const all = Object.fromEntries(radioKeys.map((key) => [key, 1]).toReversed())
    expect(radioOf({ lora: all })?.facts.map(({ key }) => key)).toEqual(radioKeys)
  })

  test.each([
    [{ gateways: 'none' }, null],
    [{ gateways: [] }, null],
    [{ gateways: [null, 7, 'x', []] }, null],
    [{ gateways: [{}] }, [{ id: '?', rssi: null, snr: null }]],
    [{ gateways: [{ id: '', eui: 'AA', rssi: Number.NaN }] }, [{ id: 'AA', rssi: null, snr: null }]],
  ])('gateways of %j', (lora, gateways) => {
    expect(radioOf({ lora })?.gateways ?? null).toEqual(gateways)
  })

  test('gateways without a strength come last', () => {
    const gateways = [{ id: 'a' }, { id: 'b', rssi: -130 }, { id: 'c', rssi: -40 }]
    expect(radioOf({ lora: { gateways } })?.gateways.map(({ id }) => id)).toEqual(['c', 'b', 'a'])
  })

  test('metadata of any shape does not fail', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom('lora', 'x'), fc.jsonValue()), (meta) => {
        const radio = radioOf(meta)
        if (radio) expect(radio.facts.length + radio.gateways.length).toBeGreaterThan(0)
      }),
    )
  })
})
