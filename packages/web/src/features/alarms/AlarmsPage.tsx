import type { Alarm } from '@leitstand/contract/alarms'
import { Text } from '@mantine/core'
import { IconBellRinging, IconCircleCheck, IconClock } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
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
import { alarmDurationMs, durationText } from './duration.ts'
import { reasonPath } from './pure.ts'

/** Collects a burst of alarms into one refresh. */
const gatherMs = 800

/** The alarm log, `/alarm-logs`: newest first, live. */
export default function AlarmsPage() {
  const { t } = useTranslation()
  useLiveAlarms()
  return (
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
          },
        })
      }
      rowKey={(alarm) => alarm.id}
      rowHref={reasonPath}
      searchPlaceholder={t('alarms.searchPlaceholder')}
      withAccounts
      empty={<EmptyState icon={IconCircleCheck} title={t('alarms.empty')} text={t('alarms.emptyText')} />}
    />
  )
}

/** Reloads the list after alarms are raised or resolved, once per burst. */
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
  ]
}

function useColumns(): ListColumn<Alarm>[] {
  const { t } = useTranslation()
  return [
    {
      key: 'message',
      title: t('alarms.message'),
      width: 290,
      csv: (alarm) => alarm.message,
      render: (alarm) => (
        <Text span fw={550} style={{ overflowWrap: 'anywhere' }}>
          {alarm.message}
        </Text>
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
      render: (alarm) =>
        alarm.resolvedAt ? (
          <StatusBadge tone="ok" label={t('alarms.resolved')} />
        ) : (
          <StatusBadge tone="accent" icon={IconBellRinging} label={t('alarms.open')} />
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
