import { type TerminalBlock, type TerminalMessage, terminalLimits } from '@leitstand/contract/terminal'

type Cell = string | number | boolean | Date | null

/**
 * A table with the given columns in their order, bounded in rows and characters.
 * @param rows objects with these columns, one more than are shown to tell that there are more
 */
export function table<Column extends string>(
  columns: readonly Column[],
  rows: readonly Readonly<Record<Column, Cell>>[],
): TerminalBlock {
  const { rowsMax } = terminalLimits
  return {
    kind: 'table',
    columns: [...columns],
    rows: rows.slice(0, rowsMax).map((row) => columns.map((column) => cell(row[column]))),
    isCut: rows.length > rowsMax,
  }
}

/** Names with their values, one below the other. */
export function facts(values: Readonly<Record<string, Cell>>): TerminalBlock {
  return table(
    ['name', 'value'],
    Object.entries(values).map(([name, value]) => ({ name, value })),
  )
}

export function message(which: TerminalMessage, values: Record<string, string | number> = {}): TerminalBlock {
  return { kind: 'message', message: which, values }
}

function cell(value: Cell): string | number | boolean | null {
  if (value instanceof Date) return value.toISOString()
  if (typeof value !== 'string') return value
  const { cellMax } = terminalLimits
  const line = value.replace(/[\s\p{Cc}\p{Bidi_Control}]+/gu, ' ')
  return line.length > cellMax ? `${line.slice(0, cellMax - 1)}…` : line
}
