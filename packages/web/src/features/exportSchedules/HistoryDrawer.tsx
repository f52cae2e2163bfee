import type { ExportDelivery, ExportRun, ExportSchedule } from '@leitstand/contract/exportSchedules'
import { Button, Drawer, Group, Stack, Text } from '@mantine/core'
import { IconDownload, IconHistory } from '@tabler/icons-react'
import { useInfiniteQuery, useMutation, useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../lib/api.ts'
import { formatBytes, formatNumber } from '../../lib/format.ts'
import { StatusBadge } from '../../ui/display/Badges.tsx'
import { Icon } from '../../ui/display/Icon.tsx'
import { EmptyState } from '../../ui/feedback/EmptyState.tsx'
import { ErrorState } from '../../ui/feedback/ErrorState.tsx'
import { Loading } from '../../ui/feedback/Loading.tsx'
import { notifyError } from '../../ui/feedback/notify.ts'
import { download } from '../../ui/list/csv.ts'
import { RouterLink } from '../../ui/page/RouterLink.tsx'
import classes from './exportSchedules.module.css'
import { momentText, tones } from './texts.ts'

const pageSize = 20
/** While a run is under way, it is looked at again. */
const lookMs = 2_000
const underWay: readonly string[] = ['waiting', 'exporting', 'delivering']

/** What became of a schedule time by time, with its files and where they went. */
export default function HistoryDrawer({ id, onClose }: { id: number; onClose: () => void }) {
  const { t } = useTranslation()
  const { data: schedule, error, refetch } = useQuery(api.exportSchedules.get.queryOptions({ input: { id } }))
  return (
    <Drawer
      opened
      onClose={onClose}
      position="right"
      size={560}
      title={
        schedule ? t('exportSchedules.historyOf', { title: schedule.title }) : t('exportSchedules.history')
      }
      closeButtonProps={{ 'aria-label': t('common.close') }}
    >
      {schedule ? (
        <History schedule={schedule} />
      ) : error ? (
        <ErrorState error={error} onRetry={() => void refetch()} compact />
      ) : (
        <Loading lines={4} />
      )}
    </Drawer>
  )
}

function History({ schedule }: { schedule: ExportSchedule }) {
  const { t } = useTranslation()
  const { id, nextAt, timeZone } = schedule
  const query = useInfiniteQuery({
    ...api.exportSchedules.runs.infiniteOptions({
      input: (offset: number) => ({ id, offset, limit: pageSize }),
      initialPageParam: 0,
      getNextPageParam: ({ offset, total }) => (offset + pageSize < total ? offset + pageSize : undefined),
    }),
    refetchInterval: ({ state }) =>
      state.data?.pages.some(({ items }) => items.some((run) => underWay.includes(run.state)))
        ? lookMs
        : false,
  })
  const runs = query.data?.pages.flatMap(({ items }) => items)
  const next =
    nextAt === null
      ? t('exportSchedules.off')
      : t('exportSchedules.next', { time: momentText(nextAt, timeZone) })
  if (query.isLoadingError)
    return <ErrorState error={query.error} onRetry={() => void query.refetch()} compact />
  if (runs === undefined) return <Loading lines={4} />
  if (runs.length === 0)
    return <EmptyState icon={IconHistory} title={t('exportSchedules.noHistory')} text={next} compact />
  return (
    <Stack gap="md">
      <Text size="sm" c="dimmed">
        {next} {t('exportSchedules.ownedBy', { name: schedule.ownerName })}
      </Text>
      <ul className={classes.runs} aria-label={t('exportSchedules.history')}>
        {runs.map((run) => (
          <Run key={run.id} run={run} timeZone={timeZone} />
        ))}
      </ul>
      {query.hasNextPage ? (
        <Button
          variant="subtle"
          size="xs"
          loading={query.isFetchingNextPage}
          onClick={() => void query.fetchNextPage()}
        >
          {t('common.more')}
        </Button>
      ) : null}
    </Stack>
  )
}

function Run({ run, timeZone }: { run: ExportRun; timeZone: string }) {
  const { t } = useTranslation()
  const { dueAt, manual, state, reason, detail, period, rows, size, fileName, jobId, hasFile, deliveries } =
    run
  const saving = useMutation({
    mutationFn: async ({ id, name }: { id: number; name: string }) => {
      const { body } = await client.exporting.file({ id })
      if (!(body instanceof Blob)) throw new Error('the server sent no file')
      download(name, body)
    },
    onError: (error) => notifyError(error),
  })
  const facts = [
    ...(period
      ? [
          t('exportSchedules.fromTo', {
            from: momentText(period.start, timeZone),
            to: momentText(period.end, timeZone),
          }),
        ]
      : []),
    ...(rows === null || fileName?.endsWith('.pdf')
      ? []
      : [t('exportSchedules.rows', { count: rows, number: formatNumber(rows, 0) })]),
    ...(size === null ? [] : [formatBytes(size)]),
  ]
  return (
    <li className={classes.run}>
      <Group gap={8} justify="space-between">
        <Text fw={600}>{momentText(dueAt, timeZone)}</Text>
        <StatusBadge tone={tones[state]} label={t(`exportSchedules.states.${state}`)} />
      </Group>
      {reason === null ? null : (
        <Text size="sm">
          {t(`exportSchedules.reasons.${reason}`)} {detail}
        </Text>
      )}
      {facts.length === 0 && !manual ? null : (
        <Text size="sm" c="dimmed">
          {[...(manual ? [t('exportSchedules.byHand')] : []), ...facts].join(' · ')}
        </Text>
      )}
      {deliveries.length === 0 ? null : (
        <ul className={classes.deliveries}>
          {deliveries.map((delivery) => (
            <Delivery key={`${delivery.kind} ${delivery.name}`} delivery={delivery} />
          ))}
        </ul>
      )}
      <Group gap={12}>
        {hasFile && jobId !== null && fileName !== null ? (
          <Button
            size="compact-sm"
            variant="default"
            leftSection={<Icon of={IconDownload} size={14} />}
            loading={saving.isPending}
            onClick={() => saving.mutate({ id: jobId, name: fileName })}
          >
            {t('exports.download')}
          </Button>
        ) : null}
        {jobId === null ? null : (
          <RouterLink to={`/background-jobs?job=${jobId}`} size="sm">
            {t('exportSchedules.job')}
          </RouterLink>
        )}
      </Group>
    </li>
  )
}

function Delivery({ delivery }: { delivery: ExportDelivery }) {
  const { t } = useTranslation()
  const { kind, name, state, reason, detail, refused, attempts } = delivery
  const notes = [
    ...(reason === null ? [] : [t(`exportSchedules.deliveryReasons.${reason}`)]),
    ...(detail === '' ? [] : [detail]),
    ...(state === 'waiting' && attempts > 0 ? [t('exportSchedules.again')] : []),
    ...(refused > 0 ? [t('exportSchedules.refused', { count: refused })] : []),
  ]
  return (
    <li>
      <Group gap={8} wrap="nowrap" align="start">
        <StatusBadge tone={tones[state]} label={t(`exportSchedules.deliveryStates.${state}`)} />
        <Text size="sm">
          {t(`exportSchedules.kinds.${kind}`)}: {name}
          {notes.length === 0 ? null : (
            <Text span size="sm" c="dimmed">
              {' – '}
              {notes.join(' · ')}
            </Text>
          )}
        </Text>
      </Group>
    </li>
  )
}
