import { useRef } from 'react'
import { between, withRows } from './selection.ts'

interface Selection<Row> {
  rows: readonly Row[]
  rowKey: (row: Row) => number | string
  isSelectable: (row: Row) => boolean
  selected: readonly Row[]
  onSelect: (rows: Row[]) => void
}

/** Which rows of a page are selected. Rows selected on other pages stay selected. */
export function useRowSelection<Row>({ rows, rowKey, isSelectable, selected, onSelect }: Selection<Row>) {
  const last = useRef<number | null>(null)
  const keys = new Set(selected.map(rowKey))
  const has = (row: Row) => keys.has(rowKey(row))
  const selectable = rows.filter(isSelectable)
  const here = selectable.filter(has).length
  const areAll = selectable.length > 0 && here === selectable.length
  const set = (some: readonly Row[], on: boolean) => onSelect(withRows(selected, some, { on, keyOf: rowKey }))
  return {
    has,
    areAll,
    areSome: here > 0 && !areAll,
    togglePage: () => set(selectable, !areAll),
    /** With Shift, all rows from the one that was toggled before. */
    toggle: (index: number, withShift: boolean) => {
      const row = rows[index]
      if (row === undefined) return
      const from = withShift && last.current !== null ? last.current : index
      set(between(rows, from, index).filter(isSelectable), !has(row))
      last.current = index
    },
  }
}
