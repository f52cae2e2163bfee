import { ActionIcon, Button, CloseButton, Group, Menu, Skeleton, Text, TextInput, Title } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconChevronRight, IconDots, IconHierarchy3, IconPlus, IconSearch } from '@tabler/icons-react'
import {
  keepPreviousData,
  type QueryClient,
  useQueries,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../../lib/api.ts'
import { formatNumber } from '../../lib/format.ts'
import { useCan } from '../../lib/session.ts'
import { createStoredStore, useStore } from '../../lib/store.ts'
import { many, one, useUrlSearch } from '../../lib/url.ts'
import { AccountFilter } from '../../ui/AccountFilter.tsx'
import { StatusBadge } from '../../ui/Badges.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { Loading } from '../../ui/Loading.tsx'
import type { RowAction } from '../../ui/list/types.ts'
import { RouterLink } from '../../ui/RouterLink.tsx'
import { TagList } from '../../ui/TagList.tsx'
import { CreateTwin } from './CreateTwin.tsx'
import { twinIcon, twinPath } from './kinds.ts'
import { useTwinActions } from './TwinActions.tsx'
import { TwinsSwitch } from './TwinsSwitch.tsx'
import {
  type Children,
  childrenMax,
  childrenPage,
  searchTree,
  type TreeRow,
  treeMove,
  treeRows,
} from './tree.ts'
import classes from './twins.module.css'

/** Unfolded twins that are remembered; older ones are forgotten. */
const expandedMax = 300

const expandedStore = createStoredStore<readonly number[]>('twinTree', [], (stored) =>
  Array.isArray(stored) ? stored.filter((id): id is number => typeof id === 'number') : undefined,
)

/** The twins as a tree, `/digitaltwin-mgmt`. */
export default function TwinsPage() {
  const { t } = useTranslation()
  const can = useCan()
  const [search, update] = useUrlSearch()
  const [creating, setCreating] = useState(false)
  const { actionsOf, dialogs } = useTwinActions()
  const accountIds = many(search, 'account').map(Number).filter(Boolean)
  const tree = useTree(one(search, 'q') ?? '', accountIds)
  const create = can('DigitalTwin', 'write') ? (
    <Button leftSection={<Icon of={IconPlus} />} onClick={() => setCreating(true)}>
      {t('twins.create')}
    </Button>
  ) : null
  return (
    <>
      <header className={classes.header}>
        <Title order={1}>{t('twins.heading')}</Title>
        <Group gap={8}>
          <TwinsSwitch view="tree" />
          {create}
        </Group>
      </header>
      <search className={classes.bar} aria-label={t('list.filters')}>
        <TreeSearch value={one(search, 'q') ?? ''} onChange={(q) => update({ q: q || undefined })} />
        <AccountFilter value={accountIds} onChange={(ids) => update({ account: ids.map(String) })} />
        {tree.more ? (
          <Text size="sm" c="dimmed">
            {t('twins.searchMore')}
          </Text>
        ) : null}
      </search>
      <div className={classes.box}>
        {tree.error ? (
          <ErrorState error={tree.error} onRetry={tree.retry} />
        ) : tree.rows === undefined ? (
          <Loading>
            <TreeSkeleton />
          </Loading>
        ) : tree.rows.length === 0 ? (
          tree.filtered ? (
            <EmptyState
              kind="filtered"
              title={t('list.nothingMatches')}
              text={t('list.nothingMatchesHint')}
            />
          ) : (
            <EmptyState
              icon={IconHierarchy3}
              title={t('twins.empty')}
              text={t('twins.emptyText')}
              action={create}
            />
          )
        ) : (
          <Tree
            rows={tree.rows}
            onExpand={tree.expand}
            onCollapse={tree.collapse}
            onRetry={tree.retry}
            actionsOf={actionsOf}
          />
        )}
      </div>
      {dialogs}
      {creating ? <CreateTwin onClose={() => setCreating(false)} /> : null}
    </>
  )
}

function childrenOptions(id: number) {
  return api.digitaltwin.children.queryOptions({ input: { id, limit: childrenPage } })
}

/**
 * Unfolded twins that can be seen, from the top down as far as their parents are loaded: what is unfolded inside of
 * something folded is not asked for.
 */
function unfolded(
  cache: QueryClient,
  top: readonly { id: number; childCount: number }[],
  expanded: ReadonlySet<number>,
): number[] {
  const isOpen = (twin: { id: number; childCount: number }) => twin.childCount > 0 && expanded.has(twin.id)
  const ids = new Set(top.filter(isOpen).map((twin) => twin.id))
  // A set walks over what is added to it on the way.
  for (const id of ids) {
    const known = cache.getQueryData(childrenOptions(id).queryKey)
    for (const twin of known?.items ?? []) if (isOpen(twin)) ids.add(twin.id)
  }
  return [...ids]
}

/** The visible lines: unfolded levels load when they are opened; a search answers with the way to its hits. */
function useTree(text: string, accountIds: number[]) {
  const cache = useQueryClient()
  const stored = useStore(expandedStore)
  const [folded, setFolded] = useState<ReadonlySet<number>>(new Set())
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set())
  const term = text.trim()
  const accounts = accountIds.length > 0 ? { accountIds } : {}
  const found = useQuery({
    ...api.digitaltwin.partialTree.queryOptions({ input: { search: term, ...accounts } }),
    enabled: term !== '',
    placeholderData: keepPreviousData,
  })
  const partial = useMemo(
    () => (term && found.data ? searchTree(found.data.items) : undefined),
    [term, found.data],
  )
  const expanded = useMemo(
    () =>
      partial
        ? new Set([...partial.expanded, ...opened].filter((id) => !folded.has(id)))
        : new Set(term ? [] : stored),
    [partial, opened, folded, stored, term],
  )
  const top = useQuery({
    ...api.digitaltwin.children.queryOptions({ input: { id: 0, limit: childrenMax, ...accounts } }),
    enabled: term === '',
    placeholderData: keepPreviousData,
  })
  const wanted = term
    ? [...opened].filter((id) => partial && !partial.children.has(id))
    : unfolded(cache, top.data?.items ?? [], expanded)
  const pages = useQueries({ queries: wanted.map(childrenOptions) })
  const children = new Map<number, Children>(partial?.children)
  const failed = new Set<number>()
  if (!term && top.data) children.set(0, top.data)
  for (const [index, id] of wanted.entries()) {
    const page = pages[index]
    if (page?.data) children.set(id, page.data)
    else if (page?.isError) failed.add(id)
  }
  const hits = new Set(term ? found.data?.hitIds : [])
  const ready = term ? partial !== undefined : children.has(0)
  return {
    rows: ready ? treeRows({ children, failed, expanded, hits }) : undefined,
    error: term ? (found.data ? null : found.error) : top.data ? null : top.error,
    more: term !== '' && found.data?.more === true,
    filtered: term !== '' || accountIds.length > 0,
    retry: () => {
      void (term ? found : top).refetch()
      for (const page of pages) if (page.isError) void page.refetch()
    },
    expand: (id: number) => {
      if (!term) {
        expandedStore.set((ids) => [id, ...ids.filter((each) => each !== id)].slice(0, expandedMax))
        return
      }
      setOpened((ids) => new Set([...ids, id]))
      setFolded((ids) => new Set([...ids].filter((each) => each !== id)))
    },
    collapse: (id: number) => {
      if (term) setFolded((ids) => new Set([...ids, id]))
      else expandedStore.set((ids) => ids.filter((each) => each !== id))
    },
  }
}

