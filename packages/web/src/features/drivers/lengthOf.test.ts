import i18next from 'i18next'
import { beforeAll, expect, test } from 'vitest'
import de from '../../locales/de.json' with { type: 'json' }
import { lengthOf } from './lengthOf.ts'

beforeAll(() => i18next.init({ lng: 'de', resources: { de: { translation: de } } }))

test.each([
  [400, '400 ms'],
  [30_000, '30 s'],
  [119_000, '1 min 59 s'],
  [120_000, '2 Minuten'],
  [7_200_000, '2 Stunden'],
  [172_800_000, '2 Tage'],
  [31_536_000_000, '365 Tage'],
])('%d ms are %s', (ms, text) => {
  expect(lengthOf(ms, i18next.t).replaceAll('\u202f', ' ')).toBe(text)
})
