import type { JsonValue } from '@leitstand/contract/common'
import { byteOrderMark, type CsvCell, csvLine, separatorOf } from '../../platform/csv.ts'
import type { Executor } from '../../platform/db/index.ts'
import { readRows, type SeriesHead } from './store.ts'

type Language = 'de' | 'en'

const pageSize = 1000
/**
 * For states without decimals: maximum decimals of a number, or significant digits below 1, to hide the rounding
 * errors of floating-point sums.
 */
const decimalsMax = 6

const headings: Record<Language, { time: string; object: string }> = {
  de: { time: 'Zeit', object: 'Gerät oder Zwilling' },
  en: { time: 'Time', object: 'Device or twin' },
}

const cut: Record<Language, (rows: number) => string> = {
  de: (rows) => `Nach ${rows} Zeilen gekürzt. Grenzen Sie den Zeitraum ein.`,
  en: (rows) => `Cut after ${rows} rows. Narrow the period.`,
}

/** The values of a state as lines of a CSV file, newest first, read page by page as the consumer pulls them. */
export async function* csvLines(
  db: Executor,
  head: SeriesHead,
  range: { start: Date | null; end: Date | null },
  { language, rowsMax }: { language: Language; rowsMax: number },
): AsyncGenerator<string> {
  const separator = separatorOf(language)
  const timeOf = clockIn(head.timeZone)
  const { time, object } = headings[language]
  const value = head.unit === '' ? head.title : `${head.title} [${head.unit}]`
  yield byteOrderMark + csvLine([`${time} (${head.timeZone})`, object, value], separator)
  let end = range.end
  for (let written = 0; ; ) {
    // One row beyond the limit shows whether the file is truncated.
    const limit = Math.min(pageSize, rowsMax - written + 1)
    const found = await readRows(db, [head.stateId], { start: range.start, end }, limit)
    const taken = found.slice(0, rowsMax - written)
    const lines = taken.map((row) =>
      csvLine([timeOf(row.time), head.twinTitle, valueCell(row.value, head.decimals, language)], separator),
    )
    yield lines.join('')
    written += taken.length
    if (found.length > taken.length) {
      yield csvLine([cut[language](rowsMax)], separator)
      return
    }
    end = found.at(-1)?.time ?? null
    if (found.length < limit || end === null) return
  }
}

/** `2026-11-23 14:03:09`, which spreadsheets of every language read as a time. */
export function clockIn(timeZone: string): (time: Date) => string {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' })
  return (time) => format.format(time)
}

/** Numbers with the decimals of their state and the decimal sign of the language; other values as text. */
export function valueCell(value: JsonValue, decimals: number | null, language: Language): CsvCell {
  if (typeof value === 'number') {
    const text = decimals === null ? withoutNoise(value) : value.toFixed(decimals)
    return { plain: language === 'de' ? text.replace('.', ',') : text }
  }
  return value === null || typeof value === 'string' ? value : JSON.stringify(value)
}

function withoutNoise(value: number): string {
  const rounded = Math.abs(value) < 1 ? value.toPrecision(decimalsMax) : value.toFixed(decimalsMax)
  return String(Number(rounded))
}
