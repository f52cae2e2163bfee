import type { JsonValue } from '@leitstand/contract/common'
import type { CsvCell } from '../../platform/csv.ts'
import type { XlsxCell } from '../../platform/xlsx.ts'
import { offsetAt } from './offsets.ts'
import type { HistoryRow } from './pages.ts'
import type { SeriesHead } from './store.ts'

type Language = 'de' | 'en'

/**
 * For states without decimals: maximum decimals of a number, or significant digits below 1, to hide the rounding
 * errors of floating-point sums.
 */
const decimalsMax = 6

const headings = {
  de: {
    time: 'Zeit',
    object: 'Gerät oder Zwilling',
    state: 'Datenpunkt',
    key: 'Schlüssel',
    value: 'Wert',
    unit: 'Einheit',
  },
  en: { time: 'Time', object: 'Device or twin', state: 'State', key: 'Key', value: 'Value', unit: 'Unit' },
} as const

/** Last line of a file that does not hold everything. */
export const cut: Record<Language, (rows: number) => string> = {
  de: (rows) => `Nach ${rows} Zeilen gekürzt. Grenzen Sie den Zeitraum ein.`,
  en: (rows) => `Cut after ${rows} rows. Narrow the period.`,
}

export interface FileOptions {
  language: Language
  rowsMax: number
  /** a row for each value with the key of its state; otherwise the column of the values is named after the only state */
  withKeys: boolean
}

/** Column titles of a file of values. */
export function headerOf([head]: readonly SeriesHead[], { language, withKeys }: FileOptions): string[] {
  const { time, object, state, key, value, unit } = headings[language]
  const title = `${time} (${head?.timeZone ?? 'UTC'})`
  if (withKeys) return [title, object, state, key, value, unit]
  const { title: of = '', unit: inUnit = '' } = head ?? {}
  return [title, object, inUnit === '' ? of : `${of} [${inUnit}]`]
}

/** A row of a CSV file. @param timeOf a time as text, see `clockIn` */
export function csvRow(
  { head, time, value }: HistoryRow,
  { language, withKeys }: FileOptions,
  timeOf: (time: Date) => string,
): CsvCell[] {
  const { twinTitle, title, key, unit, decimals } = head
  const cell = valueCell(value, decimals, language)
  return withKeys ? [timeOf(time), twinTitle, title, key, cell, unit] : [timeOf(time), twinTitle, cell]
}

/** A row of an XLSX file, with a real time and number. */
export function xlsxRow(
  { head, time, value }: HistoryRow,
  { withKeys }: FileOptions,
  timeZone: string,
): XlsxCell[] {
  const wallMs = time.getTime() + offsetAt(time.getTime(), timeZone)
  const { twinTitle, title, key, unit } = head
  const cell = storedCell(value)
  return withKeys ? [{ wallMs }, twinTitle, title, key, cell, unit] : [{ wallMs }, twinTitle, cell]
}

/** A value as it is stored, objects as JSON. */
export function storedCell(value: JsonValue): string | number | boolean | null {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : value
}

/** `2026-11-23 14:03:09`, which spreadsheets of every language read as a time. */
export function clockIn(timeZone: string): (time: Date) => string {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' })
  return (time) => format.format(time)
}

/** Numbers with the decimals of their state and the decimal sign of the language; other values as text. */
export function valueCell(value: JsonValue, decimals: number | null, language: Language): CsvCell {
  if (typeof value === 'number') {
    const text = numberText(value, decimals)
    return { plain: language === 'de' ? text.replace('.', ',') : text }
  }
  return value === null || typeof value === 'string' ? value : JSON.stringify(value)
}

/** A number with the decimals of its state, e.g. `21.30`; without them, as short as it is exact to six decimals. */
export function numberText(value: number, decimals: number | null): string {
  if (decimals !== null) return value.toFixed(decimals)
  const rounded = Math.abs(value) < 1 ? value.toPrecision(decimalsMax) : value.toFixed(decimalsMax)
  return String(Number(rounded))
}
