import { Text } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api } from '../../lib/api.ts'
import { useLive } from '../../lib/live.ts'
import { reread } from '../../lib/reread.ts'
import { useCan } from '../../lib/session.ts'
import { stringifySearch } from '../../lib/url.ts'
import { StatusBadge } from '../../ui/display/Badges.tsx'
import { RelativeTime } from '../../ui/display/RelativeTime.tsx'
import { ErrorText } from '../../ui/feedback/ErrorText.tsx'
import { RouterLink } from '../../ui/page/RouterLink.tsx'
import { Section } from '../../ui/page/Section.tsx'
import { AlarmTending } from './AlarmTending.tsx'
import classes from './alarms.module.css'
import { messageOf, originPath, reasonPath } from './pure.ts'

const shown = 5

interface OpenAlarmsProps {
  twinId: number
  /** of a device: more of them are searched by it */
  title?: string
}

/** Open alarms of a twin and of everything below it, the worst first; nothing if there are none. */
export default function OpenAlarms({ twinId, title }: OpenAlarmsProps) {
  const { t } = useTranslation()
  const can = useCan()
  const cache = useQueryClient()
  useLive('alarms', ({ kind }) => {
    if (kind === 'alarm' || kind === 'resync') void reread(cache, api.alarmLogs.key())
  })
  const list = useQuery(
    api.alarmLogs.list.queryOptions({
      input: { inTwinId: twinId, status: 'unresolved', orderBy: '-severity', limit: shown },
    }),
  )
  if (list.isLoadingError) return <ErrorText error={list.error} />
  if (!list.data || list.data.total === 0) return null
  const { items, total } = list.data
  const worst = items[0]?.severity ?? 'warning'
  return (
    <Section
      title={t('alarms.openHere', { count: total })}
      actions={
        total === 1 ? null : (
          <StatusBadge
            tone={worst}
            icon={IconAlertTriangle}
            label={t('alarms.worst', { severity: t(`alarms.severities.${worst}`) })}
          />
        )
      }
    >
      <ul className={classes.open}>
        {items.map((alarm) => (
          <li key={alarm.id}>
            <StatusBadge
              tone={alarm.severity}
              icon={IconAlertTriangle}
              label={t(`home.severity.${alarm.severity}`)}
            />
            <span className={classes.openText}>
              <RouterLink to={reasonPath(alarm)} c="inherit" fw={550} lineClamp={2}>
                {messageOf(t, alarm)}
              </RouterLink>
              {alarm.originId === twinId ? null : (
                <RouterLink to={originPath(alarm)} size="sm" c="dimmed">
                  {alarm.originTitle}
                </RouterLink>
              )}
            </span>
            <Text span size="sm" c="dimmed">
              <RelativeTime time={alarm.raisedAt} />
            </Text>
            <AlarmTending alarm={alarm} />
          </li>
        ))}
      </ul>
      {total > items.length && can('VirtualDevice', 'read') ? (
        <RouterLink to={`/alarm-logs${stringifySearch({ status: 'unresolved', q: title })}`} size="sm">
          {t('alarms.openMore', { count: total - items.length })}
        </RouterLink>
      ) : null}
    </Section>
  )
}
