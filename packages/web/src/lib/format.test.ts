import i18next from 'i18next'
import { beforeAll, describe, expect, test } from 'vitest'
import de from '../locales/de.json' with { type: 'json' }
import en from '../locales/en.json' with { type: 'json' }
import { formatBytes, formatDuration, formatNumber, formatRelative, formatValue } from './format.ts'

const now = Date.UTC(2026, 10, 20, 12)

beforeAll(async () => {
  await i18next.init({ lng: 'de', resources: { de: { translation: de }, en: { translation: en } } })
})

describe('in German', () => {
  test('numbers have as many decimals as make sense', () => {
    expect(formatNumber(21.43756)).toBe('21,438')
    expect(formatNumber(182734.56)).toBe('182.734,6')
    expect(formatNumber(21.4, 0)).toBe('21')
  })

  test('values carry their unit', () => {
    expect(formatValue(21.5, '°C')).toBe('21,5\u202f°C')
    expect(formatValue(true)).toBe('ja')
    expect(formatValue(null, '°C')).toBe('–')
    expect(formatValue({ a: 1 })).toBe('{"a":1}')
    expect(formatValue('offen')).toBe('offen')
  })

  test.each([
    [now - 4_000, 'gerade eben'],
    [now - 3 * 60_000, 'vor 3 Min.'],
    [now + 2 * 3_600_000, 'in 2 Std.'],
    [now - 3 * 86_400_000, 'vor 3 Tagen'],
  ])('%d is %s', (time, text) => {
    expect(formatRelative(time, now)).toBe(text)
  })

  test('sizes and durations', () => {
    expect(formatBytes(1536)).toBe('1,5\u202fKB')
    expect(formatBytes(12)).toBe('12\u202fB')
    expect(formatDuration(0.42)).toBe('0,4\u202fms')
    expect(formatDuration(250_000)).toBe('4\u202fmin 10\u202fs')
  })
})

test('English follows the language at once', async () => {
  await i18next.changeLanguage('en')
  expect(formatNumber(1234.5)).toBe('1,234.5')
  expect(formatValue(false)).toBe('no')
  await i18next.changeLanguage('de')
})
