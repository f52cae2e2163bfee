import { Group, Pagination, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { formatNumber } from '../../lib/format.ts'
import { EmptyState } from '../feedback/EmptyState.tsx'
import { ActionMenu } from '../page/ActionMenu.tsx'
import { RouterLink } from '../page/RouterLink.tsx'
import classes from './list.module.css'
import type { useListState } from './state.ts'
import type { Page, RowAction } from './types.ts'

interface CardRowsProps<Row> {
  page: Page<Row>
  list: ReturnType<typeof useListState>
  rowKey: (row: Row) => number | string
  rowHref: (row: Row) => string
  rowMenu?: (row: Row) => RowAction[]
  card: (row: Row) => ReactNode
}

/** A page of a list as cards, each a link with its menu. */
export function CardRows<Row>({ page, list, rowKey, rowHref, rowMenu, card }: CardRowsProps<Row>) {
  const { t } = useTranslation()
  const { size } = list.state
  if (page.items.length === 0)
    return (
      <div className={classes.box}>
        <EmptyState
          kind="filtered"
          title={t('list.nothingMatches')}
          text={t('list.nothingMatchesHint')}
          compact
        />
      </div>
    )
  return (
    <>
      <ul className={classes.cards}>
        {page.items.map((row) => (
          <li key={rowKey(row)} className={classes.card}>
            <RouterLink to={rowHref(row)} className={classes.cardLink ?? ''} underline="never">
              {card(row)}
            </RouterLink>
            {rowMenu ? (
              <div className={classes.cardMenu}>
                <ActionMenu actions={rowMenu(row)} label={t('list.rowMenu')} />
              </div>
            ) : null}
          </li>
        ))}
      </ul>
      <Group justify="space-between" mt="md" gap="sm">
        <Text size="sm" c="dimmed">
          {t(page.more ? 'list.rangeMore' : 'list.range', {
            from: formatNumber(page.offset + 1, 0),
            to: formatNumber(page.offset + page.items.length, 0),
            total: formatNumber(page.total, 0),
          })}
        </Text>
        <Pagination
          total={Math.ceil(page.total / size)}
          value={list.state.page}
          onChange={list.setPage}
          getControlProps={(control) => ({ 'aria-label': t(`list.paging.${control}`) })}
          hideWithOnePage
        />
      </Group>
    </>
  )
}
