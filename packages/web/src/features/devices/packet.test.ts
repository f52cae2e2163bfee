import { describe, expect, it } from 'vitest'
import { byteCount, hexLines } from './hex.ts'
import { radioOf } from './radio.ts'

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
