import type { ExportDefinition } from '@leitstand/contract/exports'
import { Button, Drawer, Group, Pagination, Stack, Switch, Text } from '@mantine/core'
import { IconBookmarks, IconPencil, IconPlayerPlay, IconTrash } from '@tabler/icons-react'
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../lib/api.ts'
import { onDemand } from '../../lib/onDemand.ts'
import { useCan } from '../../lib/session.ts'
import { one, useUrlSearch } from '../../lib/url.ts'
import { Icon } from '../../ui/display/Icon.tsx'
import { RelativeTime } from '../../ui/display/RelativeTime.tsx'
import { ConfirmDialog } from '../../ui/feedback/ConfirmDanger.tsx'
import { EmptyState } from '../../ui/feedback/EmptyState.tsx'
import { ErrorState } from '../../ui/feedback/ErrorState.tsx'
import { Loading } from '../../ui/feedback/Loading.tsx'
import { notifyError } from '../../ui/feedback/notify.ts'
import { ActionMenu } from '../../ui/page/ActionMenu.tsx'
import { RouterLink } from '../../ui/page/RouterLink.tsx'
import classes from './exports.module.css'

const ExportDialog = onDemand(() => import('./ExportDialog.tsx'))

const perPage = 20

/** The button that shows saved exports, to run them again. */
export default function SavedExports() {
  const { t } = useTranslation()
  const can = useCan()
  const [search, update] = useUrlSearch()
  const opened = one(search, 'saved') !== undefined
  const setOpened = (open: boolean) => update({ saved: open ? 'all' : undefined })
  const mayExport =
    can('VirtualDevice', 'read') ||
    can('VirtualDevice', 'manage') ||
    can('DigitalTwin', 'read') ||
    can('all', 'manage')
  if (!mayExport) return null
  return (
    <>
      <Button variant="default" leftSection={<Icon of={IconBookmarks} />} onClick={() => setOpened(true)}>
        {t('exports.saved')}
      </Button>
      <Drawer
        opened={opened}
        onClose={() => setOpened(false)}
        title={t('exports.saved')}
        position="right"
        size="lg"
      >
        {opened ? <SavedList /> : null}
      </Drawer>
    </>
  )
}

function SavedList() {
  const { t } = useTranslation()
  return (
    <Stack gap="md">
      <RouterLink to="/scheduled-exports" size="sm">
        {t('screens.scheduledExports.title')}
      </RouterLink>
      <Definitions />
    </Stack>
  )
}

function Definitions() {
  const { t } = useTranslation()
  const [page, setPage] = useState(1)
  const { data, error, refetch } = useQuery({
    ...api.exporting.definitions.queryOptions({ input: { offset: (page - 1) * perPage, limit: perPage } }),
    placeholderData: keepPreviousData,
  })
  if (error && !data) return <ErrorState error={error} onRetry={() => void refetch()} compact />
  if (!data) return <Loading lines={4} />
  if (data.total === 0)
    return (
      <EmptyState icon={IconBookmarks} title={t('exports.noneSaved')} text={t('exports.noneSavedText')} />
    )
  const pages = Math.ceil(data.total / perPage)
  return (
    <Stack gap={0}>
      {data.items.map((definition) => (
        <SavedRow key={definition.id} definition={definition} />
      ))}
      {pages > 1 ? <Pagination mt="md" total={pages} value={page} onChange={setPage} /> : null}
    </Stack>
  )
}

function SavedRow({ definition }: { definition: ExportDefinition }) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const navigate = useNavigate()
  const [open, setOpen] = useState<'edit' | 'delete'>()
  const after = {
    onError: (error: unknown) => notifyError(error),
    onSettled: () => cache.invalidateQueries({ queryKey: api.exporting.definitions.key() }),
  }
  const { id, title, active, editable, request } = definition
  const running = useMutation({
    mutationFn: () => client.exporting.runDefinition({ id }),
    ...after,
    onSuccess: async (job) => {
      await cache.invalidateQueries({ queryKey: api.job.key() })
      await navigate({ to: '/background-jobs', search: { job: String(job.id) } })
    },
  })
  const switching = useMutation({
    mutationFn: (to: boolean) => client.exporting.activateDefinition({ id, active: to }),
    ...after,
  })
  const removing = useMutation({
    mutationFn: () => client.exporting.deleteDefinition({ id }),
    ...after,
    onSuccess: () => setOpen(undefined),
  })
  return (
    <div className={classes.row}>
      <div className={classes.about}>
        <Text fw={600} truncate>
          {title}
        </Text>
        <Text size="xs" c="dimmed">
          {definition.accountName} · {definition.createdName} · {t(`exports.formats.${request.format}`)}
          {definition.lastRunAt ? (
            <>
              {' · '}
              {t('exports.lastRun')} <RelativeTime time={definition.lastRunAt} />
            </>
          ) : null}
        </Text>
      </div>
      <Group gap={8} wrap="nowrap">
        <Switch
          aria-label={t('exports.activeOf', { title })}
          checked={active}
          disabled={!editable || switching.isPending}
          onChange={(event) => switching.mutate(event.currentTarget.checked)}
        />
        <Button
          variant="default"
          size="compact-md"
          leftSection={<Icon of={IconPlayerPlay} size={14} />}
          disabled={!active}
          loading={running.isPending}
          onClick={() => running.mutate()}
        >
          {t('exports.run')}
        </Button>
        <ActionMenu
          label={t('exports.actionsOf', { title })}
          actions={[
            {
              label: t('exports.change'),
              icon: IconPencil,
              hidden: !editable,
              onClick: () => setOpen('edit'),
            },
            {
              label: t('exports.delete'),
              icon: IconTrash,
              danger: true,
              hidden: !editable,
              onClick: () => setOpen('delete'),
            },
          ]}
        />
      </Group>
      {open === 'edit' ? (
        <Suspense fallback={null}>
          <ExportDialog
            title={title}
            selection={request.selection}
            saved={definition}
            onClose={() => setOpen(undefined)}
          />
        </Suspense>
      ) : null}
      <ConfirmDialog
        opened={open === 'delete'}
        title={t('exports.delete')}
        text={t('exports.deleteText', { title })}
        confirmLabel={t('exports.delete')}
        danger
        busy={removing.isPending}
        onCancel={() => setOpen(undefined)}
        onConfirm={() => removing.mutate()}
      />
    </div>
  )
}
