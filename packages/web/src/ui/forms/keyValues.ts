/** A row of key and value being edited. */
export interface Row {
  id: number
  key: string
  value: string
}

/** Whether a row above has the same key. */
export function isDuplicate(rows: readonly Row[], row: Row): boolean {
  const key = row.key.trim()
  return key !== '' && rows.slice(0, rows.indexOf(row)).some((above) => above.key.trim() === key)
}

/**
 * The pairs of the rows, in their order. Rows without a key are left out. Of duplicate keys the first one
 * counts; the others show that they are ignored.
 */
export function toRecord(rows: readonly Row[]): Record<string, string> {
  const pairs = new Map<string, string>()
  for (const { key, value } of rows) {
    const name = key.trim()
    if (name !== '' && !pairs.has(name)) pairs.set(name, value)
  }
  return Object.fromEntries(pairs)
}
