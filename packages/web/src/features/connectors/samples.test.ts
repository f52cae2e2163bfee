import { presets } from '@leitstand/contract/bridge'
import { fitsPreset } from '@leitstand/contract/identifiers'
import { describe, expect, test } from 'vitest'
import { exampleSample, startingSample } from './samples.ts'
import { sampleMessage } from './sending.ts'

describe.each(presets)('the preset %s', (preset) => {
  test('has an example that a device of it could send', () => {
    const { identifier } = exampleSample(preset)
    expect(fitsPreset(identifier, preset)).toBe(true)
    const message = JSON.stringify(sampleMessage(preset, exampleSample(preset)))
    expect(message.toUpperCase()).toContain(identifier)
  })

  test('starts its tester with a message that is JSON and names a device', () => {
    const message = JSON.stringify(JSON.parse(startingSample(preset)))
    expect(message).toMatch(preset === 'template' ? /press-7/ : /A81758FFFE000001/i)
  })
})

test('LoRaWAN examples are bytes with a port, the others values', () => {
  expect(exampleSample('tts-v3').payload).toMatchObject({ encoding: 'hex', fPort: 5 })
  expect(exampleSample('chirpstack-v4').payload).toMatchObject({ encoding: 'hex', fPort: 5 })
  expect(exampleSample('standard').payload).toMatchObject({ encoding: 'json', fPort: null })
})
