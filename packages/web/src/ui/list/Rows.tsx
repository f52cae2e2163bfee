import { Checkbox } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { useNavigate } from '@tanstack/react-router'
import { type MouseEvent, memo, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { EmptyState } from '../feedback/EmptyState.tsx'
import { ActionMenu } from '../page/ActionMenu.tsx'
import { toLocation } from '../page/location.ts'
import { RouterLink } from '../page/RouterLink.tsx'
import { HeadCell } from './HeadCell.tsx'
import classes from './list.module.css'
import { PageBar } from './PageBar.tsx'
import { RowCheckbox } from './RowCheckbox.tsx'
import { cardCell } from './SimpleTable.tsx'
import type { useListState } from './state.ts'
import { tableRoles } from './tableRoles.ts'
import type { ListColumn, Page, RowAction, RowGroups } from './types.ts'
import { useCutOff } from './useCutOff.ts'
import { phone, useRoom } from './useRoom.ts'
import { useRowGroups } from './useRowGroups.tsx'
import { useRowSelection } from './useRowSelection.ts'
import './cards.css'

interface RowsProps<Row> {
  rowKey: (row: Row) => number | string
  rowHref: ((row: Row) => string) | undefined
  rowMenu: ((row: Row) => RowAction[]) | undefined
  isDimmed: ((row: Row) => boolean) | undefined
  defaultSort: string | undefined
  selectable: boolean
  shown: readonly ListColumn<Row>[]
  list: ReturnType<typeof useListState>
  page: Page<Row>
  fetching: boolean
  selected: Row[]
  onSelect: (rows: Row[]) => void
  groups: RowGroups<Row> | undefined
}

/** From this many columns on, the first one is kept narrow unless it has a width. */
const manyColumns = 7

/** A list whose columns and functions stay the same does not render its rows again for each answer its filters get. */
export const Rows = memo(RowsTable) as typeof RowsTable

function RowsTable<Row>(props: RowsProps<Row>) {
  const { list, page, rowMenu, shown } = props
  const { t } = useTranslation()
  const areCards = useMediaQuery(phone, undefined, { getInitialValueInEffect: false })
  const hasRoom = useRoom()
  const scroll = useCutOff()
  const grouping = useRowGroups(page.items, props.groups)
  const selection = useRowSelection({ ...props, rows: page.items, isSelectable: grouping.isShown })
  const sort = list.state.sort ?? sortOf(props.defaultSort)
  const columns = shown.filter(({ hideBelow, card }) =>
    areCards ? hideBelow === undefined || card !== undefined : hideBelow === undefined || hasRoom[hideBelow],
  )
  return (
    <>
      {areCards && props.selectable && page.items.length > 0 ? (
        <Checkbox
          className={classes.selectPage ?? ''}
          label={t('list.selectPage')}
          checked={selection.areAll}
          indeterminate={selection.areSome}
          onChange={selection.togglePage}
        />
      ) : null}
      <div ref={scroll} className={classes.scroll}>
        <table {...tableRoles.table} className={`list-table ${classes.table}`} aria-busy={props.fetching}>
          <thead {...tableRoles.group}>
            <tr {...tableRoles.row}>
              {props.selectable ? (
                <th {...tableRoles.heading} className={classes.pick}>
                  <RowCheckbox
                    label={t('list.selectAll')}
                    checked={selection.areAll}
                    indeterminate={selection.areSome}
                    onChange={selection.togglePage}
                  />
                </th>
              ) : null}
              {columns.map((column) => (
                <HeadCell
                  key={column.key}
                  column={column}
                  width={areCards ? undefined : column.width}
                  sort={sort}
                  onSort={list.setSort}
                />
              ))}
              {rowMenu ? (
                <th {...tableRoles.heading} className={classes.menu}>
                  <span className={classes.hidden}>{t('list.rowMenu')}</span>
                </th>
              ) : null}
            </tr>
          </thead>
          <tbody {...tableRoles.group}>
            {page.items.map((row, index) => (
              <RowOf
                key={props.rowKey(row)}
                {...props}
                row={row}
                columns={columns}
                heading={grouping.headingOf(row, index)}
                hidden={!grouping.isShown(row)}
                picked={selection.has(row)}
                onPick={(event) => selection.toggle(index, event.shiftKey)}
              />
            ))}
          </tbody>
        </table>
      </div>
      {page.items.length === 0 ? (
        <div className={classes.nothing}>
          <EmptyState
            kind="filtered"
            title={t('list.nothingMatches')}
            text={t('list.nothingMatchesHint')}
            compact
          />
        </div>
      ) : null}
      <PageBar page={page} list={list} />
    </>
  )
}

interface RowOfProps<Row> extends RowsProps<Row> {
  row: Row
  columns: readonly ListColumn<Row>[]
  /** of its group, before its first row */
  heading: ReactNode
  hidden: boolean
  picked: boolean
  onPick: (event: MouseEvent) => void
}

function RowOf<Row>(props: RowOfProps<Row>) {
  const { row, shown, columns, rowHref, rowMenu } = props
  const { t } = useTranslation()
  const navigate = useNavigate()
  const title = titleColumn(shown)
  const first = shown[0]
  const isNarrow = shown.length >= manyColumns && first?.width === undefined
  const open = (event: MouseEvent) => {
    // Links, buttons and selected text inside a row keep their own behaviour.
    if ((event.target as HTMLElement).closest('a,button,input,label') || window.getSelection()?.toString())
      return
    if (rowHref) void navigate(toLocation(rowHref(row)))
  }
  return (
    <>
      {props.heading}
      {props.hidden ? null : (
        <tr
          {...tableRoles.row}
          className={`list-row ${props.isDimmed?.(row) ? classes.dimmedRow : ''}`}
          data-selected={props.picked || undefined}
          data-opens={rowHref !== undefined || undefined}
          {...(rowHref ? { onClick: open } : {})}
        >
          {props.selectable ? (
            <td {...tableRoles.cell} className={classes.pick} {...cardCell('pick', '')}>
              <RowCheckbox label={t('list.selectRow')} checked={props.picked} onChange={props.onPick} />
            </td>
          ) : null}
          {columns.map((column) => (
            <td
              key={column.key}
              {...tableRoles.cell}
              className={
                column === first
                  ? `${classes.firstCell} ${isNarrow ? classes.manyColumns : ''}`
                  : (classes.cell ?? '')
              }
              data-align={column.align}
              {...cellHint(column, row)}
              {...cardCell(column === title ? 'title' : 'fact', column.title)}
            >
              {column === first && rowHref ? (
                <RouterLink plain to={rowHref(row)} className={classes.rowLink ?? ''}>
                  {column.render(row)}
                </RouterLink>
              ) : (
                column.render(row)
              )}
            </td>
          ))}
          {rowMenu ? (
            <td {...tableRoles.cell} className={classes.menu} {...cardCell('menu', '')}>
              <ActionMenu actions={rowMenu(row)} label={t('list.rowMenu')} />
            </td>
          ) : null}
        </tr>
      )}
    </>
  )
}

/** The column that is the title of a card. */
function titleColumn<Row>(shown: readonly ListColumn<Row>[]): ListColumn<Row> | undefined {
  return (
    shown.find(({ card }) => card === 'title') ??
    shown.find(({ hideBelow }) => hideBelow === undefined) ??
    shown[0]
  )
}

/** Reads a sort order in the format of the contract's `orderBy`. */
function sortOf(order: string | undefined): { key: string; descending: boolean } | undefined {
  return order ? { key: order.replace(/^-/, ''), descending: order.startsWith('-') } : undefined
}

/** A truncated cell shows its whole text on hover. */
function cellHint<Row>(column: ListColumn<Row>, row: Row): { title?: string } {
  const text = column.csv?.(row)
  return typeof text === 'string' && text.length > 20 ? { title: text } : {}
}
