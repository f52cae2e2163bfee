import { ActionIcon, Checkbox, Group, TextInput } from '@mantine/core'
import { IconChevronDown, IconChevronUp } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { Icon } from '../../ui/display/Icon.tsx'
import classes from './exports.module.css'
import type { FormColumn } from './form.ts'

interface ColumnListProps {
  columns: readonly FormColumn[]
  onChange: (columns: FormColumn[]) => void
}

/** Columns of a file: which, in which order, with which titles. */
export function ColumnList({ columns, onChange }: ColumnListProps) {
  const { t } = useTranslation()
  const change = (at: number, to: Partial<FormColumn>) =>
    onChange(columns.map((column, index) => (index === at ? { ...column, ...to } : column)))
  const move = (from: number, to: number) => {
    const [moved] = columns.slice(from, from + 1)
    if (moved) onChange(columns.toSpliced(from, 1).toSpliced(to, 0, moved))
  }
  return (
    <ul className={classes.columns} aria-label={t('exports.columns')}>
      {columns.map((column, at) => {
        const name = t(`exports.column.${column.key}`)
        return (
          <li key={column.key}>
            <Checkbox
              className={classes.name}
              label={name}
              checked={column.shown}
              onChange={(event) => change(at, { shown: event.currentTarget.checked })}
            />
            <TextInput
              size="xs"
              className={classes.title}
              aria-label={t('exports.columnTitle', { name })}
              placeholder={t('exports.usualTitle')}
              maxLength={100}
              disabled={!column.shown}
              value={column.title}
              onChange={(event) => change(at, { title: event.currentTarget.value })}
            />
            <Group gap={2} wrap="nowrap">
              <ActionIcon
                variant="subtle"
                aria-label={t('exports.up', { name })}
                disabled={at === 0}
                onClick={() => move(at, at - 1)}
              >
                <Icon of={IconChevronUp} size={16} />
              </ActionIcon>
              <ActionIcon
                variant="subtle"
                aria-label={t('exports.down', { name })}
                disabled={at === columns.length - 1}
                onClick={() => move(at, at + 1)}
              >
                <Icon of={IconChevronDown} size={16} />
              </ActionIcon>
            </Group>
          </li>
        )
      })}
    </ul>
  )
}
