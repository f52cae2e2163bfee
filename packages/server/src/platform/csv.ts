import { readingAsNow } from './db/reading.ts'

/** German spreadsheets expect semicolons when a file is opened by double click, English ones commas. */
export function separatorOf(language: 'de' | 'en'): ';' | ',' {
  return language === 'de' ? ';' : ','
}

export type Separator = ';' | ',' | '\t'

/** Marks the file as UTF-8 for spreadsheets; goes before the first line. */
export const byteOrderMark = '\uFEFF'

/** `plain`: a formatted number, which needs no protection against formulas. */
export type CsvCell = string | number | null | { plain: string }

/**
 * A line as defined by RFC 4180. Texts that a spreadsheet would run as a formula get a leading apostrophe.
 */
export function csvLine(cells: readonly CsvCell[], separator: Separator): string {
  return `${cells.map((cell) => csvCell(cell, separator)).join(separator)}\r\n`
}

/** Signs with which a spreadsheet begins a formula, also in full width, and those it skips before them. */
const formula = /^[=+\-@\t\r\n＝＋－＠]/

function csvCell(value: CsvCell, separator: string): string {
  if (value === null) return ''
  if (typeof value === 'number') return String(value)
  if (typeof value === 'object') return quoted(value.plain, separator)
  return quoted(formula.test(value) ? `'${value}` : value, separator)
}

function quoted(text: string, separator: string): string {
  return /["\n\r]/.test(text) || text.includes(separator) ? `"${text.replaceAll('"', '""')}"` : text
}

/**
 * Streams texts or bytes with back-pressure: reads on only as fast as the consumer, and stops when the stream is
 * cancelled.
 */
export function streamOf<Piece extends string | Uint8Array>(
  pieces: AsyncGenerator<Piece>,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  const next = readingAsNow(() => pieces.next())
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await next()
      if (done) controller.close()
      else controller.enqueue(typeof value === 'string' ? encoder.encode(value) : value)
    },
    async cancel() {
      await pieces.return(undefined)
    },
  })
}
