import i18next from 'i18next'
import { beforeAll, expect, test } from 'vitest'
import { chartCsv } from './chartCsv.ts'
import { tableRows } from './options.ts'

beforeAll(() => i18next.init({ lng: 'en', resources: { en: { translation: {} } } }))

const series = [
  {
    key: 't',
    name: 'Temperatur',
    unit: '°C',
    points: [
      [0, 21.5],
      [60_000, null],
    ],
  },
  {
    key: 's',
    name: 'Status',
    points: [
      [0, 'an, aus'],
      [60_000, { a: 1 }],
      [120_000, true],
    ],
  },
] as Parameters<typeof chartCsv>[1]

test('has a column for each series with its unit, times in UTC, newest first', () => {
  expect(chartCsv('Time', series, tableRows(series)).split('\r\n')).toEqual([
    '\uFEFFTime,Temperatur [°C],Status',
    '1970-01-01T00:02:00.000Z,,true',
    '1970-01-01T00:01:00.000Z,,"{""a"":1}"',
    '1970-01-01T00:00:00.000Z,21.5,"an, aus"',
    '',
  ])
})

test('follows the language of the console', async () => {
  await i18next.init({ lng: 'de', resources: { de: { translation: {} } } })
  expect(chartCsv('Zeit', series.slice(0, 1), [[0, 21.5]])).toBe(
    '\uFEFFZeit;Temperatur [°C]\r\n1970-01-01T00:00:00.000Z;21,5\r\n',
  )
})
