import i18next from 'i18next'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { openBrowser } from '../../test/browser.ts'
import de from '../locales/de.json' with { type: 'json' }
import en from '../locales/en.json' with { type: 'json' }
import { currentLanguage, loadAllTexts, setLanguage, startI18n } from './i18n.ts'

const browser = openBrowser()
const page = { documentElement: { lang: '' } }
const key = 'leitstand.language'

beforeAll(() => void i18next.off('languageChanged'))
// Other files of the same worker expect the default.
afterAll(() => i18next.changeLanguage('de'))
beforeEach(() => {
  vi.stubGlobal('document', page)
  vi.stubGlobal('navigator', { languages: ['fr', 'en-GB'] })
})

describe('the language of the console', () => {
  test('is that of the browser at first, and told to screen readers', async () => {
    await startI18n()
    expect(currentLanguage()).toBe('en')
    expect(page.documentElement.lang).toBe('en')
    expect(i18next.t('common.save')).toBe(en.common.save)
  })

  test('chosen before comes before that of the browser', async () => {
    browser.local.setItem(key, 'de')
    await startI18n()
    expect(i18next.t('common.save')).toBe(de.common.save)
  })

  test('of this tab comes before the stored one', async () => {
    browser.local.setItem(key, 'de')
    browser.session.setItem(key, 'en')
    await startI18n()
    expect(currentLanguage()).toBe('en')
  })

  test('of the address counts for this tab, not for the next visit', async () => {
    browser.location.hash = '#/home?tab=a&lang=de'
    await startI18n()
    expect(currentLanguage()).toBe('de')
    expect(browser.session.getItem(key)).toBe('de')
    expect(browser.local.getItem(key)).toBeNull()
  })

  test('starts where nothing can be stored', async () => {
    browser.local.isBlocked = true
    browser.session.isBlocked = true
    await startI18n()
    expect(currentLanguage()).toBe('en')
  })

  test('changed by the user is kept, with all its texts', async () => {
    await startI18n()
    await setLanguage('de')
    expect(i18next.t('devices.diagnosis.step.driver')).toBe(de.devices.diagnosis.step.driver)
    expect(page.documentElement.lang).toBe('de')
    expect([browser.local.getItem(key), browser.session.getItem(key)]).toEqual(['de', 'de'])
  })

  test('changed where nothing can be stored lasts for the page', async () => {
    await startI18n()
    browser.local.isBlocked = true
    browser.session.isBlocked = true
    await setLanguage('de')
    expect(currentLanguage()).toBe('de')
  })

  test('shows names as they are: React escapes them', async () => {
    await startI18n()
    await loadAllTexts()
    expect(i18next.t('systemLogs.actsAs', { impersonator: '<A & B>', name: 'ö' })).toContain('<A & B>')
  })

  test('does not fall back to the other one', async () => {
    await startI18n()
    expect(i18next.t('no.such.text')).toBe('no.such.text')
  })
})
