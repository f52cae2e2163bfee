type Key = number | string

/** The selection with some rows added or taken away; each row is in it once, rows of other pages stay. */
export function withRows<Row>(
  selected: readonly Row[],
  some: readonly Row[],
  { on, keyOf }: { on: boolean; keyOf: (row: Row) => Key },
): Row[] {
  const keys = new Set(some.map(keyOf))
  const others = selected.filter((row) => !keys.has(keyOf(row)))
  return on ? [...others, ...some] : others
}

/** The rows from one to another, in whichever order they were chosen. */
export function between<Row>(rows: readonly Row[], one: number, other: number): Row[] {
  return rows.slice(Math.min(one, other), Math.max(one, other) + 1)
}
