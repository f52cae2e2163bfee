import { IconArrowsVertical, IconArrowUp } from '@tabler/icons-react'
import { Icon } from '../display/Icon.tsx'
import classes from './list.module.css'
import { tableRoles } from './tableRoles.ts'
import type { ListColumn } from './types.ts'

interface HeadCellProps<Row> {
  column: ListColumn<Row>
  width: number | string | undefined
  sort: { key: string; descending: boolean } | undefined
  onSort: (key: string, descending: boolean) => void
}

/** The heading of a column, a button if the list can be sorted by it. */
export function HeadCell<Row>({ column, width, sort, onSort }: HeadCellProps<Row>) {
  const { key, title, align } = column
  const size = width === undefined ? {} : { style: { width, minWidth: width, maxWidth: width } }
  if (!column.sortable)
    return (
      <th {...tableRoles.heading} data-align={align} {...size}>
        <span className={classes.headText} title={title}>
          {title}
        </span>
      </th>
    )
  const descending = sort?.key === key ? sort.descending : undefined
  return (
    <th {...tableRoles.heading} data-align={align} aria-sort={orderNames[String(descending)]} {...size}>
      <button type="button" className={classes.sort} onClick={() => onSort(key, descending === false)}>
        <span className={classes.headText} title={title}>
          {title}
        </span>
        <span className={classes.order} data-order={orderNames[String(descending)]}>
          <Icon of={descending === undefined ? IconArrowsVertical : IconArrowUp} size={16} />
        </span>
      </button>
    </th>
  )
}

const orderNames: Readonly<Record<string, 'ascending' | 'descending' | 'none'>> = {
  false: 'ascending',
  true: 'descending',
  undefined: 'none',
}
