import { Button, CloseButton, Group, Skeleton, Text, TextInput, Title } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconHierarchy3, IconPlus, IconSearch } from '@tabler/icons-react'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useCan } from '../../lib/session.ts'
import { many, one, useUrlSearch } from '../../lib/url.ts'
import { AccountFilter } from '../../ui/accounts/AccountFilter.tsx'
import { Icon } from '../../ui/display/Icon.tsx'
import { EmptyState } from '../../ui/feedback/EmptyState.tsx'
import { ErrorState } from '../../ui/feedback/ErrorState.tsx'
import { Loading } from '../../ui/feedback/Loading.tsx'
import { CreateTwin } from './CreateTwin.tsx'
import { useTwinActions } from './TwinActions.tsx'
import { TwinsSwitch } from './TwinsSwitch.tsx'
import { indent, Tree } from './TwinTree.tsx'
import classes from './twins.module.css'
import { useTree } from './useTree.ts'

/** The twins as a tree, `/digitaltwin-mgmt`. */
export default function TwinsPage() {
  const { t } = useTranslation()
  const can = useCan()
  const [search, update] = useUrlSearch()
  const { actionsOf, dialogs } = useTwinActions()
  const accountIds = many(search, 'account').map(Number).filter(Boolean)
  const tree = useTree(one(search, 'q') ?? '', accountIds)
  const create = can('DigitalTwin', 'write') ? (
    <Button leftSection={<Icon of={IconPlus} />} onClick={() => update({ create: '1' })}>
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
      {one(search, 'create') === '1' && create ? (
        <CreateTwin onClose={() => update({ create: undefined })} />
      ) : null}
    </>
  )
}

function TreeSearch({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const { t } = useTranslation()
  const [text, setText] = useState(value)
  const [settled] = useDebouncedValue(text, 200)
  const sent = useRef(value)
  // If the address changes otherwise (back button), it replaces the field's value.
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
