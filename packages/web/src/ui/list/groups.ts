/** What a grouped list shows of each row of a page. */
export interface GroupedRow {
  /** the group begins with this row on this page */
  isFirst: boolean
  /** rows of the group on this page */
  count: number
}

/** Places of the rows of a page in their groups: consecutive rows with the same key. */
export function groupedRows(keys: readonly (number | string)[]): GroupedRow[] {
  const places: GroupedRow[] = []
  for (let from = 0; from < keys.length; ) {
    let to = from + 1
    while (to < keys.length && keys[to] === keys[from]) to += 1
    for (let row = from; row < to; row += 1) places.push({ isFirst: row === from, count: to - from })
    from = to
  }
  return places
}
