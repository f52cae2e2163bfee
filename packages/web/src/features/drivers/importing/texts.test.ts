import { type ImportedDevice, importProblems } from '@leitstand/contract/driverImport'
import i18next from 'i18next'
import { beforeAll, describe, expect, test } from 'vitest'
import de from '../../../locales/de.json' with { type: 'json' }
import { problemText, summaryOf } from './texts.ts'

beforeAll(() =>
  i18next.init({ lng: 'de', resources: { de: { translation: de } }, interpolation: { escapeValue: false } }),
)

describe('what was taken of a device', () => {
  const device = (change: object) =>
    ({ golden: 0, differing: 0, unusable: 0, encoder: false, ...change }) as unknown as ImportedDevice

  test.each([
    [{}, '0 Prüfpakete'],
    [{ golden: 1 }, '1 Prüfpaket'],
    [{ golden: 3, differing: 1 }, '3 Prüfpakete · 1 Beispiel ergibt hier etwas anderes und bleibt weg'],
    [{ golden: 3, unusable: 2 }, '3 Prüfpakete · 2 Beispiele ohne Werte'],
    [{ encoder: true }, `0 Prüfpakete · ${de.drivers.import.encoder}`],
  ])('%j is "%s"', (change, text) => {
    expect(summaryOf(i18next.t, device(change))).toBe(text)
  })
})

describe('why a device cannot be taken', () => {
  test.each(importProblems)('%s is explained in the language of the console', (code) => {
    const text = problemText(i18next.t, { code, message: 'vendor/ers.js' })
    expect(text).not.toMatch(/\{\{|drivers\.import/)
  })

  test('names the file', () => {
    expect(problemText(i18next.t, { code: 'fileMissing', message: 'vendor/ers.js' })).toContain(
      'vendor/ers.js',
    )
  })

  test('an error of the script comes with its message', () => {
    expect(problemText(i18next.t, { code: 'SCRIPT_TIMEOUT', message: 'after 50 ms' })).toBe(
      `${de.errors.SCRIPT_TIMEOUT} after 50 ms`,
    )
  })

  test('an unknown code shows the message alone', () => {
    expect(problemText(i18next.t, { code: 'NEWER', message: 'something new' })).toBe('something new')
  })
})
