import i18next from 'i18next'
import { beforeAll, describe, expect, test } from 'vitest'
import de from '../../locales/de.json' with { type: 'json' }
import { kindsOf, shown } from './previewText.ts'

beforeAll(() => i18next.init({ lng: 'de', resources: { de: { translation: de } } }))

const variable = (counts: object) => ({
  key: 'temperature',
  appears: 0,
  vanishes: 0,
  changes: 0,
  same: 0,
  example: null,
  ...counts,
})

describe('what happens to a variable', () => {
  test.each([
    [{}, ''],
    [{ same: 9 }, ''],
    [{ appears: 1 }, '1-mal neu'],
    [{ vanishes: 2 }, '2-mal entfernt'],
    [{ changes: 1200 }, '1.200-mal geändert'],
    [{ appears: 3, vanishes: 1, changes: 2 }, '3-mal neu, 1-mal entfernt, 2-mal geändert'],
  ])('%j is "%s"', (counts, text) => {
    expect(kindsOf(variable(counts), i18next.t)).toBe(text)
  })
})

describe('an example value', () => {
  test.each([
    [undefined, '–'],
    [null, '–'],
    [0, '0'],
    [21.5, '21,5'],
    [false, 'nein'],
    ['', ''],
    ['<b>offen</b>', '<b>offen</b>'],
    [[], '[]'],
    [{ tür: 'auf' }, '{"tür":"auf"}'],
  ])('%j is shown as %s', (value, text) => {
    expect(shown(value)).toBe(text)
  })
})
