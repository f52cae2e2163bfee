import { Button, Skeleton, Text } from '@mantine/core'
import { IconChevronRight } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import { type KeyboardEvent, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { formatNumber } from '../../lib/format.ts'
import { StatusBadge } from '../../ui/display/Badges.tsx'
import { Icon } from '../../ui/display/Icon.tsx'
import { TagList } from '../../ui/display/TagList.tsx'
import type { RowAction } from '../../ui/list/types.ts'
import { ActionMenu } from '../../ui/page/ActionMenu.tsx'
import { RouterLink } from '../../ui/page/RouterLink.tsx'
import { twinIcon, twinPath } from './kinds.ts'
import { WorstLevel } from './levels/WorstLevel.tsx'
import { type TreeRow, treeMove } from './tree.ts'
import classes from './twins.module.css'

interface TreeProps {
  rows: readonly TreeRow[]
  onExpand: (id: number) => void
  onCollapse: (id: number) => void
  onRetry: () => void
  actionsOf: (twin: Extract<TreeRow, { kind: 'twin' }>['twin']) => RowAction[]
}

/** The tree pattern of WAI-ARIA: one stop in the tab order, arrows move, Enter opens the twin. */
export function Tree({ rows, onExpand, onCollapse, onRetry, actionsOf }: TreeProps) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const host = useRef<HTMLDivElement>(null)
  const [focused, setFocused] = useState<string | null>(null)
  const current = rows.some((row) => row.key === focused)
    ? focused
    : (rows.find((row) => row.kind === 'twin')?.key ?? null)

  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>) => {
    if (current === null || !(event.target as HTMLElement).matches('[role="treeitem"]')) return
    const row = rows.find((each) => each.key === current)
    if (event.key === 'Enter' && row?.kind === 'twin') {
      event.preventDefault()
      void navigate({ to: twinPath(row.twin.id) })
      return
    }
    const move = treeMove(rows, current, event.key)
    if (!move) return
    event.preventDefault()
    if (move.kind === 'expand') onExpand(move.id)
    else if (move.kind === 'collapse') onCollapse(move.id)
    else {
      setFocused(move.key)
      host.current?.querySelector<HTMLElement>(`[data-key="${move.key}"]`)?.focus()
    }
  }

  return (
    <div
      ref={host}
      role="tree"
      aria-label={t('twins.heading')}
      className={classes.tree}
      onKeyDown={onKeyDown}
    >
      {rows.map((row) =>
        row.kind === 'twin' ? (
          <TwinRow
            key={row.key}
            row={row}
            tabIndex={row.key === current ? 0 : -1}
            onFocus={() => setFocused(row.key)}
            onToggle={() => (row.expanded ? onCollapse(row.twin.id) : onExpand(row.twin.id))}
            actions={actionsOf(row.twin)}
          />
        ) : (
          <OtherRow key={row.key} row={row} onRetry={onRetry} />
        ),
      )}
    </div>
  )
}

/** Indentation of a row by its level. */
export function indent(level: number) {
  return { paddingInlineStart: 8 + (level - 1) * 22 }
}

function TwinRow(props: {
  row: Extract<TreeRow, { kind: 'twin' }>
  tabIndex: number
  onFocus: () => void
  onToggle: () => void
  actions: RowAction[]
}) {
  const { row, tabIndex } = props
  const { t } = useTranslation()
  const { twin } = row
  const actions = props.actions.filter((action) => !action.hidden)
  return (
    <div
      role="treeitem"
      aria-level={row.level}
      aria-posinset={row.position}
      aria-setsize={row.siblings}
      {...(row.expandable ? { 'aria-expanded': row.expanded } : {})}
      aria-selected={false}
      tabIndex={tabIndex}
      data-key={row.key}
      data-hit={row.hit || undefined}
      data-disabled={twin.disabled || undefined}
      className={classes.row}
      style={indent(row.level)}
      onFocus={props.onFocus}
    >
      {row.expandable ? (
        <button
          type="button"
          tabIndex={-1}
          // For the mouse only: the tree item itself exposes its state and handles the arrow keys.
          aria-hidden
          className={classes.fold}
          data-open={row.expanded || undefined}
          onClick={props.onToggle}
        >
          <Icon of={IconChevronRight} size={16} />
        </button>
      ) : (
        <span className={classes.fold} />
      )}
      <span className={classes.rowIcon}>
        <Icon of={twinIcon(twin)} />
      </span>
      <RouterLink to={twinPath(twin.id)} className={classes.rowTitle ?? ''} underline="never" tabIndex={-1}>
        {twin.title}
      </RouterLink>
      <WorstLevel twin={twin} />
      <span className={classes.rowId}>{twin.id}</span>
      {twin.disabled ? <StatusBadge tone="unknown" label={t('twins.isDisabled')} /> : null}
      {twin.tags.length > 0 ? (
        <span className={classes.rowTags}>
          <TagList tags={twin.tags} />
        </span>
      ) : null}
      <span className={classes.rowCounts}>
        {twin.stateCount > 0 ? t('twins.stateCount', { count: twin.stateCount }) : null}
        {twin.stateCount > 0 && twin.childCount > 0 ? ' · ' : null}
        {twin.childCount > 0 ? t('twins.childCount', { count: twin.childCount }) : null}
      </span>
      <ActionMenu actions={actions} label={t('twins.actionsOf', { title: twin.title })} tabIndex={tabIndex} />
    </div>
  )
}

/** Rows that are not twins: loading, failed, truncated. */
function OtherRow({ row, onRetry }: { row: Exclude<TreeRow, { kind: 'twin' }>; onRetry: () => void }) {
  const { t } = useTranslation()
  return (
    <div role="none" className={classes.row} style={indent(row.level)}>
      <span className={classes.fold} />
      {row.kind === 'loading' ? <Skeleton height={12} width={180} /> : null}
      {row.kind === 'failed' ? (
        <>
          <Text size="sm" c="var(--health-error)">
            {t('common.loadFailed')}
          </Text>
          <Button size="compact-xs" variant="default" onClick={onRetry}>
            {t('common.retry')}
          </Button>
        </>
      ) : null}
      {row.kind === 'more' ? (
        <RouterLink
          to={`/digitaltwin-mgmt/list${row.parentId === 0 ? '' : `?parent=${row.parentId}`}`}
          size="sm"
        >
          {t('twins.moreInList', { shown: formatNumber(row.shown, 0), total: formatNumber(row.total, 0) })}
        </RouterLink>
      ) : null}
    </div>
  )
}
