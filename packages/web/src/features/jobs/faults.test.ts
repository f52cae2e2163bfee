import i18next from 'i18next'
import { beforeAll, describe, expect, test } from 'vitest'
import de from '../../locales/de.json' with { type: 'json' }
import en from '../../locales/en.json' with { type: 'json' }
import { faultText } from './faults.ts'

beforeAll(() =>
  i18next.init({
    lng: 'de',
    resources: { de: { translation: de }, en: { translation: en } },
    interpolation: { escapeValue: false },
  }),
)

const fault = (code: string, column: string | null = null, detail = '') =>
  ({ code, column, detail }) as Parameters<typeof faultText>[1]

describe('an error of a row', () => {
  test.each([
    ['a fault of a cell, with its column', fault('NO_NUMBER', 'Länge'), 'Länge: Keine Zahl.'],
    ['a fault of the whole row', fault('NO_NUMBER'), 'Keine Zahl.'],
    ['an error of the catalogue', fault('DEVICE_ALREADY_EXISTS'), de.errors.DEVICE_ALREADY_EXISTS],
    ['a code of a newer server', fault('SOMETHING_NEW', 'Länge'), 'Länge: SOMETHING_NEW'],
    [
      'a column with a colon of its own',
      fault('REQUIRED', 'Ort: Halle'),
      'Ort: Halle: Der Wert ist erforderlich',
    ],
  ])('%s', (_name, given, text) => {
    expect(faultText(i18next.t, given)).toBe(text)
  })

  test('has a text for every fault of a cell, in both languages', async () => {
    expect(Object.keys(en.jobs.fault).toSorted()).toEqual(Object.keys(de.jobs.fault).toSorted())
    for (const language of ['de', 'en']) {
      await i18next.changeLanguage(language)
      for (const code of Object.keys(de.jobs.fault)) {
        const text = faultText(i18next.t, fault(code, null, 'x'))
        expect(text).not.toMatch(/\{\{|^[A-Z_]+$/)
        expect(text).not.toMatch(/: $/)
      }
    }
    await i18next.changeLanguage('de')
  })
})
