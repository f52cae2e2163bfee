import type { TerminalBlock } from '@leitstand/contract/terminal'
import { formatNumber, formatTime } from '../../lib/format.ts'

type Cell = Extract<TerminalBlock, { kind: 'table' }>['rows'][number][number]

const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

/** A cell as people read it: times in their zone. */
export function cellText(cell: Cell): string {
  if (cell === null) return '–'
  if (typeof cell === 'number') return formatNumber(cell, 2)
  if (typeof cell === 'boolean') return cell ? '✓' : '✗'
  return isoTime.test(cell) ? formatTime(cell) : cell
}

/** A table as text with aligned columns. */
export function tableText(columns: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const lines = [columns, ...rows.map((row) => row.map(cellText))]
  const widths = columns.map((_, at) => Math.max(...lines.map((line) => (line[at] ?? '').length)))
  return lines
    .map((line) =>
      line
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** Items with their place as the key: what was put out never moves. */
export function keyed<T>(items: readonly T[]): { key: string; item: T }[] {
  return items.map((item, at) => ({ key: String(at), item }))
}
