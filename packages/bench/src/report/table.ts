/** A figure in a result; null if not available. */
export type Figure = number | string | null

/**
 * Lines of a table for people: the first column to the left, all others to the right.
 * @param rows cells as text, the first row is the head
 */
export function table(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = []
  for (const row of rows)
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, cell.length)
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) => {
        const width = widths[column] ?? 0
        return column === 0 ? cell.padEnd(width) : cell.padStart(width)
      })
      .join('  ')
      .trimEnd()
  const [head, ...body] = rows
  if (head === undefined) return []
  return [line(head), widths.map((width) => '-'.repeat(width)).join('  '), ...body.map(line)]
}

/** A figure as a cell: thousands separated, three significant digits, a dash if not available. */
export function cell(figure: Figure): string {
  if (figure === null) return '–'
  if (typeof figure === 'string') return figure
  const digits = Math.abs(figure) >= 100 || Number.isInteger(figure) ? 0 : Math.abs(figure) >= 10 ? 1 : 2
  return figure
    .toFixed(digits)
    .replace(
      /^(-?)(\d+)/,
      (_all, sign: string, whole: string) => sign + whole.replace(/\B(?=(\d{3})+$)/g, ' '),
    )
}

/** A figure for JSON: rounded to three places. */
export function rounded(figure: number | null): number | null {
  return figure === null ? null : Math.round(figure * 1000) / 1000
}
