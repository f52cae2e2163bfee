import type { AlarmReport, AlarmReportRun } from '@leitstand/contract/alarmReports'
import { Button, Drawer, Group, Stack, Text } from '@mantine/core'
import { IconDownload, IconHistory } from '@tabler/icons-react'
import { useInfiniteQuery, useMutation } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../lib/api.ts'
import { formatBytes, formatTime, localeTag } from '../../lib/format.ts'
import { StatusBadge } from '../../ui/display/Badges.tsx'
import { Icon } from '../../ui/display/Icon.tsx'
import { EmptyState } from '../../ui/feedback/EmptyState.tsx'
import { ErrorState } from '../../ui/feedback/ErrorState.tsx'
import { Loading } from '../../ui/feedback/Loading.tsx'
import { notifyError } from '../../ui/feedback/notify.ts'
import { download } from '../../ui/list/csv.ts'
import classes from './alarmReports.module.css'
import { tones } from './tones.ts'

const pageSize = 30

/** What became of a report day by day, with what was sent. */
export default function HistoryDrawer({ report, onClose }: { report: AlarmReport; onClose: () => void }) {
  const { t } = useTranslation()
  const query = useInfiniteQuery(
    api.alarmReports.runs.infiniteOptions({
      input: (offset: number) => ({ id: report.id, offset, limit: pageSize }),
      initialPageParam: 0,
      getNextPageParam: ({ offset, total }) => (offset + pageSize < total ? offset + pageSize : undefined),
    }),
  )
  const runs = query.data?.pages.flatMap(({ items }) => items)
  return (
    <Drawer
      opened
      onClose={onClose}
      position="right"
      size={520}
      title={t('alarmReports.historyOf', { title: report.title })}
      closeButtonProps={{ 'aria-label': t('common.close') }}
    >
      {query.isLoadingError ? (
        <ErrorState error={query.error} onRetry={() => void query.refetch()} compact />
      ) : runs === undefined ? (
        <Loading lines={4} />
      ) : runs.length === 0 ? (
        <EmptyState
          icon={IconHistory}
          title={t('alarmReports.noHistory')}
          text={
            report.nextAt === null
              ? t('alarmReports.off')
              : t('alarmReports.next', { time: formatTime(report.nextAt) })
          }
          compact
        />
      ) : (
        <Stack gap="md">
          {report.nextAt === null ? null : (
            <Text size="sm" c="dimmed">
              {t('alarmReports.next', { time: formatTime(report.nextAt) })}
            </Text>
          )}
          <ul className={classes.runs} aria-label={t('alarmReports.history')}>
            {runs.map((run) => (
              <Run key={run.id} report={report} run={run} />
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
      )}
    </Drawer>
  )
}

function Run({ report, run }: { report: AlarmReport; run: AlarmReportRun }) {
  const { t } = useTranslation()
  const { day, state, reason, recipients, refused, throughConnector, bytes } = run
  const load = useMutation({
    mutationFn: async (format: 'html' | 'pdf') => {
      const { body } = await client.alarmReports.file({ id: report.id, runId: run.id, format })
      download(`${report.title} ${day}.${format}`, body, body.type)
    },
    onError: (error) => notifyError(error),
  })
  const date = dayText(day)
  const sent = [
    ...(recipients > 0 ? [t('alarmReports.sentTo', { count: recipients })] : []),
    ...(throughConnector ? [t('alarmReports.throughConnector')] : []),
    ...(refused > 0 ? [t('alarmReports.refused', { count: refused })] : []),
  ]
  return (
    <li className={classes.run}>
      <Group justify="space-between" gap={8}>
        <Text fw={550}>{date}</Text>
        <StatusBadge tone={tones[state]} label={t(`alarmReports.states.${state}`)} />
      </Group>
      {reason === null ? null : <Text size="sm">{t(`alarmReports.reasons.${reason}`)}</Text>}
      {sent.length === 0 ? null : (
        <Text size="sm" c="dimmed">
          {sent.join(', ')}
        </Text>
      )}
      {bytes === null ? null : (
        <Group gap={8}>
          {(['pdf', 'html'] as const).map((format) => (
            <Button
              key={format}
              size="compact-sm"
              variant="default"
              leftSection={<Icon of={IconDownload} size={14} />}
              loading={load.isPending && load.variables === format}
              onClick={() => load.mutate(format)}
              aria-label={t('alarmReports.download', { format: format.toUpperCase(), day: date })}
            >
              {format.toUpperCase()} ({formatBytes(bytes[format])})
            </Button>
          ))}
        </Group>
      )}
    </li>
  )
}

/** A day of the report's zone, which is no moment. */
function dayText(day: string): string {
  return new Intl.DateTimeFormat(localeTag(), { dateStyle: 'full', timeZone: 'UTC' }).format(new Date(day))
}
