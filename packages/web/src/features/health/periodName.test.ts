import i18next from 'i18next'
import { beforeAll, expect, test } from 'vitest'
import de from '../../locales/de.json' with { type: 'json' }
import { nameOf } from './periodName.ts'

beforeAll(() => i18next.init({ lng: 'de', resources: { de: { translation: de } } }))

const period = (change: object) => ({
  id: 1,
  entry: null,
  fault: null,
  category: null,
  type: 'warning' as const,
  description: '',
  since: '2026-11-20T12:00:00Z',
  until: null,
  end: null,
  ...change,
})

test.each([
  ['its description', { entry: 'low', description: 'Batterie schwach' }, 'Batterie schwach'],
  ['its identifier without one', { entry: 'low' }, 'low'],
  ['a fault by its name', { fault: 'decode' as const, description: 'x' }, de.deviceHealth.faultNames.decode],
  ['an entry that is gone by nothing', {}, ''],
])('a period is called by %s', (_name, change, text) => {
  expect(nameOf(period(change), i18next.t)).toBe(text)
})
