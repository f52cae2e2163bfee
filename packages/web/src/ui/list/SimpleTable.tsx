import { Table, VisuallyHidden } from '@mantine/core'
import type { ReactNode } from 'react'
import { ScrollBox } from '../page/ScrollBox.tsx'
import './cards.css'

/**
 * On phones each row is a card. Where a cell goes: `title` at the top, `pick` (a checkbox) before it, `menu` (actions)
 * after it; below, each `fact` with its label; wider buttons in `foot`.
 */
export type CardPlace = 'title' | 'pick' | 'menu' | 'fact' | 'foot'

export interface SimpleColumn<Row> {
  key: string
  title: string
  render: (row: Row, index: number) => ReactNode
  /** default: the first column is the title, the others are facts */
  card?: CardPlace
  align?: 'right'
  /** on a wide screen */
  width?: number | string
  /** breaks long words; other cells do that on phones only */
  wraps?: true
  /** class of its cells */
  className?: string | undefined
}

interface SimpleTableProps<Row> {
  label: string
  columns: readonly SimpleColumn<Row>[]
  rows: readonly Row[]
  rowKey: (row: Row, index: number) => string | number
  /** px between a row and its line */
  spacing?: number
  /** `md` where the table extends to the border of its section */
  inset?: 'sm' | 'md' | 6
  /** px; on a wide screen */
  minWidth?: number
  isDimmed?: (row: Row) => boolean
}

/** A short table without paging. On a phone its rows are cards, so it is never wider than the screen. */
export function SimpleTable<Row>(props: SimpleTableProps<Row>) {
  const { columns, rows, spacing = 8, inset = 'sm' } = props
  return (
    <ScrollBox label={props.label}>
      {/* Some browsers drop the roles of a table shown as a grid unless they are set. */}
      <Table
        role="table"
        className="simple-table"
        verticalSpacing={spacing}
        horizontalSpacing={inset}
        miw={{ base: 0, xs: props.minWidth ?? 0 }}
      >
        <Table.Thead role="rowgroup">
          <Table.Tr role="row">
            {columns.map((column) => (
              <Table.Th key={column.key} role="columnheader" w={column.width} data-align={column.align}>
                {isQuiet(column) ? <VisuallyHidden>{column.title}</VisuallyHidden> : column.title}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody role="rowgroup">
          {rows.map((row, index) => (
            <Table.Tr
              key={props.rowKey(row, index)}
              role="row"
              {...(props.isDimmed?.(row) ? { c: 'dimmed' } : {})}
            >
              {columns.map((column, at) => (
                <Table.Td
                  key={column.key}
                  role="cell"
                  className={column.className ?? ''}
                  data-align={column.align}
                  data-wraps={column.wraps}
                  {...cardCell(column.card ?? (at === 0 ? 'title' : 'fact'), column.title)}
                >
                  {column.render(row, index)}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </ScrollBox>
  )
}

/** Headings of checkboxes and buttons are for screen readers only. */
function isQuiet<Row>({ card }: SimpleColumn<Row>): boolean {
  return card === 'pick' || card === 'menu' || card === 'foot'
}

/** Attributes of a cell of a table that becomes cards. */
export function cardCell(place: CardPlace, label: string): Record<string, string> {
  return place === 'fact' ? { 'data-card': place, 'data-label': label } : { 'data-card': place }
}
