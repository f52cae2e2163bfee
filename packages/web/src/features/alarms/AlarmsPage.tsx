import type { Alarm } from '@leitstand/contract/alarms'
import { Text } from '@mantine/core'
import { IconBellRinging, IconCheck, IconCircleCheck, IconClock, IconMessage } from '@tabler/icons-react'
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../../lib/api.ts'
import { formatTime } from '../../lib/format.ts'
import { useLive } from '../../lib/live.ts'
import { thingPath } from '../../lib/recent.ts'
import { reread } from '../../lib/reread.ts'
import { useNow } from '../../lib/time.ts'
import { StatusBadge } from '../../ui/display/Badges.tsx'
import { RelativeTime } from '../../ui/display/RelativeTime.tsx'
import { EmptyState } from '../../ui/feedback/EmptyState.tsx'
import { ListPage } from '../../ui/list/ListPage.tsx'
import type { ListColumn, ListFilter } from '../../ui/list/types.ts'
import { RouterLink } from '../../ui/page/RouterLink.tsx'
import { AlarmDrawer } from './AlarmDrawer.tsx'
import { AcknowledgedBy } from './AlarmTending.tsx'
import classes from './alarms.module.css'
import { CommentDialog } from './CommentDialog.tsx'
import { alarmDurationMs, durationText } from './duration.ts'
import { reasonPath } from './pure.ts'
import { useAcknowledge } from './useTend.ts'

/** Collects a burst of alarms into one refresh. */
const gatherMs = 800

/** The alarm log, `/alarm-logs`: newest first, live. */
export default function AlarmsPage() {
  const { t } = useTranslation()
  useLiveAlarms()
  const [open, setOpen] = useState<Alarm | null>(null)
  const [commenting, setCommenting] = useState<{ ids: number[]; clear: () => void } | null>(null)
  const acknowledge = useAcknowledge()
  return (
    <>
      <ListPage<Alarm>
        name="alarms"
        title={t('alarms.heading')}
        description={t('alarms.description')}
        columns={useColumns()}
        filters={useFilters()}
        query={({ offset, limit, search, accountIds, filters }) =>
          api.alarmLogs.list.queryOptions({
            input: {
              offset,
              limit,
              ...(search ? { search } : {}),
              ...(accountIds ? { accountIds } : {}),
              ...(filters.status?.[0] ? { status: filters.status[0] as 'resolved' } : {}),
              ...(filters.severity?.[0] ? { severity: filters.severity[0] as 'warning' } : {}),
              ...(filters.acknowledged?.[0] ? { acknowledged: filters.acknowledged[0] === 'yes' } : {}),
            },
          })
        }
        rowKey={(alarm) => alarm.id}
        rowHref={reasonPath}
        rowMenu={(alarm) => [
          {
            label: t('alarms.acknowledge'),
            icon: IconCheck,
            hidden: alarm.acknowledged !== null,
            onClick: () => acknowledge.mutate([alarm.id]),
          },
          {
            label: t('alarms.openComments', { count: alarm.comments }),
            icon: IconMessage,
            onClick: () => setOpen(alarm),
          },
        ]}
        bulkActions={[
          {
            label: t('alarms.acknowledge'),
            icon: IconCheck,
            onClick: (rows, clear) =>
              acknowledge.mutate(
                rows.map(({ id }) => id),
                { onSuccess: clear },
              ),
          },
          {
            label: t('alarms.comment'),
            icon: IconMessage,
            onClick: (rows, clear) => setCommenting({ ids: rows.map(({ id }) => id), clear }),
          },
        ]}
        searchPlaceholder={t('alarms.searchPlaceholder')}
        withAccounts
        empty={<EmptyState icon={IconCircleCheck} title={t('alarms.empty')} text={t('alarms.emptyText')} />}
      />
      {open === null ? null : <OpenAlarm alarm={open} onClose={() => setOpen(null)} />}
      {commenting === null ? null : (
        <CommentDialog ids={commenting.ids} onDone={commenting.clear} onClose={() => setCommenting(null)} />
      )}
    </>
  )
}

/** The drawer of an alarm, as it is now: the list may show another page by the time it changes. */
function OpenAlarm({ alarm, onClose }: { alarm: Alarm; onClose: () => void }) {
  const list = useQuery(
    api.alarmLogs.list.queryOptions({
      input: { ids: [alarm.id], limit: 1 },
      placeholderData: keepPreviousData,
    }),
  )
  return <AlarmDrawer alarm={list.data?.items[0] ?? alarm} onClose={onClose} />
}

/** Reloads the list after alarms are raised, acknowledged or resolved, once per burst. */
function useLiveAlarms(): void {
  const cache = useQueryClient()
  const waiting = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  useEffect(() => () => clearTimeout(waiting.current), [])
  useLive('alarms', (message) => {
    if ((message.kind !== 'alarm' && message.kind !== 'resync') || waiting.current !== undefined) return
    waiting.current = setTimeout(() => {
      waiting.current = undefined
      void reread(cache, api.alarmLogs.key())
    }, gatherMs)
  })
}

