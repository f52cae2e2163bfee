import { Group, Text } from '@mantine/core'
import { IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../../lib/api.ts'
import { useLive } from '../../lib/live.ts'
import { reread } from '../../lib/reread.ts'
import { useCan } from '../../lib/session.ts'
import { StatusBadge } from '../../ui/display/Badges.tsx'
import { RelativeTime } from '../../ui/display/RelativeTime.tsx'
import { EmptyState } from '../../ui/feedback/EmptyState.tsx'
import { ErrorState } from '../../ui/feedback/ErrorState.tsx'
import { Loading } from '../../ui/feedback/Loading.tsx'
import { RouterLink } from '../../ui/page/RouterLink.tsx'
import { AlarmTending } from '../alarms/index.ts'
import { messageOf, originPath, reasonPath } from '../alarms/pure.ts'
import classes from './home.module.css'
import { Panel } from './Panel.tsx'

const open = { status: 'unresolved' } as const

/** The alarm log is open to those who may see devices; alarms of twins are also shown to others. */
function LinkIf({ isLink, to, children }: { isLink: boolean; to: string; children: ReactNode }) {
  if (!isLink) return children
  return (
    <RouterLink to={to} underline="never">
      {children}
    </RouterLink>
  )
}

/** Open alarms: how many of each severity, and the latest. */
export function Alarms() {
  const { t } = useTranslation()
  const can = useCan()
  const hasLog = can('VirtualDevice', 'read')
  const cache = useQueryClient()
  useLive('alarms', ({ kind }) => {
    if (kind === 'alarm' || kind === 'resync') void reread(cache, api.alarmLogs.key())
  })
  const list = useQuery(api.alarmLogs.list.queryOptions({ input: { ...open, limit: 5 } }))
  const errors = useQuery(
    api.alarmLogs.list.queryOptions({ input: { ...open, severity: 'error', limit: 1 } }),
  )
  const failed = errors.data?.total ?? 0
  const counts = { error: failed, warning: Math.max(0, (list.data?.total ?? 0) - failed) }
  return (
    <Panel
      title={t('home.alarms')}
      aside={
        <Group gap="md">
          {list.data && errors.data
            ? (['error', 'warning'] as const).map((severity) =>
                counts[severity] === 0 ? null : (
                  <LinkIf
                    key={severity}
                    isLink={hasLog}
                    to={`/alarm-logs?status=unresolved&severity=${severity}`}
                  >
                    <StatusBadge
                      tone={severity}
                      label={t(`overview.alarms.${severity}`, { count: counts[severity] })}
                    />
                  </LinkIf>
                ),
              )
            : null}
          {hasLog ? (
            <RouterLink to="/alarm-logs" size="sm">
              {t('home.allAlarms')}
            </RouterLink>
          ) : null}
        </Group>
      }
    >
      {list.isLoadingError ? (
        <ErrorState error={list.error} onRetry={() => void list.refetch()} compact />
      ) : null}
      {list.isPending ? <Loading lines={4} /> : null}
      {list.data?.items.length === 0 ? (
        <EmptyState icon={IconCircleCheck} title={t('home.noAlarms')} text={t('home.noAlarmsHint')} compact />
      ) : null}
      {list.data && list.data.items.length > 0 ? (
        <ul className={classes.rows}>
          {list.data.items.map((alarm) => (
            <li key={alarm.id} className={`${classes.row} ${classes.rowBadge}`}>
              <StatusBadge
                tone={alarm.severity}
                icon={IconAlertTriangle}
                label={t(`home.severity.${alarm.severity}`)}
              />
              <span className={classes.rowText}>
                <RouterLink to={originPath(alarm)} c="inherit" fw={550}>
                  {alarm.originTitle || t('alarms.platform')}
                </RouterLink>
                <RouterLink to={reasonPath(alarm)} size="sm" c="dimmed" lineClamp={2}>
                  {messageOf(t, alarm)}
                </RouterLink>
              </span>
              <Text span size="sm" c="dimmed" className={classes.rowTime}>
                <RelativeTime time={alarm.raisedAt} />
              </Text>
              <AlarmTending alarm={alarm} />
            </li>
          ))}
        </ul>
      ) : null}
    </Panel>
  )
}
