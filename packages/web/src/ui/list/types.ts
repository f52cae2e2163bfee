import type { QueryKey, UseQueryOptions } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { IconType } from '../display/Icon.tsx'

/** One page of a list as every list operation answers it. */
export interface Page<Row> {
  items: Row[]
  total: number
  offset: number
  limit: number
  /** There are more than `total`: the server stops counting where nobody reads on. */
  more?: boolean
}

/** What the list asks the server for; the feature maps it to its operation's input. */
export interface ListParams {
  offset: number
  limit: number
  /** trimmed; undefined when empty */
  search: string | undefined
  accountIds: number[] | undefined
  /** column key, descending with a leading minus, as `orderBy` of the contract takes it; undefined: the server's own order */
  orderBy: string | undefined
  favorites: boolean
  /** Chosen values of the filters, by filter key; absent when nothing is chosen. */
  filters: Readonly<Record<string, readonly string[] | undefined>>
}

/** A column. `key` is also its sort key when `sortable`. */
export interface ListColumn<Row> {
  key: string
  title: string
  render: (row: Row) => ReactNode
  sortable?: boolean
  /** Text or number of the cell in the CSV; a column without it is left out there. */
  csv?: (row: Row) => string | number | null | undefined
  width?: number | string
  align?: 'left' | 'right' | 'center'
  /** Hidden below this breakpoint: xs 600, sm 960, md 1264. */
  hideBelow?: 'xs' | 'sm' | 'md'
  /** Not shown unless chosen in the column menu. */
  optional?: boolean
}

/** A filter of the bar: fixed options, options asked from the server by text, or free text. */
export interface ListFilter {
  key: string
  label: string
  multiple?: boolean
  /** Free text instead of options: one value, taken over with Enter or when the field is left. */
  text?: { placeholder?: string; description?: string }
  options?: readonly { value: string; label: string }[]
  /** Finds options by text and names chosen ones; see `EntityPicker`. */
  load?: (search: string) => Promise<readonly { value: string; label: string }[]>
  /** Label of a chosen value that came with the address and is not among the loaded options. */
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

/** Query options of one page, as oRPC's `queryOptions` gives them. */
export type PageQuery<Row> = UseQueryOptions<Page<Row>, Error, Page<Row>, QueryKey>