function useFilters(): ListFilter[] {
  const { t } = useTranslation()
  return [
    {
      key: 'status',
      label: t('alarms.status'),
      multiple: false,
      options: [
        { value: 'unresolved', label: t('alarms.open') },
        { value: 'resolved', label: t('alarms.resolved') },
      ],
    },
    {
      key: 'severity',
      label: t('alarms.severity'),
      multiple: false,
      options: (['error', 'warning'] as const).map((severity) => ({
        value: severity,
        label: t(`alarms.severities.${severity}`),
      })),
    },
    {
      key: 'acknowledged',
      label: t('alarms.tending'),
      multiple: false,
      options: [
        { value: 'no', label: t('alarms.untended') },
        { value: 'yes', label: t('alarms.acknowledged') },
      ],
    },
  ]
}

function useColumns(): ListColumn<Alarm>[] {
  const { t } = useTranslation()
  return [
    {
      key: 'message',
      title: t('alarms.message'),
      width: 220,
      csv: (alarm) => alarm.message,
      render: (alarm) => (
        <span className={classes.tending}>
          <Text span fw={550} className={classes.message ?? ''}>
            {alarm.message}
          </Text>
          {alarm.comments === 0 ? null : (
            <Text span size="xs" c="dimmed">
              {t('alarms.commentCount', { count: alarm.comments })}
            </Text>
          )}
        </span>
      ),
    },
    {
      key: 'severity',
      title: t('alarms.severity'),
      csv: (alarm) => t(`alarms.severities.${alarm.severity}`),
      render: (alarm) => (
        <StatusBadge tone={alarm.severity} label={t(`alarms.severities.${alarm.severity}`)} />
      ),
    },
    {
      key: 'status',
      title: t('alarms.status'),
      csv: (alarm) => t(alarm.resolvedAt ? 'alarms.resolved' : 'alarms.open'),
      render: (alarm) => (
        <span className={classes.tending}>
          {alarm.resolvedAt ? (
            <StatusBadge tone="ok" label={t('alarms.resolved')} />
          ) : (
            <StatusBadge tone="accent" icon={IconBellRinging} label={t('alarms.open')} />
          )}
          <AcknowledgedBy alarm={alarm} />
        </span>
      ),
    },
    {
      key: 'origin',
      title: t('alarms.origin'),
      csv: (alarm) => alarm.originTitle,
      render: (alarm) => (
        <RouterLink to={thingPath(alarm.originCategory, alarm.originId)} c="inherit">
          {alarm.originTitle}
        </RouterLink>
      ),
    },
    {
      key: 'rule',
      title: t('alarms.rule'),
      hideBelow: 'md',
      card: 'fact',
      csv: (alarm) => alarm.ruleTitle,
      render: (alarm) =>
        alarm.ruleId === null ? (
          t(`alarms.categories.${alarm.category}`)
        ) : (
          <RouterLink to={reasonPath(alarm)} c="inherit">
            {alarm.ruleTitle ?? String(alarm.ruleId)}
          </RouterLink>
        ),
    },
    {
      key: 'tending',
      title: t('alarms.tending'),
      optional: true,
      csv: (alarm) => alarm.acknowledged?.by ?? '',
      render: (alarm) => alarm.acknowledged?.by ?? '–',
    },
    {
      key: 'comments',
      title: t('alarms.comments'),
      optional: true,
      align: 'right',
      csv: (alarm) => alarm.comments,
      render: (alarm) => alarm.comments,
    },
    {
      key: 'account',
      title: t('alarms.account'),
      optional: true,
      csv: (alarm) => alarm.accountName,
      render: (alarm) => alarm.accountName,
    },
    {
      key: 'raisedAt',
      title: t('alarms.raisedAt'),
      hideBelow: 'xs',
      card: 'fact',
      csv: (alarm) => formatTime(alarm.raisedAt),
      render: (alarm) => <RelativeTime time={alarm.raisedAt} />,
    },
    {
      key: 'resolvedAt',
      title: t('alarms.resolvedAt'),
      optional: true,
      csv: (alarm) => (alarm.resolvedAt ? formatTime(alarm.resolvedAt) : ''),
      render: (alarm) => <RelativeTime time={alarm.resolvedAt} />,
    },
    {
      key: 'duration',
      title: t('alarms.duration'),
      align: 'right',
      hideBelow: 'sm',
      csv: (alarm) => Math.round(alarmDurationMs(alarm, Date.now()) / 1000),
      render: (alarm) => <Duration alarm={alarm} />,
    },
  ]
}

/** Duration of an alarm; keeps counting while it is open. */
function Duration({ alarm }: { alarm: Alarm }) {
  const nowMs = useNow()
  return (
    <Text span size="sm" className="tabular" {...(alarm.resolvedAt ? { c: 'dimmed' } : {})}>
      {alarm.resolvedAt ? null : (
        <IconClock size={13} stroke={1.6} aria-hidden style={{ verticalAlign: -2, marginRight: 4 }} />
      )}
      {durationText(alarmDurationMs(alarm, nowMs))}
    </Text>
  )
}
