import i18next from 'i18next'
import { beforeAll, describe, expect, test } from 'vitest'
import de from '../../../locales/de.json' with { type: 'json' }
import en from '../../../locales/en.json' with { type: 'json' }
import { isLong, stateText } from './text.ts'

beforeAll(() => i18next.init({ lng: 'de', resources: { de: { translation: de }, en: { translation: en } } }))

describe('a value of a state', () => {
  test.each([
    ['fixed decimals, also zeros', 21, { unit: '°C', decimals: 2 }, '21,00\u202f°C'],
    ['rounded to them', 21.456, { unit: '°C', decimals: 1 }, '21,5\u202f°C'],
    ['none at all', 21.5, { unit: '', decimals: 0 }, '22'],
    ['a large number', 1234567.891, { decimals: 2 }, '1.234.567,89'],
    ['a negative number', -0.5, { unit: '%', decimals: 1 }, '-0,5\u202f%'],
    ['as many as make sense where none are set', 21.45678, { unit: '°C', decimals: null }, '21,457\u202f°C'],
    ['a text has no decimals', 'offen', { unit: '', decimals: 2 }, 'offen'],
    ['a boolean neither', true, { decimals: 2 }, 'ja'],
    ['no value', null, { unit: '°C', decimals: 2 }, '–'],
    ['a list', [1, 2], { decimals: 2 }, '[1,2]'],
  ])('%s', (_name, value, state, text) => {
    expect(stateText(value, state)).toBe(text)
  })

  test('rounded to nothing is zero without a sign', () => {
    expect(stateText(-0.001, { decimals: 2 })).toBe('0,00')
    expect(stateText(-0.4, { decimals: 0 })).toBe('0')
  })

  test('follows the language', async () => {
    await i18next.changeLanguage('en')
    expect(stateText(1234.5, { unit: 'W', decimals: 1 })).toBe('1,234.5\u202fW')
    await i18next.changeLanguage('de')
    expect(stateText(1234.5, { unit: 'W', decimals: 1 })).toBe('1.234,5\u202fW')
  })
})

describe('a value in a smaller font', () => {
  test.each([
    ['offen', false],
    ['x'.repeat(12), false],
    ['x'.repeat(13), true],
    [{ a: 1 }, true],
    [[], true],
    [null, false],
    [undefined, false],
    [123_456_789_012_345, false],
    [true, false],
  ])('%j is long: %s', (value, long) => {
    expect(isLong(value)).toBe(long)
  })
})
