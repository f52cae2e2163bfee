import i18next from 'i18next'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { chartCsv } from './chartCsv.ts'
import { tableRows } from './options.ts'

beforeAll(() => i18next.init({ lng: 'en', resources: { en: { translation: {} } } }))
// Other files of the same worker expect the default.
afterAll(() => i18next.changeLanguage('de'))

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

const titles = { time: 'Time', object: 'Device' }
const utc = series.map((each) => ({ ...each, timeZone: 'UTC' }))

test('has a column for each series with its unit, times in its zone, newest first', () => {
  expect(chartCsv(titles, utc, tableRows(series)).split('\r\n')).toEqual([
    '\uFEFFTime (UTC),Temperatur [°C],Status',
    '1970-01-01 00:02:00,,true',
    '1970-01-01 00:01:00,,"{""a"":1}"',
    '1970-01-01 00:00:00,21.5,"an, aus"',
    '',
  ])
})

test('follows the language of the console', async () => {
  await i18next.init({ lng: 'de', resources: { de: { translation: {} } } })
  const german = { time: 'Zeit', object: 'Gerät' }
  const [first] = series as [(typeof series)[number]]
  const of = (more: object, value: number) => chartCsv(german, [{ ...first, ...more }], [[0, value]])
  expect(of({ timeZone: 'Europe/Berlin', object: 'Foyer', decimals: 1 }, 1793.1666666666667)).toBe(
    '\uFEFFZeit (Europe/Berlin);Gerät;Temperatur [°C]\r\n1970-01-01 01:00:00;Foyer;1793,2\r\n',
  )
  expect(of({ timeZone: 'UTC' }, -1793.1666666666667)).toContain(';-1793,166667\r\n')
})
