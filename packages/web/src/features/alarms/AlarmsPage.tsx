import type { Alarm } from '@leitstand/contract/alarms'
import { Badge, Button, Drawer, Text } from '@mantine/core'
import {
  IconBarrierBlock,
  IconBellRinging,
  IconBellZ,
  IconChartBar,
  IconCheck,
  IconCircleCheck,
  IconClock,
  IconHourglass,
  IconMessage,
  IconUserCheck,
} from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../../lib/api.ts'
import { formatTime } from '../../lib/format.ts'
import { useUser } from '../../lib/session.ts'
import { useNow } from '../../lib/time.ts'
import { one, useUrlSearch } from '../../lib/url.ts'
import { StatusBadge } from '../../ui/display/Badges.tsx'
import { RelativeTime } from '../../ui/display/RelativeTime.tsx'
import { EmptyState } from '../../ui/feedback/EmptyState.tsx'
import { ErrorState } from '../../ui/feedback/ErrorState.tsx'
import { Loading } from '../../ui/feedback/Loading.tsx'
import { ListPage } from '../../ui/list/ListPage.tsx'
import type { ListColumn, ListFilter } from '../../ui/list/types.ts'
import { MoreMenu } from '../../ui/page/ActionMenu.tsx'
import { RouterLink } from '../../ui/page/RouterLink.tsx'
import { AlarmDrawer } from './AlarmDrawer.tsx'
import { AlarmOrigin } from './AlarmOrigin.tsx'
import { AcknowledgedBy } from './AlarmTending.tsx'
import { alarmFilter, alarmFilterValues } from './alarmFilter.ts'
import classes from './alarms.module.css'
import { CommentDialog } from './CommentDialog.tsx'
import { alarmDurationMs, durationText } from './duration.ts'
import { MaintenanceDrawer } from './MaintenanceDrawer.tsx'
import { messageOf, reasonPath } from './pure.ts'
import { SnoozeDialog } from './SnoozeMenu.tsx'
import { TimesDialog } from './TimesDialog.tsx'
import { useLiveAlarms } from './useLiveAlarms.ts'
import { useAcknowledgeAll, useAssign, useSnooze } from './useTasks.ts'

