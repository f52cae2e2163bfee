import { describe, expect, test } from 'vitest'
import { fitsPreset, looksLikeEui, normaliseExternalId } from './identifiers.ts'

describe('an external id', () => {
  test.each([
    'a8-17-58-ff-fe-00-00-01',
    'A8:17:58:FF:FE:00:00:01',
    'a81758fffe000001',
    ' 0xA81758FFFE000001 ',
  ])('%s is kept as the EUI-64 it is', (text) => {
    expect(normaliseExternalId(text)).toBe('A81758FFFE000001')
    expect(fitsPreset(text, 'chirpstack-v4')).toBe(true)
    expect(fitsPreset(text, 'tts-v3')).toBe(true)
  })

  test.each(['a81758fffe00000', 'a81758fffe0000012', 'eui-a81758fffe000001', 'G81758FFFE000001', 'Meter 7'])(
    '%s is none, and names nothing at a LoRaWAN network server',
    (text) => {
      expect(fitsPreset(text, 'chirpstack-v4')).toBe(false)
      expect(fitsPreset(text, 'tts-v3')).toBe(false)
      expect(fitsPreset(text, 'standard')).toBe(true)
      expect(fitsPreset(text, 'template')).toBe(true)
    },
  )

  test('of The Things Stack may be a device id, where the device has no DevEUI', () => {
    expect(fitsPreset('cellar-meter-7', 'tts-v3')).toBe(true)
    expect(fitsPreset('cellar-meter-7', 'chirpstack-v4')).toBe(false)
    for (const wrong of ['Cellar', 'cellar--7', '-cellar', 'a'.repeat(37), 'ab'])
      expect(fitsPreset(wrong, 'tts-v3')).toBe(false)
  })

  test('looks like an EUI from 12 to 20 digits', () => {
    expect(['a81758fffe00', 'a8-17-58-ff-fe-00-01', 'eui-a81758fffe000001'].every(looksLikeEui)).toBe(true)
    expect(['cafe', 'meter-7', 'a'.repeat(21)].some(looksLikeEui)).toBe(false)
  })
})
