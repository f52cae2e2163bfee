import { Checkbox } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { useNavigate } from '@tanstack/react-router'
import { DataTable, type DataTableColumn, type DataTableSortStatus } from 'mantine-datatable'
import { memo } from 'react'
import { useTranslation } from 'react-i18next'
import { formatNumber } from '../../lib/format.ts'
import { EmptyState } from '../feedback/EmptyState.tsx'
import { ActionMenu } from '../page/ActionMenu.tsx'
import { toLocation } from '../page/location.ts'
import { RouterLink } from '../page/RouterLink.tsx'
import classes from './list.module.css'
import { pageSizes } from './params.ts'
import { cardCell } from './SimpleTable.tsx'
import type { useListState } from './state.ts'
import type { ListColumn, Page, RowAction, RowGroups } from './types.ts'
import { useRowGroups } from './useRowGroups.tsx'
import './datatable.css'

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

const phone = '(max-width: 599.98px)'

/** From this many columns on, the first one is kept narrow unless it has a width. */
const manyColumns = 7

/** A list whose columns and functions stay the same does not render its rows again for each answer its filters get. */
export const Rows = memo(RowsTable) as typeof RowsTable

function RowsTable<Row>(props: RowsProps<Row>) {
  const { list, page, rowHref, rowMenu, isDimmed } = props
  const { t } = useTranslation()
  const navigate = useNavigate()
  const areCards = useMediaQuery(phone, undefined, { getInitialValueInEffect: false })
  const sort =
    list.state.sort ??
    (props.defaultSort
      ? { key: props.defaultSort.replace(/^-/, ''), descending: props.defaultSort.startsWith('-') }
      : undefined)
  const firstCell = `${classes.firstCell} ${props.shown.length >= manyColumns && props.shown[0]?.width === undefined ? classes.manyColumns : ''}`
  const title =
    props.shown.find(({ card }) => card === 'title') ??
    props.shown.find(({ hideBelow }) => hideBelow === undefined) ??
    props.shown[0]
  const columns: DataTableColumn<Row>[] = props.shown.map((column, index) => ({
    accessor: column.key,
    title: column.title,
    sortable: column.sortable ?? false,
    textAlign: column.align ?? 'left',
    cellsClassName: index === 0 ? firstCell : (classes.cell ?? ''),
    customCellAttributes: (row) => ({
      ...cellHint(column, row),
      ...cardCell(column === title ? 'title' : 'fact', column.title),
    }),
    ...(column.width === undefined || areCards ? {} : { width: column.width }),
    ...(column.hideBelow
      ? {
          visibleMediaQuery: (theme) =>
            `${column.card ? `${phone}, ` : ''}(min-width: ${theme.breakpoints[column.hideBelow ?? 'sm']})`,
        }
      : {}),
    render: (row) =>
      index === 0 && rowHref ? (
        <RouterLink to={rowHref(row)} className={classes.rowLink} underline="never">
          {column.render(row)}
        </RouterLink>
      ) : (
        column.render(row)
      ),
  }))
  if (rowMenu) {
    columns.push({
      accessor: '__menu',
      title: <span className={classes.hidden}>{t('list.rowMenu')}</span>,
      width: 48,
      textAlign: 'right',
      titleClassName: classes.menuCell ?? '',
      cellsClassName: classes.menuCell ?? '',
      customCellAttributes: () => ({ 'data-pinned': 'right', ...cardCell('menu', t('list.rowMenu')) }),
      render: (row) => <ActionMenu actions={rowMenu(row)} label={t('list.rowMenu')} />,
    })
  }
  const grouping = useRowGroups(page.items, props.groups)
  const from = page.total === 0 ? 0 : page.offset + 1
  const table = (
    <DataTable<Row>
      records={page.items}
      columns={columns}
      idAccessor={(row) => props.rowKey(row)}
      fetching={props.fetching}
      loaderBackgroundBlur={0}
      customLoader={<span />}
      highlightOnHover
      highlightOnHoverColor="var(--row-hover)"
      borderColor="var(--line)"
      rowBorderColor="var(--line)"
      verticalAlign="center"
      horizontalSpacing="sm"
      // Not the table's own `pinLastColumn`, which measures all columns and then renders every row again.
      className={rowMenu ? (classes.withMenu ?? '') : ''}
      verticalSpacing={9}
      minHeight={page.items.length === 0 ? 260 : 0}
      // The table keeps this mounted and only fades it out, so render nothing if there are rows.
      emptyState={
        page.items.length > 0 ? (
          <span />
        ) : (
          <EmptyState
            kind="filtered"
            title={t('list.nothingMatches')}
            text={t('list.nothingMatchesHint')}
            compact
          />
        )
      }
      totalRecords={page.total}
      recordsPerPage={list.state.size}
      page={list.state.page}
      onPageChange={list.setPage}
      recordsPerPageOptions={pageSizes}
      onRecordsPerPageChange={list.setSize}
      recordsPerPageLabel={t('list.perPage')}
      paginationText={() =>
        t(page.more ? 'list.rangeMore' : 'list.range', {
          from: formatNumber(from, 0),
          to: formatNumber(page.offset + page.items.length, 0),
          total: formatNumber(page.total, 0),
        })
      }
      getPaginationControlProps={(control) => ({ 'aria-label': t(`list.paging.${control}`) })}
      {...(sort
        ? {
            sortStatus: {
              columnAccessor: sort.key,
              direction: sort.descending ? ('desc' as const) : ('asc' as const),
            },
          }
        : { sortStatus: { columnAccessor: '', direction: 'asc' as const } })}
      onSortStatusChange={(status: DataTableSortStatus<Row>) =>
        list.setSort(String(status.columnAccessor), status.direction === 'desc')
      }
      {...(props.selectable
        ? {
            selectedRecords: props.selected,
            onSelectedRecordsChange: props.onSelect,
            isRecordSelectable: grouping.isShown,
            allRecordsSelectionCheckboxProps: { 'aria-label': t('list.selectAll') },
            getRecordSelectionCheckboxProps: () => ({ 'aria-label': t('list.selectRow') }),
          }
        : {})}
      {...(rowHref
        ? {
            onRowClick: ({ record, event }: { record: Row; event: React.MouseEvent }) => {
              // Links, buttons and selected text inside a row keep their own behaviour.
              if (
                (event.target as HTMLElement).closest('a,button,input,label') ||
                window.getSelection()?.toString()
              )
                return
              void navigate(toLocation(rowHref(record)))
            },
          }
        : {})}
      {...(grouping.rowFactory ? { rowFactory: grouping.rowFactory } : {})}
      rowClassName={(row) => (isDimmed?.(row) ? (classes.dimmedRow ?? '') : '')}
    />
  )
  if (!areCards || !props.selectable || page.items.length === 0) return table
  return (
    <>
      <SelectPage {...props} />
      {table}
    </>
  )
}

/** Selects all cards of a page; the table's own checkbox would stand alone, without a label. */
function SelectPage<Row>({ page, rowKey, selected, onSelect }: RowsProps<Row>) {
  const { t } = useTranslation()
  const keys = new Set(page.items.map(rowKey))
  const others = selected.filter((row) => !keys.has(rowKey(row)))
  const here = selected.length - others.length
  const areAll = here === page.items.length
  return (
    <Checkbox
      className={classes.selectPage ?? ''}
      label={t('list.selectPage')}
      checked={areAll}
      indeterminate={here > 0 && !areAll}
      onChange={() => onSelect(areAll ? others : [...others, ...page.items])}
    />
  )
}

/** A truncated cell shows its whole text on hover. */
function cellHint<Row>(column: ListColumn<Row>, row: Row): Record<string, unknown> {
  const text = column.csv?.(row)
  return typeof text === 'string' && text.length > 20 ? { title: text } : {}
}
