import { Table, UnstyledButton } from '@mantine/core'
import { IconChevronDown } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { Icon } from '../display/Icon.tsx'
import classes from './list.module.css'
import type { RowGroups } from './types.ts'

interface GroupHeadingProps<Row> {
  groups: RowGroups<Row>
  row: Row
  /** rows of the group on the page */
  count: number
  collapsed: boolean
  onToggle: () => void
}

/** The heading of a group in a list, with a button that hides its rows. */
export function GroupHeading<Row>({ groups, row, count, collapsed, onToggle }: GroupHeadingProps<Row>) {
  const { t } = useTranslation()
  const name = groups.nameOf(row)
  return (
    <Table.Tr className={classes.group ?? ''}>
      {/* More columns than any list has: hidden ones do not count. */}
      <Table.Td colSpan={100}>
        <span className={classes.groupHeading}>
          <UnstyledButton
            className={classes.groupToggle ?? ''}
            aria-expanded={!collapsed}
            aria-label={t(collapsed ? 'list.showGroup' : 'list.hideGroup', { name })}
            data-collapsed={collapsed}
            onClick={onToggle}
          >
            <Icon of={IconChevronDown} size={16} />
          </UnstyledButton>
          <span className={classes.groupName}>{groups.heading(row)}</span>
          {collapsed ? <span className={classes.groupCount}>{t('list.groupHidden', { count })}</span> : null}
        </span>
      </Table.Td>
    </Table.Tr>
  )
}
