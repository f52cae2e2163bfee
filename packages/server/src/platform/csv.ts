/** German spreadsheets open files with semicolons by a double click, English ones files with commas. */
export function separatorOf(language: 'de' | 'en'): ';' | ',' {
  return language === 'de' ? ';' : ','
}

/** Says to spreadsheets that the file is UTF-8; stands before the first line. */
export const byteOrderMark = '\uFEFF'

/** A line as RFC 4180 wants it. Texts that a spreadsheet would run as a formula get a leading apostrophe. */
export function csvLine(cells: readonly (string | number | null)[], separator: ';' | ','): string {
  return `${cells.map((cell) => csvCell(cell, separator)).join(separator)}\r\n`
}

function csvCell(value: string | number | null, separator: string): string {
  if (value === null) return ''
  if (typeof value === 'number') return String(value)
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value
  return /["\n\r]/.test(safe) || safe.includes(separator) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** Texts as a stream that is read on as fast as it is taken, and ends when nobody takes it any more. */
export function streamOf(texts: AsyncGenerator<string>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await texts.next()
      if (done) controller.close()
      else controller.enqueue(encoder.encode(value))
    },
    async cancel() {
      await texts.return(undefined)
    },
  })
}
