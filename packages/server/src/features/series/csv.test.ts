import { expect, test } from 'vitest'
import { csvLine } from '../../platform/csv.ts'
import { clockIn, csvRow, cut, type FileOptions, headerOf, valueCell, xlsxRow } from './csv.ts'
import type { HistoryRow } from './pages.ts'

test('times are those of the account, in summer and in winter', () => {
  const clock = clockIn('Europe/Berlin')
  expect(clock(new Date('2026-07-01T22:30:05Z'))).toBe('2026-07-02 00:30:05')
  expect(clock(new Date('2026-12-01T22:30:05Z'))).toBe('2026-12-01 23:30:05')
})

test.each([
  [1793.1666666666667, 1, 'de', '1793,2'],
  [1793.1666666666667, null, 'en', '1793.166667'],
  [0.1 + 0.2, null, 'de', '"0,3"'],
  [-3.5, 2, 'de', '-3,50'],
  [21, null, 'en', '21'],
  [null, 2, 'en', ''],
  [true, 2, 'en', 'true'],
  [0.00000025, null, 'de', '2,5e-7'],
  [-0.000123456789, null, 'en', '-0.000123457'],
  ['=1+1', null, 'en', "'=1+1"],
  ['＝1+1', null, 'en', "'＝1+1"],
  ['\n=1+1', null, 'en', '"\'\n=1+1"'],
  [{ a: 1 }, null, 'de', '"{""a"":1}"'],
] as const)('%j with %s decimals in %s is %s', (value, decimals, language, expected) => {
  const separator = expected === '"0,3"' ? ',' : ';'
  expect(csvLine([valueCell(value, decimals, language)], separator)).toBe(`${expected}\r\n`)
})

const head = {
  twinTitle: 'Well',
  title: 'Level',
  key: 'level',
  unit: 'm',
  decimals: 2,
  timeZone: 'Europe/Berlin',
} as HistoryRow['head']
const german: FileOptions = { language: 'de', rowsMax: 10, withKeys: false }
const english: FileOptions = { language: 'en', rowsMax: 10, withKeys: true }

test('a file of one state names its column after it, one of several has a column for each property', () => {
  expect(headerOf([head], german)).toEqual(['Zeit (Europe/Berlin)', 'Gerät oder Zwilling', 'Level [m]'])
  expect(headerOf([{ ...head, unit: '' }], german)[2]).toBe('Level')
  expect(headerOf([head, head], english)).toEqual([
    ...['Time (Europe/Berlin)', 'Device or twin', 'State', 'Key', 'Value', 'Unit'],
  ])
  expect(headerOf([], german)).toEqual(['Zeit (UTC)', 'Gerät oder Zwilling', ''])
})

test('a file that is cut says so in its language', () => {
  expect(cut.de(10)).toBe('Nach 10 Zeilen gekürzt. Grenzen Sie den Zeitraum ein.')
  expect(cut.en(10)).toBe('Cut after 10 rows. Narrow the period.')
})

const time = new Date('2026-07-01T22:30:05Z')

test('a row of a CSV file has the value as a person in that language writes it', () => {
  const clock = clockIn('Europe/Berlin')
  const row = { head, time, value: 1.5 }
  expect(csvRow(row, german, clock)).toEqual(['2026-07-02 00:30:05', 'Well', { plain: '1,50' }])
  expect(csvRow(row, english, clock)).toEqual([
    ...['2026-07-02 00:30:05', 'Well', 'Level', 'level', { plain: '1.50' }, 'm'],
  ])
})

test('a row of an XLSX file has the time of the zone and the value itself', () => {
  const wallMs = Date.parse('2026-07-02T00:30:05Z')
  const cells = (value: HistoryRow['value'], options = german) =>
    xlsxRow({ head, time, value }, options, 'Europe/Berlin')
  expect(cells(1.234)).toEqual([{ wallMs }, 'Well', 1.234])
  expect(cells(true, english)).toEqual([{ wallMs }, 'Well', 'Level', 'level', true, 'm'])
  expect([null, 'a', { b: 1 }, [2]].map((value) => cells(value)[2])).toEqual([null, 'a', '{"b":1}', '[2]'])
})
