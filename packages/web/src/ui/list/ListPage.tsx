import { Group, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { formatNumber } from '../../lib/format.ts'
import { ListTable, type ListTableProps } from './ListTable.tsx'
import classes from './list.module.css'

export interface ListPageProps<Row> extends ListTableProps<Row> {
  title: string
  /** A sentence under the title, for lists whose purpose is not obvious. */
  description?: ReactNode
  /** The primary action, on the right: a button with a verb ("Gerät anlegen"). */
  primaryAction?: ReactNode
  /** Between header and table: statistics, a switch to the map. */
  above?: ReactNode
}

/**
 * A list as a page: title with count, primary action, filter bar, table with paging, sorting, column choice,
 * selection with bulk bar, row link, row menu and CSV. Its state is in the address.
 *
 * `query(params)` returns the TanStack Query options of one page, usually `api.<noun>.list.queryOptions({
 * input: { offset, limit, search, … } })`.
 */
export function ListPage<Row>({ title, description, primaryAction, above, ...table }: ListPageProps<Row>) {
  const { t } = useTranslation()
  return (
    <ListTable
      {...table}
      header={(total) => (
        <>
          <header className={classes.header}>
            <div className={classes.heading}>
              <Group gap={10} align="baseline">
                <Title order={1}>{title}</Title>
                {total === undefined ? null : (
                  <Text span c="dimmed" className="tabular" aria-label={t('list.count', { count: total })}>
                    {formatNumber(total, 0)}
                  </Text>
                )}
              </Group>
              {description ? (
                <Text c="dimmed" size="sm" maw={720}>
                  {description}
                </Text>
              ) : null}
            </div>
            {primaryAction ? <div className={classes.actions}>{primaryAction}</div> : null}
          </header>
          {above}
        </>
      )}
    />
  )
}
