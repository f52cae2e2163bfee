import { Table, type TableTrProps } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { GroupHeading } from './GroupHeading.tsx'
import { groupedRows } from './groups.ts'
import type { RowGroups } from './types.ts'

interface Factory<Row> {
  record: Row
  index: number
  rowProps: TableTrProps
  children: ReactNode
}

/** Headings for the groups of a page. Collapsed groups stay collapsed on other pages; their rows cannot be selected. */
export function useRowGroups<Row>(rows: readonly Row[], groups: RowGroups<Row> | undefined) {
  const [collapsed, setCollapsed] = useState<ReadonlySet<number | string>>(new Set())
  if (!groups) return { isShown: () => true, rowFactory: undefined }
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
    rowFactory: ({ record, index, rowProps, children }: Factory<Row>) => (
      <>
        {places[index]?.isFirst ? (
          <GroupHeading
            groups={groups}
            row={record}
            count={places[index].count}
            collapsed={!isShown(record)}
            onToggle={() => toggle(keyOf(record))}
          />
        ) : null}
        {isShown(record) ? <Table.Tr {...rowProps}>{children}</Table.Tr> : null}
      </>
    ),
  }
}
