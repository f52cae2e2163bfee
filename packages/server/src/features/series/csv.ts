import type { JsonValue } from '@leitstand/contract/common'
import { byteOrderMark, type CsvCell, csvLine, separatorOf } from '../../platform/csv.ts'
import type { Executor } from '../../platform/db/index.ts'
import { type XlsxCell, xlsxFile } from '../../platform/xlsx.ts'
import { offsetAt } from './offsets.ts'
import { historyPages } from './pages.ts'
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

const cut: Record<Language, (rows: number) => string> = {
  de: (rows) => `Nach ${rows} Zeilen gekürzt. Grenzen Sie den Zeitraum ein.`,
  en: (rows) => `Cut after ${rows} rows. Narrow the period.`,
}

interface FileOptions {
  language: Language
  rowsMax: number
  /** a row for each value with the key of its state; otherwise the column of the values is named after the only state */
  withKeys: boolean
}

/** Column titles of a file of values. */
function headerOf([head]: readonly SeriesHead[], { language, withKeys }: FileOptions): string[] {
  const { time, object, state, key, value, unit } = headings[language]
  const title = `${time} (${head?.timeZone ?? 'UTC'})`
  if (withKeys) return [title, object, state, key, value, unit]
  const { title: of = '', unit: inUnit = '' } = head ?? {}
  return [title, object, inUnit === '' ? of : `${of} [${inUnit}]`]
}

/** The values of states as lines of a CSV file, read page by page as the consumer pulls them. */
export async function* csvLines(
  db: Executor,
  heads: readonly SeriesHead[],
  range: { start: Date | null; end: Date | null },
  options: FileOptions,
): AsyncGenerator<string> {
  const { language, rowsMax, withKeys } = options
  const separator = separatorOf(language)
  const timeOf = clockIn(heads[0]?.timeZone ?? 'UTC')
  yield byteOrderMark + csvLine(headerOf(heads, options), separator)
  const pages = historyPages(db, heads, range, rowsMax)
  for (;;) {
    const { done, value: page } = await pages.next()
    if (done) {
      if (page) yield csvLine([cut[language](rowsMax)], separator)
      return
    }
    const lines = page.map(({ head, time, value }) => {
      const cell = valueCell(value, head.decimals, language)
      const { twinTitle, title, key, unit } = head
      return csvLine(
        withKeys ? [timeOf(time), twinTitle, title, key, cell, unit] : [timeOf(time), twinTitle, cell],
        separator,
      )
    })
    yield lines.join('')
  }
}

/** The same as an XLSX file, with real times and numbers. */
export function xlsxPieces(
  db: Executor,
  heads: readonly SeriesHead[],
  range: { start: Date | null; end: Date | null },
  options: FileOptions & { sheet: string },
): AsyncGenerator<Uint8Array> {
  const { language, rowsMax, withKeys, sheet } = options
  const timeZone = heads[0]?.timeZone ?? 'UTC'
  async function* rows(): AsyncGenerator<XlsxCell[][]> {
    const pages = historyPages(db, heads, range, rowsMax)
    for (;;) {
      const { done, value: page } = await pages.next()
      if (done) {
        if (page) yield [[cut[language](rowsMax)]]
        return
      }
      yield page.map(({ head, time, value }): XlsxCell[] => {
        const wallMs = time.getTime() + offsetAt(time.getTime(), timeZone)
        const { twinTitle, title, key, unit } = head
        const cell = xlsxCell(value)
        return withKeys ? [{ wallMs }, twinTitle, title, key, cell, unit] : [{ wallMs }, twinTitle, cell]
      })
    }
  }
  const widths = withKeys ? [20, 30, 30, 20, 14, 10] : [20, 30, 24]
  return xlsxFile({ sheet, header: headerOf(heads, options), widths }, rows())
}

function xlsxCell(value: JsonValue): XlsxCell {
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
