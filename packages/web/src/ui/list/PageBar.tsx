import { Button, Group, Menu, Pagination, Text } from '@mantine/core'
import { IconChevronDown } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { formatNumber } from '../../lib/format.ts'
import { Icon } from '../display/Icon.tsx'
import classes from './list.module.css'
import { pageSizes } from './params.ts'
import type { useListState } from './state.ts'
import type { Page } from './types.ts'

interface PageBarProps {
  page: Page<unknown>
  list: ReturnType<typeof useListState>
}

/** Below a list: which rows of how many are shown, how many there are on a page, the pages. */
export function PageBar({ page, list }: PageBarProps) {
  const { t } = useTranslation()
  const { size } = list.state
  return (
    <div className={classes.pageBar}>
      <Text size="sm" className={classes.pageText ?? ''}>
        {t(page.more ? 'list.rangeMore' : 'list.range', {
          from: formatNumber(page.total === 0 ? 0 : page.offset + 1, 0),
          to: formatNumber(page.offset + page.items.length, 0),
          total: formatNumber(page.total, 0),
        })}
      </Text>
      <Group gap="xs">
        <Text size="sm" aria-hidden>
          {t('list.perPage')}
        </Text>
        <Menu>
          <Menu.Target>
            <Button
              variant="default"
              size="compact-sm"
              fw="normal"
              aria-label={`${t('list.perPage')}: ${size}`}
              rightSection={<Icon of={IconChevronDown} size={14} />}
            >
              {size}
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            {pageSizes.map((each) => (
              <Menu.Item key={each} disabled={each === size} onClick={() => list.setSize(each)}>
                {each}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
      </Group>
      <Pagination
        size="sm"
        total={Math.ceil(page.total / size)}
        value={list.state.page}
        onChange={list.setPage}
        getControlProps={(control) => ({ 'aria-label': t(`list.paging.${control}`) })}
        hideWithOnePage
      />
    </div>
  )
}
