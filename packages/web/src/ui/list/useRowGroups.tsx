import { type ReactNode, useState } from 'react'
import { GroupHeading } from './GroupHeading.tsx'
import { groupedRows } from './groups.ts'
import type { RowGroups } from './types.ts'

interface Grouping<Row> {
  isShown: (row: Row) => boolean
  /** of the group that begins with the row */
  headingOf: (row: Row, index: number) => ReactNode
}

/** Headings for the groups of a page. Collapsed groups stay collapsed on other pages; their rows cannot be selected. */
export function useRowGroups<Row>(rows: readonly Row[], groups: RowGroups<Row> | undefined): Grouping<Row> {
  const [collapsed, setCollapsed] = useState<ReadonlySet<number | string>>(new Set())
  if (!groups) return { isShown: () => true, headingOf: () => null }
  const { keyOf } = groups
  const places = groupedRows(rows.map(keyOf))
  const isShown = (row: Row) => !collapsed.has(keyOf(row))
  const toggle = (key: number | string) =>
    setCollapsed((before) => {
      const after = new Set(before)
      if (!after.delete(key)) after.add(key)
      return after
    })
  return {
    isShown,
    headingOf: (row, index) =>
      places[index]?.isFirst ? (
        <GroupHeading
          groups={groups}
          row={row}
          count={places[index].count}
          collapsed={!isShown(row)}
          onToggle={() => toggle(keyOf(row))}
        />
      ) : null,
  }
}
