import fc from 'fast-check'
import i18next from 'i18next'
import { beforeAll, describe, expect, test } from 'vitest'
import de from '../locales/de.json' with { type: 'json' }
import en from '../locales/en.json' with { type: 'json' }
import {
  formatBytes,
  formatClock,
  formatDate,
  formatDuration,
  formatNumber,
  formatRelative,
  formatTime,
  formatTimeExact,
  formatTimeShort,
  formatValue,
} from './format.ts'

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

describe('numbers', () => {
  test.each([
    [0, '0'],
    [-0, '0'],
    [-0.0001, '0'],
    [0.0004, '0'],
    [0.0005, '0,001'],
    [-12.5, '-12,5'],
    [99.9994, '99,999'],
    [100.126, '100,13'],
    [-999.99, '-999,99'],
    [1000.04, '1.000'],
    [1_234_567.89, '1.234.567,9'],
    [1e15, '1.000.000.000.000.000'],
  ])('%d is written %s', (value, text) => {
    expect(formatNumber(value)).toBe(text)
  })

  test.each([
    [3.14512, 0, '3'],
    [3.14512, 2, '3,15'],
    [-2.5, 0, '-3'],
    [-0.4, 0, '0'],
    [1234.5678, 4, '1.234,5678'],
    [21, 2, '21'],
  ])('%d with %d decimals is %s', (value, digits, text) => {
    expect(formatNumber(value, digits)).toBe(text)
  })

  test('what is shown is the number, to the shown precision', () => {
    const shown = (value: number) => Number(formatNumber(value).replaceAll('.', '').replace(',', '.'))
    fc.assert(
      fc.property(fc.double({ min: -1e9, max: 1e9, noNaN: true }), (value) => {
        const precision = Math.abs(value) >= 1000 ? 0.1 : Math.abs(value) >= 100 ? 0.01 : 0.001
        expect(Math.abs(shown(value) - value)).toBeLessThanOrEqual(precision / 2 + Math.abs(value) * 1e-12)
      }),
    )
  })

  test('no value is shown as a negative zero', () => {
    const small = fc.double({ min: -0.0006, max: 0, noNaN: true })
    fc.assert(
      fc.property(small, (value) => {
        expect(formatNumber(value)).not.toBe('-0')
      }),
    )
  })
})

describe('values of any type', () => {
  test.each([
    [undefined, '%', '–'],
    [0, '%', '0\u202f%'],
    [0, '', '0'],
    [0, null, '0'],
    [false, null, 'nein'],
    ['', null, ''],
    ['Grüße 👋', null, 'Grüße 👋'],
    [[], null, '[]'],
    [[1, 'a', null], null, '[1,"a",null]'],
    [{ ä: { b: [] } }, null, '{"ä":{"b":[]}}'],
    [-273.15, '°C', '-273,15\u202f°C'],
  ])('%j with the unit %j is %s', (value, unit, text) => {
    expect(formatValue(value, unit)).toBe(text)
  })
})

describe('points in time', () => {
  // Local times: the console shows the browser's time zone, whichever it is.
  const moment = new Date(2026, 10, 20, 14, 3, 9)

  test('are written as in the language', async () => {
    expect(formatTime(moment)).toBe('20.11.2026, 14:03:09')
    expect(formatTimeShort(moment)).toBe('20.11.2026, 14:03')
    expect(formatDate(moment)).toBe('20.11.2026')
    expect(formatClock(moment)).toBe('14:03:09')
    expect(formatTimeExact(moment)).toMatch(/^Freitag, 20\. November 2026 um 14:03:09 \S/)
    await i18next.changeLanguage('en')
    expect(formatTime(moment)).toBe('20 Nov 2026, 14:03:09')
    expect(formatDate(moment)).toBe('20 Nov 2026')
    expect(formatClock(moment)).toBe('14:03:09')
    await i18next.changeLanguage('de')
  })

  test('are the same from a text, a number and a date', () => {
    for (const format of [formatTime, formatTimeShort, formatDate, formatClock]) {
      expect(format(moment.toISOString())).toBe(format(moment))
      expect(format(moment.getTime())).toBe(format(moment))
    }
  })

  test.each([
    [new Date(2026, 0, 1, 0, 0, 0), '01.01.2026, 00:00:00'],
    [new Date(2028, 1, 29, 23, 59, 59), '29.02.2028, 23:59:59'],
    [new Date(1999, 11, 31, 12, 0, 0), '31.12.1999, 12:00:00'],
  ])('midnight, leap days and the last century: %s', (time, text) => {
    expect(formatTime(time)).toBe(text)
  })
})

describe('relative times', () => {
  const second = 1000
  const minute = 60 * second
  const hour = 60 * minute
  const day = 24 * hour
  test.each([
    [0, 'gerade eben'],
    [-9.999 * second, 'gerade eben'],
    [9.999 * second, 'gerade eben'],
    [-10 * second, 'vor 10 Sek.'],
    [10 * second, 'in 10 Sek.'],
    [-59.9 * second, 'vor 59 Sek.'],
    [-minute, 'vor 1 Min.'],
    [-59 * minute - 59 * second, 'vor 59 Min.'],
    [-hour, 'vor 1 Std.'],
    [-(day - 1), 'vor 23 Std.'],
    [-day, 'vor 1 Tag'],
    [2 * day, 'in 2 Tagen'],
    [-(30 * day - 1), 'vor 29 Tagen'],
    [-30 * day, 'vor 1 Monat'],
    [-359 * day, 'vor 11 Monaten'],
    [-360 * day, 'vor 1 Jahr'],
    [-3650 * day, 'vor 10 Jahren'],
  ])('%d ms from now is %s', (offset, text) => {
    // Intl separates some of them with a no-break space.
    expect(formatRelative(now + offset, now).replace(/\s/g, ' ')).toBe(text)
    expect(formatRelative(new Date(now + offset).toISOString(), now)).toBe(
      formatRelative(Math.trunc(now + offset), now),
    )
  })

  test('the future is never called past', () => {
    fc.assert(
      fc.property(fc.integer({ min: 10_000, max: 100 * 360 * day }), (ahead) => {
        expect(formatRelative(now + ahead, now)).toMatch(/^in /)
        expect(formatRelative(now - ahead, now)).toMatch(/^vor /)
      }),
    )
  })
})