function TreeSearch({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const { t } = useTranslation()
  const [text, setText] = useState(value)
  const [settled] = useDebouncedValue(text, 200)
  const sent = useRef(value)
  // The address changed by other means (back button): it wins over what stands in the field.
  useEffect(() => {
    if (value !== sent.current) {
      sent.current = value
      setText(value)
    }
  }, [value])
  useEffect(() => {
    if (settled === sent.current) return
    sent.current = settled
    onChange(settled)
  }, [settled, onChange])
  return (
    <TextInput
      className={classes.search}
      data-list-search
      value={text}
      onChange={(event) => setText(event.currentTarget.value)}
      placeholder={t('twins.searchPlaceholder')}
      aria-label={t('twins.searchPlaceholder')}
      leftSection={<Icon of={IconSearch} size={16} />}
      rightSection={
        text ? <CloseButton size="sm" aria-label={t('list.clearSearch')} onClick={() => setText('')} /> : null
      }
      maxLength={200}
    />
  )
}

interface TreeProps {
  rows: readonly TreeRow[]
  onExpand: (id: number) => void
  onCollapse: (id: number) => void
  onRetry: () => void
  actionsOf: (twin: Extract<TreeRow, { kind: 'twin' }>['twin']) => RowAction[]
}

/** The tree pattern of WAI-ARIA: one stop in the tab order, arrows move, Enter opens the twin. */
function Tree({ rows, onExpand, onCollapse, onRetry, actionsOf }: TreeProps) {
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

function indent(level: number) {
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
          // The tree item itself tells and takes the arrow keys; this is for the mouse.
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
      {actions.length > 0 ? (
        <Menu withinPortal>
          <Menu.Target>
            <ActionIcon
              size={28}
              tabIndex={tabIndex}
              aria-label={t('twins.actionsOf', { title: twin.title })}
            >
              <Icon of={IconDots} />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            {actions.map((action) => (
              <Menu.Item
                key={action.label}
                leftSection={<Icon of={action.icon} size={16} />}
                onClick={action.onClick}
                {...(action.danger ? { color: 'red' } : {})}
              >
                {action.label}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
      ) : null}
    </div>
  )
}

/** Lines that are no twin: loading, failed, more than shown. */
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

const skeletonWidths = [
  [1, 220],
  [2, 180],
  [2, 200],
  [3, 150],
  [2, 190],
  [1, 240],
] as const

function TreeSkeleton() {
  return (
    <div className={classes.tree}>
      {skeletonWidths.map(([level, width]) => (
        <div key={width} className={classes.row} style={indent(level)}>
          <span className={classes.fold} />
          <Skeleton height={12} width={width} />
        </div>
      ))}
    </div>
  )
}
