import type { QueryKey, UseQueryOptions } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { IconType } from '../display/Icon.tsx'

/** One page, as every list operation returns it. */
export interface Page<Row> {
  items: Row[]
  total: number
  offset: number
  limit: number
  /** There are more than `total`: the server stops counting at a limit. */
  more?: boolean
}

/** Request parameters of the list; the feature maps them to its operation's input. */
export interface ListParams {
  offset: number
  limit: number
  /** trimmed; undefined if empty */
  search: string | undefined
  accountIds: number[] | undefined
  /**
   * column key, descending with a leading minus, in the format of the contract's `orderBy`; undefined: the
   * server's default order
   */
  orderBy: string | undefined
  favorites: boolean
  /** Selected values of the filters, by filter key; absent if nothing is selected. */
  filters: Readonly<Record<string, readonly string[] | undefined>>
}

/** A column. `key` is also its sort key when `sortable`. */
export interface ListColumn<Row> {
  key: string
  title: string
  render: (row: Row) => ReactNode
  sortable?: boolean
  /** Cell value in the CSV; a column without it is left out there. */
  csv?: (row: Row) => string | number | null | undefined
  width?: number | string
  align?: 'left' | 'right' | 'center'
  /** Hidden below this breakpoint: xs 600, sm 960, md 1264. */
  hideBelow?: 'xs' | 'sm' | 'md'
  /**
   * For cards on phones. `title`: the card's title instead of the first column. `fact`: shown although the column is
   * hidden on narrow screens.
   */
  card?: 'title' | 'fact'
  /** Not shown unless chosen in the column menu. */
  optional?: boolean
}

/** A filter of the bar: fixed options, options searched on the server, or free text. */
export interface ListFilter {
  key: string
  label: string
  multiple?: boolean
  /** Not in the bar: a part of the list's own (`besideFilters`) shows and sets it. */
  hidden?: boolean
  /** Free text instead of options: one value, applied on Enter or blur. */
  text?: { placeholder?: string; description?: string }
  options?: readonly { value: string; label: string }[]
  /** Finds options by text and labels selected ones; see `EntityPicker`. */
  load?: (search: string) => Promise<readonly { value: string; label: string }[]>
  /** Label of a selected value that came from the address and is not among the loaded options. */
  labelOf?: (value: string) => Promise<string>
}

/** An entry of the menu at the end of a row. */
export interface RowAction {
  label: string
  icon: IconType
  onClick: () => void
  danger?: boolean
  hidden?: boolean
}

/** An action on the selected rows. */
export interface BulkAction<Row> {
  label: string
  icon: IconType
  onClick: (rows: Row[], clear: () => void) => void
  danger?: boolean
}

/** Query options of one page, as returned by oRPC's `queryOptions`. */
export type PageQuery<Row> = UseQueryOptions<Page<Row>, Error, Page<Row>, QueryKey>

/** Rows below a heading for each group. The rows of a group must follow one another in the list's order. */
export interface RowGroups<Row> {
  keyOf: (row: Row) => number | string
  /** content of the heading, from the first row of the group on the page */
  heading: (row: Row) => ReactNode
  /** plain text of the heading, for the button that collapses the group */
  nameOf: (row: Row) => string
}
