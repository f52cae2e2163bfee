import dayjs from 'dayjs'
import i18next from 'i18next'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { formatDate, formatTimeShort } from '../../lib/format.ts'
import { dayFormat, dayTimeFormat } from './dateFormats.ts'

beforeAll(() => i18next.init({ lng: 'de', resources: {} }))
afterAll(() => i18next.changeLanguage('de'))

test.each(['de', 'en'])('fields write a date in %s as texts do', async (language) => {
  await i18next.changeLanguage(language)
  for (const month of Array.from({ length: 12 }, (_, at) => at)) {
    const time = new Date(2026, month, 4, 9, 5)
    // English texts shorten September to four letters.
    const shown = (text: string) => text.replace('Sept', 'Sep').replace(',', '')
    expect(dayjs(time).format(dayFormat(language))).toBe(shown(formatDate(time)))
    expect(dayjs(time).format(dayTimeFormat(language))).toBe(shown(formatTimeShort(time)))
  }
})
