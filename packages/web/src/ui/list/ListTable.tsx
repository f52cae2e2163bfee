import { ActionIcon, Menu, Skeleton, Text, Tooltip } from '@mantine/core'
import { IconColumns3, IconLayoutGrid, IconTable } from '@tabler/icons-react'
import { keepPreviousData, type QueryKey, useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { csvRowsAllowed } from '../../lib/session.ts'
import { one, useUrlSearch } from '../../lib/url.ts'
import { Icon } from '../display/Icon.tsx'
import { ErrorState } from '../feedback/ErrorState.tsx'
import { Loading } from '../feedback/Loading.tsx'
import { notifyWarning } from '../feedback/notify.ts'
import { BulkBar } from './BulkBar.tsx'
import { CardRows } from './CardRows.tsx'
import { useColumnChoice } from './columns.ts'
import { csvRowsMax } from './csv.ts'
import { FileMenu } from './FileMenu.tsx'
import { FilterBar } from './FilterBar.tsx'
import { exportList, type FileFormat, saveWritten, type WrittenFile } from './files.ts'
import classes from './list.module.css'
import { isFiltered, listParams } from './params.ts'
import { Rows } from './Rows.tsx'
import { useListState } from './state.ts'
import type {
  BulkAction,
  ListColumn,
  ListFilter,
  ListParams,
  Page,
  PageQuery,
  RowAction,
  RowGroups,
} from './types.ts'

export interface ListTableProps<Row> {
  /** Name of the list: key of its stored columns, and name of its CSV. */
  name: string
  columns: readonly ListColumn<Row>[]
  /** Query options of one page. */
  query: (params: ListParams) => object
  rowKey: (row: Row) => number | string
  /** Target of a row; the first column becomes the link. */
  rowHref?: (row: Row) => string
  rowMenu?: (row: Row) => RowAction[]
  bulkActions?: readonly BulkAction<Row>[]
  /** Next to the actions: actions on all matching rows, however many pages they fill. */
  bulkAll?: (params: ListParams, total: number) => ReactNode
  filters?: readonly ListFilter[]
  /** After the filters: parts specific to a list, e.g. saved filters. */
  besideFilters?: (params: ListParams) => ReactNode
  searchPlaceholder?: string
  withSearch?: boolean
  withAccounts?: boolean
  withFavorites?: boolean
  /** Sort order if none is selected, in the format of the contract's `orderBy`. */
  defaultSort?: string
  /** rows per page for users without a preference; default 20 */
  rowsPerPage?: number
  /** Shown if there are no rows at all (not if a filter matches nothing). */
  empty: ReactNode
  /** Next to the tools, for a list within a page that has neither search nor filters. */
  heading?: ReactNode
  /** Gets the count of all matching rows, undefined while loading. */
  header?: (total: number | undefined) => ReactNode
  /** Replaces the menu of files. */
  download?: (params: ListParams) => ReactNode
  /** The file of a list that the server writes, for lists that can be long; `name` is without extension. */
  written?: (params: ListParams, format: FileFormat) => Promise<WrittenFile & { name: string }>
  /** Renders a row as a card; with it and `rowHref`, users can switch between table and cards. */
  card?: (row: Row) => ReactNode
  /** Rows shown as disabled. */
  isDimmed?: (row: Row) => boolean
  /** Shows the rows in groups. */
  groups?: RowGroups<Row> | undefined
}

/** The table of a list with its filter bar; `ListPage` adds a page's header. */
export function ListTable<Row>(props: ListTableProps<Row>) {
  const { filters = [], bulkActions = [], columns } = props
  const { t } = useTranslation()
  const list = useListState(filters, props.rowsPerPage)
  const params = listParams(list.state, props.defaultSort)
  const page = useQuery({ ...asPageQuery<Row>(props.query(params)), placeholderData: keepPreviousData })
  const [selected, setSelected] = useState<Row[]>([])
  const choice = useColumnChoice(props.name, columns)
  const filtered = isFiltered(list.state)
  const total = page.data?.total
  const [search] = useUrlSearch()
  const { card, rowHref, rowMenu } = props
  const cards = card && rowHref && one(search, cardsParam) === 'cards' ? { card, rowHref } : undefined
  usePageInRange(list.state.page, list.state.size, total, list.setPage)

  if (page.isError && !page.data) {
    return (
      <>
        {props.header?.(undefined)}
        {props.heading}
        <ErrorState error={page.error} onRetry={() => void page.refetch()} />
      </>
    )
  }
  if (page.data && total === 0 && !filtered) {
    return (
      <>
        {props.header?.(undefined)}
        {props.heading ? <div className={classes.listHeading}>{props.heading}</div> : null}
        <div className={classes.box}>{props.empty}</div>
      </>
    )
  }
  return (
    <>
      {props.header?.(total)}
      <div className={classes.tools}>
        {props.withSearch === false && filters.length === 0 ? (
          <div className={classes.listHeading}>{props.heading}</div>
        ) : (
          <FilterBar
            list={list}
            filters={filters}
            searchPlaceholder={props.searchPlaceholder ?? t('list.search')}
            withSearch={props.withSearch ?? true}
            withAccounts={props.withAccounts ?? false}
            withFavorites={props.withFavorites ?? false}
          >
            {props.besideFilters?.(params)}
          </FilterBar>
        )}
        {card ? <CardsSwitch /> : null}
        <ListTools {...props} params={params} choice={choice} disabled={!total} />
      </div>
      {cards && page.data ? (
        <CardRows
          {...cards}
          {...(rowMenu ? { rowMenu } : {})}
          page={page.data}
          list={list}
          rowKey={props.rowKey}
        />
      ) : (
        <div className={classes.box}>
          {page.data ? (
            <Rows
              shown={choice.shown}
              rowKey={props.rowKey}
              rowHref={rowHref}
              rowMenu={rowMenu}
              isDimmed={props.isDimmed}
              groups={props.groups}
              defaultSort={props.defaultSort}
              selectable={bulkActions.length > 0}
              list={list}
              page={page.data}
              fetching={page.isPlaceholderData}
              selected={selected}
              onSelect={setSelected}
            />
          ) : (
            <Loading>
              <TableSkeleton />
            </Loading>
          )}
        </div>
      )}
      {bulkActions.length > 0 ? (
        <BulkBar rows={selected} actions={bulkActions} clear={() => setSelected([])} restore={setSelected}>
          {total !== undefined && total > selected.length ? props.bulkAll?.(params, total) : null}
        </BulkBar>
      ) : null}
    </>
  )
}

/**
 * oRPC's options have branded keys that differ per operation; all that matters is that they return a page of
 * rows.
 */
function asPageQuery<Row>(options: object): PageQuery<Row> {
  return options as PageQuery<Row>
}

/** A page beyond the end (rows were deleted, an old link) redirects to the last one. */
function usePageInRange(
  page: number,
  size: number,
  total: number | undefined,
  setPage: (page: number) => void,
): void {
  useEffect(() => {
    if (total === undefined || total === 0 || page === 1) return
    const last = Math.max(1, Math.ceil(total / size))
    if (page > last) setPage(last)
  }, [page, size, total, setPage])
}

interface ListToolsProps<Row> extends ListTableProps<Row> {
  params: ListParams
  choice: ReturnType<typeof useColumnChoice<Row>>
  disabled: boolean
}

/** Address parameter of the view. */
const cardsParam = 'show'

/** Switches between table and cards. */
function CardsSwitch() {
  const { t } = useTranslation()
  const [search, update] = useUrlSearch()
  const asCards = one(search, cardsParam) === 'cards'
  const label = t(asCards ? 'list.asTable' : 'list.asCards')
  return (
    <Tooltip label={label}>
      <ActionIcon
        variant="default"
        size={34}
        aria-label={label}
        onClick={() => update({ [cardsParam]: asCards ? undefined : 'cards' })}
      >
        <Icon of={asCards ? IconTable : IconLayoutGrid} />
      </ActionIcon>
    </Tooltip>
  )
}

/** Column choice and download; not on phones, which have room for few columns and no use for a file. */
function ListTools<Row>({ name, query, params, choice, disabled, written, download }: ListToolsProps<Row>) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const save = async (format: FileFormat) => {
    if (written) {
      const file = await written(params, format)
      return saveWritten(file.name, format, file)
    }
    const rowsMax = csvRowsAllowed(csvRowsMax)
    const { cut } = await exportList<Row>({
      format,
      rowsMax,
      name,
      columns: choice.shown,
      params,
      load: (wanted) => {
        const { queryFn, queryKey } = asPageQuery<Row>(query(wanted))
        return cache.fetchQuery<Page<Row>, Error, Page<Row>, QueryKey>({
          queryKey,
          // Read once, and not kept.
          gcTime: 0,
          ...(queryFn ? { queryFn } : {}),
        })
      },
    })
    if (cut)
      notifyWarning(t(rowsMax < csvRowsMax ? 'list.fileCutByAccount' : 'list.fileCut', { count: rowsMax }))
  }
  return (
    <div className={classes.toolButtons}>
      <Menu closeOnItemClick={false} position="bottom-end">
        <Menu.Target>
          <Tooltip label={t('list.columns')}>
            <ActionIcon variant="default" size={34} aria-label={t('list.columns')}>
              <Icon of={IconColumns3} />
            </ActionIcon>
          </Tooltip>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Label>{t('list.columns')}</Menu.Label>
          {choice.all.map((column, index) => (
            <Menu.CheckboxItem
              key={column.key}
              checked={choice.shown.includes(column)}
              disabled={index === 0}
              onChange={() => choice.toggle(column.key)}
            >
              {column.title}
            </Menu.CheckboxItem>
          ))}
          <Menu.Divider />
          <Menu.Item onClick={choice.reset}>
            <Text size="sm">{t('list.columnsReset')}</Text>
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {download ? download(params) : <FileMenu disabled={disabled} save={save} />}
    </div>
  )
}

const skeletonRows = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']

function TableSkeleton() {
  return (
    <div className={classes.skeleton}>
      {skeletonRows.map((row, index) => (
        <div key={row} className={classes.skeletonRow}>
          <Skeleton height={12} width={`${34 - (index % 3) * 6}%`} />
          <Skeleton height={12} width="18%" />
          <Skeleton height={12} width="14%" />
          <Skeleton height={12} width="10%" />
        </div>
      ))}
    </div>
  )
}
