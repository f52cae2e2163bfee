import type { Api } from '../client.ts'
import type { CityIds } from './build.ts'
import { place } from './city.ts'

const pool = 'Freibad Sonnenhausen'

/** What is measured, between which values it moves, and when that is okay or bad. */
const states = [
  {
    key: 'chlorine',
    title: 'Freies Chlor',
    unit: 'mg/l',
    decimals: 2,
    range: [0.35, 0.55],
    limits: { badTo: 0.2, okayTo: 0.3, okayFrom: 0.6, badFrom: 1.2 },
  },
  {
    key: 'ph',
    title: 'pH-Wert',
    unit: '',
    decimals: 2,
    range: [7.05, 7.3],
    limits: { badTo: 6.5, okayTo: 6.8, okayFrom: 7.4, badFrom: 7.6 },
  },
  {
    key: 'water',
    title: 'Wassertemperatur',
    unit: '°C',
    decimals: 1,
    range: [24.8, 25.6],
    limits: { badTo: 18, okayTo: 22, okayFrom: 28, badFrom: 32 },
  },
] as const

/** A pool whose water is watched by a monitor on the wall, with a sound of its own. */
export async function buildPool(api: Api, { accounts }: CityIds): Promise<void> {
  const known = await api.digitaltwin.list({ search: `"${pool}"`, limit: 1 })
  if (known.total > 0) return
  const { id } = await api.digitaltwin.create({
    accountId: accounts.buildings,
    parentId: null,
    title: pool,
    type: 'building',
    ...place(3.4, -4.2),
  })
  const shown = []
  for (const { key, title, unit, decimals, range, limits } of states) {
    const [min, max] = range
    const state = await api.state.create({
      dtwinId: id,
      key,
      title,
      unit,
      decimals,
      source: 'random',
      valueType: 'number',
      sourceSettings: { min, max, everySeconds: 60 },
    })
    shown.push({
      stateId: state.id,
      limits: { kind: 'number' as const, ...limits },
      silentMinutes: 5,
    })
  }
  await api.isWarnapp.save({ id, version: null, states: shown })
  const file = new File([beeps()], 'alarm.wav', { type: 'audio/wav' })
  await api.isWarnapp.setMedia({ id, role: 'sound', file })
}

/** Samples per second. */
const rate = 8_000

/** Two tones and a pause, a second in all, as a WAV file of 8 bits. */
function beeps(): Uint8Array<ArrayBuffer> {
  const headerBytes = 44
  const bytes = new Uint8Array(headerBytes + rate)
  const view = new DataView(bytes.buffer)
  const word = (at: number, text: string) => bytes.set(new TextEncoder().encode(text), at)
  word(0, 'RIFF')
  view.setUint32(4, bytes.length - 8, true)
  word(8, 'WAVEfmt ')
  view.setUint32(16, 16, true)
  // PCM, one channel
  view.setUint16(20, 1, true)
  view.setUint16(22, 1, true)
  view.setUint32(24, rate, true)
  view.setUint32(28, rate, true)
  view.setUint16(32, 1, true)
  view.setUint16(34, 8, true)
  word(36, 'data')
  view.setUint32(40, rate, true)
  for (let at = 0; at < rate; at++) {
    const hertz = at < rate / 4 ? 880 : at < rate / 2 ? 660 : 0
    bytes[headerBytes + at] = 128 + Math.round(60 * Math.sin((2 * Math.PI * hertz * at) / rate))
  }
  return bytes
}
