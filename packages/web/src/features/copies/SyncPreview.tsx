import type { SyncParts, SyncSelection, SyncTarget } from '@leitstand/contract/copies'
import { Alert, Group, Pagination, Stack, Text } from '@mantine/core'
import { IconCheck, IconMinus, IconPencil, IconPlus } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../../lib/api.ts'
import { StatusBadge, type Tone } from '../../ui/display/Badges.tsx'
import type { IconType } from '../../ui/display/Icon.tsx'
import { ErrorState } from '../../ui/feedback/ErrorState.tsx'
import { Loading } from '../../ui/feedback/Loading.tsx'
import classes from './copies.module.css'
import { type Line, linesOf } from './targets.ts'

const pageSize = 5

interface SyncPreviewProps {
  id: number
  selection: SyncSelection
  parts: SyncParts
  /** the number of twins that can be synchronised; null: they cannot */
  onReady: (twins: number | null) => void
}

/** What synchronising changes in each twin. */
export function SyncPreview({ id, selection, parts, onReady }: SyncPreviewProps) {
  const { t } = useTranslation()
  const [page, setPage] = useState(1)
  const preview = useQuery(
    api.twinCopy.synchronizePreview.queryOptions({
      input: { id, selection, ...parts, offset: (page - 1) * pageSize, limit: pageSize },
      placeholderData: keepPreviousData,
    }),
  )
  const { data, isPlaceholderData } = preview
  const ready =
    data === undefined || isPlaceholderData || preview.isError || data.refused.length > 0 ? null : data.total
  useEffect(() => onReady(ready), [ready, onReady])
  if (preview.isError)
    return <ErrorState error={preview.error} onRetry={() => void preview.refetch()} compact />
  if (!data) return <Loading lines={4} />
  const pages = Math.ceil(data.total / pageSize)
  return (
    <Stack gap="sm" aria-busy={isPlaceholderData}>
      {data.refused.length > 0 ? (
        <Alert color="red" title={t('copies.sync.refused')}>
          {data.refused.map(({ title }) => title).join(', ')}
        </Alert>
      ) : null}
      {data.hiddenRules > 0 ? (
        <Alert color="gray">{t('copies.duplicate.note.hiddenRules', { count: data.hiddenRules })}</Alert>
      ) : null}
      <Text size="sm" fw={600}>
        {t('copies.sync.preview', { count: data.total })}
      </Text>
      <ul className={classes.targets}>
        {data.items.map((target) => (
          <TargetChanges key={target.id} target={target} />
        ))}
      </ul>
      {pages > 1 ? (
        <Pagination
          size="sm"
          total={pages}
          value={page}
          onChange={setPage}
          getControlProps={(control) => ({ 'aria-label': t(`copies.sync.page.${control}`) })}
        />
      ) : null}
    </Stack>
  )
}

const looks: Record<Line['kind'], { tone: Tone; icon: IconType }> = {
  added: { tone: 'ok', icon: IconPlus },
  changed: { tone: 'accent', icon: IconPencil },
  removed: { tone: 'error', icon: IconMinus },
}

function TargetChanges({ target }: { target: SyncTarget }) {
  const { t } = useTranslation()
  const lines = linesOf(target)
  return (
    <li>
      <Text size="sm" fw={600}>
        {target.title}
      </Text>
      {lines.length === 0 ? (
        <StatusBadge tone="unknown" icon={IconCheck} label={t('copies.sync.same')} />
      ) : (
        lines.map(({ kind, of, names }) => (
          <Group key={`${of} ${kind}`} gap={8} wrap="nowrap" align="flex-start">
            <StatusBadge {...looks[kind]} label={t(`copies.sync.${kind}.${of}`, { count: names.length })} />
            <Text size="sm" c="dimmed" className={classes.names ?? ''}>
              {names.map((name) => (of === 'fields' ? t(`copies.sync.field.${name}`) : name)).join(', ')}
            </Text>
          </Group>
        ))
      )}
    </li>
  )
}
