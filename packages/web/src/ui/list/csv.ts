import { currentLanguage } from '../../lib/i18n.ts'
import type { Page } from './types.ts'

/** Most rows of the file of a list: what a browser collects in a minute or so. */
export const csvRowsMax = 50_000
const csvPageSize = 1_000

/** CSV format that the user's spreadsheet opens with a double click. */
export interface CsvStyle {
  separator: ',' | ';'
  decimal: '.' | ','
}

/** German spreadsheets expect semicolons and decimal commas, English ones commas and points. */
export function csvStyle(language: string): CsvStyle {
  return language === 'de' ? { separator: ';', decimal: ',' } : { separator: ',', decimal: '.' }
}

/** `plain`: a formatted number, which needs no protection against formulas. */
export type CsvCell = string | number | null | undefined | { plain: string }

/** Signs with which a spreadsheet begins a formula, also in full width, and those it skips before them. */
const formula = /^[=+\-@\t\r\n＝＋－＠]/

/** A cell in RFC 4180 format; texts that a spreadsheet would run as a formula get a leading apostrophe. */
export function csvCell(value: CsvCell, style: CsvStyle): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'number') return quoted(String(value).replace('.', style.decimal), style)
  if (typeof value === 'object') return quoted(value.plain, style)
  return quoted(formula.test(value) ? `'${value}` : value, style)
}

function quoted(text: string, style: CsvStyle): string {
  return /["\n\r]/.test(text) || text.includes(style.separator) ? `"${text.replaceAll('"', '""')}"` : text
}

/** Lines joined with CRLF, with a byte order mark so that spreadsheets read it as UTF-8. */
export function toCsv(
  header: readonly string[],
  rows: readonly (readonly CsvCell[])[],
  style: CsvStyle = csvStyle(currentLanguage()),
): string {
  return `\uFEFF${[header, ...rows].map((row) => row.map((cell) => csvCell(cell, style)).join(style.separator)).join('\r\n')}\r\n`
}

/** Downloads a text as a file. */
export function download(name: string, content: BlobPart, type = 'text/csv;charset=utf-8'): void {
  const url = URL.createObjectURL(new Blob([content], { type }))
  downloadUrl(name, url)
  // The browser has read the content once the click has been handled.
  setTimeout(() => URL.revokeObjectURL(url), 0)
}

/** Downloads the content of a `blob:` or `data:` URL as a file. */
export function downloadUrl(name: string, url: string): void {
  const anchor = document.createElement('a')
  anchor.href = url
  anchor.download = name
  anchor.click()
}

/**
 * Reads a list page by page, up to `rowsMax` rows.
 * @returns the rows, and whether there are more
 */
export async function exportRows<Row>(options: {
  load: (offset: number, limit: number) => Promise<Page<Row>>
  rowsMax?: number
  pageSize?: number
}): Promise<{ rows: Row[]; cut: boolean }> {
  const { load, rowsMax = csvRowsMax, pageSize = csvPageSize } = options
  const rows: Row[] = []
  let total = Number.POSITIVE_INFINITY
  while (rows.length < Math.min(total, rowsMax)) {
    const page = await load(rows.length, pageSize)
    // The server stops counting at a limit; there may be rows beyond it.
    total = page.more ? Number.POSITIVE_INFINITY : page.total
    if (page.items.length === 0) break
    rows.push(...page.items)
  }
  return { rows: rows.slice(0, rowsMax), cut: rows.length >= rowsMax && total > rowsMax }
}