describe('sizes', () => {
  test.each([
    [0, '0\u202fB'],
    [1, '1\u202fB'],
    [1023, '1.023\u202fB'],
    [1024, '1\u202fKB'],
    [1_048_575, '1\u202fMB'],
    [1_048_576, '1\u202fMB'],
    [1_572_864, '1,5\u202fMB'],
    [5 * 1024 ** 3, '5\u202fGB'],
    [2048 * 1024 ** 4, '2.048\u202fTB'],
  ])('%d bytes are %s', (bytes, text) => {
    expect(formatBytes(bytes)).toBe(text)
  })
})

describe('durations', () => {
  test.each([
    [0, '0\u202fms'],
    [9.94, '9,9\u202fms'],
    [9.96, '10\u202fms'],
    [82.4, '82\u202fms'],
    [999, '999\u202fms'],
    [999.6, '1\u202fs'],
    [1000, '1\u202fs'],
    [1349, '1,3\u202fs'],
    [59_940, '59,9\u202fs'],
    [59_960, '1\u202fmin 0\u202fs'],
    [60_000, '1\u202fmin 0\u202fs'],
    [119_999, '1\u202fmin 59\u202fs'],
    [3_600_000, '60\u202fmin 0\u202fs'],
  ])('%d ms are %s', (ms, text) => {
    expect(formatDuration(ms)).toBe(text)
  })
})

describe('the worst numbers', () => {
  test.each([
    [Number.MAX_SAFE_INTEGER, '9.007.199.254.740.991'],
    [Number.MIN_VALUE, '0'],
    [-1e-12, '0'],
    [999.999, '1.000'],
    [99.9999, '100'],
  ])('%d is written %s', (value, text) => {
    expect(formatNumber(value)).toBe(text)
  })

  test('that are none are not written as one', () => {
    expect(formatNumber(Number.NaN)).not.toMatch(/\d/)
    expect(formatNumber(Number.POSITIVE_INFINITY)).toBe('∞')
    expect(formatNumber(Number.NEGATIVE_INFINITY)).toBe('-∞')
  })
})

describe('sizes', () => {
  test.each([
    [0, '0 B'],
    [1, '1 B'],
    [1023, '1.023 B'],
    [1024, '1 KB'],
    [1_048_575, '1 MB'],
    [1_048_576, '1 MB'],
    [5 * 1024 ** 3, '5 GB'],
    [1024 ** 4, '1 TB'],
    [5000 * 1024 ** 4, '5.000 TB'],
  ])('%d bytes are %s', (bytes, text) => {
    expect(formatBytes(bytes).replaceAll('\u202f', ' ')).toBe(text)
  })
})

describe('durations', () => {
  test.each([
    [0, '0 ms'],
    [9.94, '9,9 ms'],
    [9.96, '10 ms'],
    [999.4, '999 ms'],
    [999.5, '1 s'],
    [59_949, '59,9 s'],
    [59_950, '1 min 0 s'],
    [60_000, '1 min 0 s'],
    [3_600_000, '60 min 0 s'],
    [86_399_999, '1.439 min 59 s'],
  ])('%d ms are %s', (ms, text) => {
    expect(formatDuration(ms).replaceAll('\u202f', ' ')).toBe(text)
  })
})

describe('times far away', () => {
  test.each([
    [new Date(9999, 11, 31, 23, 59, 59), '31.12.9999, 23:59:59'],
    [new Date(1970, 0, 1, 0, 0, 0), '01.01.1970, 00:00:00'],
    [new Date(2028, 1, 29, 12), '29.02.2028, 12:00:00'],
  ])('%s', (time, text) => {
    expect(formatTime(time)).toBe(text)
  })

  test.each([
    [10 * 365 * 86_400_000, /^in 10 Jahren$/],
    [-400 * 86_400_000, /^vor 1 Jahr$/],
    [-59_000, /^vor 59 Sek/],
    [-61_000, /^vor 1 Min/],
    [-9_999, /^gerade eben$/],
    [9_999, /^gerade eben$/],
  ])('%d ms from now is %s', (offset, text) => {
    expect(formatRelative(now + offset, now)).toMatch(text)
  })
})

describe('a text that is no time', () => {
  const formats = [formatTime, formatTimeShort, formatDate, formatClock, formatTimeExact]

  test.each(formats.map((format) => [format.name, format] as const))(
    'is left as it is by %s',
    (_, format) => {
      expect(format('soon')).toBe('soon')
      expect(format('')).toBe('')
      expect(format(Number.NaN)).toBe('NaN')
    },
  )

  test('is left as it is by formatRelative', () => {
    expect(formatRelative('soon', now)).toBe('soon')
  })
})
