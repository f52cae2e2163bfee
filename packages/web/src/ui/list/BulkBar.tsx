import { Button, CloseButton, Text, Transition } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Icon } from '../display/Icon.tsx'
import { notifyUndo } from '../feedback/notifyUndo.ts'
import classes from './list.module.css'
import type { BulkAction } from './types.ts'

/** Floats at the bottom while rows are selected: their number, and the available actions. */
export function BulkBar<Row>(props: {
  rows: Row[]
  actions: readonly BulkAction<Row>[]
  clear: () => void
  /** selects rows again, for undo */
  restore: (rows: Row[]) => void
  /** actions on everything the list matches */
  children?: ReactNode
}) {
  const { t } = useTranslation()
  const { rows, actions, clear, restore } = props
  const giveUp = () => {
    clear()
    notifyUndo(t('list.selectionCleared'), () => restore(rows))
  }
  return (
    <Transition mounted={rows.length > 0} transition="slide-up" duration={140}>
      {(style) => (
        <section className={classes.bulk} style={style} aria-label={t('list.bulk')}>
          <CloseButton aria-label={t('list.clearSelection')} onClick={giveUp} />
          <Text size="sm" fw={550} className="tabular">
            {t('list.selected', { count: rows.length })}
          </Text>
          {actions.map((action) => (
            <Button
              key={action.label}
              size="compact-md"
              variant={action.danger ? 'light' : 'default'}
              {...(action.danger ? { color: 'red' } : {})}
              leftSection={<Icon of={action.icon} size={16} />}
              onClick={() => action.onClick(rows, clear)}
            >
              {action.label}
            </Button>
          ))}
          {props.children}
        </section>
      )}
    </Transition>
  )
}