/** The alarm log, `/alarm-logs`: newest first, live. */
export default function AlarmsPage() {
  const { t } = useTranslation()
  useLiveAlarms()
  const navigate = useNavigate()
  const [search, update] = useUrlSearch()
  const isMaintenanceShown = one(search, 'maintenance') === '1'
  const [open, setOpen] = useOpenAlarm()
  const [snoozing, setSnoozing] = useState<{ ids: number[]; clear: () => void } | null>(null)
  const [shown, setShown] = useState<'times' | null>(null)
  const { id: userId } = useUser()
  const assign = useAssign()
  const snooze = useSnooze()
  const [commenting, setCommenting] = useState<{ ids: number[]; clear: () => void } | null>(null)
  const acknowledge = useAcknowledgeAll()
  return (
    <>
      <ListPage<Alarm>
        name="alarms"
        title={t('alarms.heading')}
        description={t('alarms.description')}
        primaryAction={
          <>
            <Button
              variant="default"
              leftSection={<IconChartBar size={16} aria-hidden />}
              onClick={() => {
                const { account, severity, category } = search
                void navigate({ to: '/alarm-logs/analysis', search: { account, severity, category } })
              }}
            >
              {t('alarms.analysis.show')}
            </Button>
            <MoreMenu
              actions={[
                {
                  label: t('maintenance.heading'),
                  icon: IconBarrierBlock,
                  onClick: () => update({ maintenance: '1' }, { push: true }),
                },
                { label: t('alarms.times.heading'), icon: IconHourglass, onClick: () => setShown('times') },
              ]}
            />
          </>
        }
        columns={useColumns()}
        filters={useFilters()}
        query={({ offset, limit, search, accountIds, orderBy, filters }) =>
          api.alarmLogs.list.queryOptions({
            input: {
              offset,
              limit,
              ...(search ? { search } : {}),
              ...(accountIds ? { accountIds } : {}),
              ...(orderBy ? { orderBy: orderBy as '-raisedAt' } : {}),
              ...alarmFilter(filters),
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
            label: t('alarms.assignMe'),
            icon: IconUserCheck,
            hidden: alarm.assigned?.userId === userId,
            onClick: () => assign.mutate({ ids: [alarm.id], userId }),
          },
          {
            label: t('alarms.snooze'),
            icon: IconBellZ,
            hidden: alarm.resolvedAt !== null || alarm.snoozed !== null,
            onClick: () => setSnoozing({ ids: [alarm.id], clear: () => undefined }),
          },
          {
            label: t('alarms.wake'),
            icon: IconBellRinging,
            hidden: alarm.snoozed === null,
            onClick: () => snooze.mutate({ ids: [alarm.id], until: null }),
          },
          {
            label: t('alarms.openComments', { count: alarm.comments }),
            icon: IconMessage,
            onClick: () => setOpen(alarm.id),
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
            label: t('alarms.assignMe'),
            icon: IconUserCheck,
            onClick: (rows, clear) =>
              assign.mutate({ ids: rows.map(({ id }) => id), userId }, { onSuccess: clear }),
          },
          {
            label: t('alarms.snooze'),
            icon: IconBellZ,
            onClick: (rows, clear) => setSnoozing({ ids: rows.map(({ id }) => id), clear }),
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
      {open === null ? null : <OpenAlarm key={open} id={open} onClose={() => setOpen(null)} />}
      {isMaintenanceShown ? <MaintenanceDrawer onClose={() => update({ maintenance: undefined })} /> : null}
      {shown === 'times' ? <TimesDialog onClose={() => setShown(null)} /> : null}
      {snoozing === null ? null : (
        <SnoozeDialog
          onChosen={(until) => snooze.mutate({ ids: snoozing.ids, until }, { onSuccess: snoozing.clear })}
          onClose={() => setSnoozing(null)}
        />
      )}
      {commenting === null ? null : (
        <CommentDialog ids={commenting.ids} onDone={commenting.clear} onClose={() => setCommenting(null)} />
      )}
    </>
  )
}

/** The alarm in the address, so that a link can lead to it and Back closes it. */
function useOpenAlarm(): [number | null, (id: number | null) => void] {
  const [search, setSearch] = useUrlSearch()
  const id = Number(one(search, 'alarm'))
  return [
    Number.isSafeInteger(id) && id > 0 ? id : null,
    (next) => setSearch({ alarm: next === null ? undefined : String(next) }, { push: next !== null }),
  ]
}

/** The drawer of an alarm, as it is now: the list may show another page by the time it changes. */
function OpenAlarm({ id, onClose }: { id: number; onClose: () => void }) {
  const { t } = useTranslation()
  const list = useQuery(
    api.alarmLogs.list.queryOptions({ input: { ids: [id], limit: 1 }, placeholderData: keepPreviousData }),
  )
  const alarm = list.data?.items[0]
  if (alarm) return <AlarmDrawer alarm={alarm} onClose={onClose} />
  return (
    <Drawer
      opened
      onClose={onClose}
      position="right"
      size={520}
      title={t('alarms.heading')}
      closeButtonProps={{ 'aria-label': t('common.close') }}
    >
      {list.isLoadingError ? (
        <ErrorState error={list.error} onRetry={() => void list.refetch()} compact />
      ) : null}
      {list.isPending ? <Loading lines={5} /> : null}
      {list.data ? (
        <EmptyState icon={IconBellRinging} title={t('alarms.gone')} text={t('alarms.goneText')} compact />
      ) : null}
    </Drawer>
  )
}

function useFilters(): ListFilter[] {
  const { t } = useTranslation()
  return [
    {
      key: 'status',
      label: t('alarms.status'),
      multiple: false,
      options: [
        { value: 'untended', label: t('alarms.openUntended') },
        { value: 'unresolved', label: t('alarms.open') },
        { value: 'snoozed', label: t('alarms.snoozed') },
        { value: 'maintained', label: t('alarms.maintained') },
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
      key: 'category',
      label: t('alarms.category'),
      multiple: true,
      options: alarmFilterValues.category.map((category) => ({
        value: category,
        label: t(`alarms.categories.${category}`),
      })),
    },
    {
      key: 'source',
      label: t('alarms.rule'),
      multiple: true,
      options: alarmFilterValues.source.map((source) => ({
        value: source,
        label: t(`alarms.sources.${source}`),
      })),
    },
    {
      key: 'assigned',
      label: t('alarms.assigned'),
      multiple: false,
      options: [
        { value: 'me', label: t('alarms.me') },
        { value: 'anyone', label: t('alarms.anyone') },
        { value: 'nobody', label: t('alarms.nobody') },
      ],
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
    {
      key: 'operation',
      label: t('devices.field.operationalStatus'),
      multiple: true,
      options: alarmFilterValues.operation.map((status) => ({
        value: status,
        label: t(`operational.${status}`),
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
      width: 280,
      csv: (alarm) => messageOf(t, alarm),
      render: (alarm) => (
        <span className={classes.tending}>
          <Text span fw={550} className={classes.message ?? ''}>
            {messageOf(t, alarm)}
          </Text>
          {alarm.occurrences === 1 ? null : (
            <Badge variant="light" color="gray" size="sm" tt="none">
              {t('alarms.occurred', { count: alarm.occurrences })}
            </Badge>
          )}
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
      sortable: true,
      csv: (alarm) => t(`alarms.severities.${alarm.severity}`),
      render: (alarm) => (
        <StatusBadge tone={alarm.severity} label={t(`alarms.severities.${alarm.severity}`)} />
      ),
    },
    {
      key: 'status',
      title: t('alarms.status'),
      width: 150,
      csv: (alarm) => t(alarm.resolvedAt ? 'alarms.resolved' : 'alarms.open'),
      render: (alarm) => (
        <span className={classes.tending}>
          {alarm.resolvedAt ? (
            <StatusBadge tone="ok" label={t('alarms.resolved')} />
          ) : (
            <StatusBadge tone="accent" icon={IconBellRinging} label={t('alarms.open')} />
          )}
          {alarm.snoozed === null ? null : (
            <Text span size="xs" c="dimmed">
              {t('alarms.snoozedUntil', { until: formatTime(alarm.snoozed.until) })}
            </Text>
          )}
          {alarm.maintained ? (
            <Text span size="xs" c="dimmed">
              {t('alarms.maintained')}
            </Text>
          ) : null}
          {alarm.assigned === null ? null : (
            <Text span size="xs" c="dimmed">
              {t('alarms.assignedTo', { name: alarm.assigned.name })}
            </Text>
          )}
          <AcknowledgedBy alarm={alarm} />
        </span>
      ),
    },
    {
      key: 'origin',
      title: t('alarms.origin'),
      csv: (alarm) => alarm.originTitle || t('alarms.platform'),
      render: (alarm) => <AlarmOrigin alarm={alarm} plain />,
    },
    {
      key: 'assigned',
      title: t('alarms.assigned'),
      optional: true,
      csv: (alarm) => alarm.assigned?.name,
      render: (alarm) => alarm.assigned?.name ?? '–',
    },
    {
      key: 'category',
      title: t('alarms.category'),
      optional: true,
      csv: (alarm) => t(`alarms.categories.${alarm.category}`),
      render: (alarm) => t(`alarms.categories.${alarm.category}`),
    },
    {
      key: 'operation',
      title: t('devices.field.operationalStatus'),
      optional: true,
      csv: (alarm) => (alarm.operationalStatus === null ? '' : t(`operational.${alarm.operationalStatus}`)),
      render: (alarm) =>
        alarm.operationalStatus === null ? '–' : t(`operational.${alarm.operationalStatus}`),
    },
    {
      key: 'rule',
      title: t('alarms.rule'),
      hideBelow: 'md',
      card: 'fact',
      csv: (alarm) => alarm.ruleTitle ?? t(`alarms.sources.${alarm.source}`),
      render: (alarm) =>
        alarm.ruleId === null ? (
          t(`alarms.sources.${alarm.source}`)
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
      sortable: true,
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
      sortable: true,
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
