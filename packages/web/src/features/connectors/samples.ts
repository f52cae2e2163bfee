import type { SettingsValues } from './kinds/types.ts'
import type { Preset } from './queries.ts'
import { type Sample, sampleMessage } from './sending.ts'

const identifier = 'A81758FFFE000001'

const values = { text: '{"temperature":21.5,"humidity":48}', encoding: 'json' as const, fPort: null }

const bytes = { text: '0100e2029f', encoding: 'hex' as const, fPort: 5 }

const payloads: Readonly<Record<Preset, Sample['payload']>> = {
  standard: values,
  template: values,
  'tts-v3': bytes,
  'chirpstack-v4': bytes,
}

/** An example packet for a connector with this preset. */
export function exampleSample(preset: Preset): Sample {
  return { identifier, payload: payloads[preset] }
}

/** A device id that every preset accepts. */
const exampleDevice: Sample = {
  identifier: 'A81758FFFE000001',
  payload: { text: '0100e2', encoding: 'hex', fPort: 5 },
}

export function startingSample(preset: SettingsValues['preset']): string {
  if (preset === 'template')
    return JSON.stringify({ device: 'press-7', values: { temperature: 21.5 } }, null, 2)
  return JSON.stringify(sampleMessage(preset, exampleDevice), null, 2)
}
