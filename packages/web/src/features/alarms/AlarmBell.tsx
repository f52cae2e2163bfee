import { ActionIcon, Group, Indicator, Popover, Text } from '@mantine/core'
import { IconBell, IconCircleCheck } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../../lib/api.ts'
import { useCan } from '../../lib/session.ts'
import { StatusBadge } from '../../ui/display/Badges.tsx'
import { Icon } from '../../ui/display/Icon.tsx'
import { RelativeTime } from '../../ui/display/RelativeTime.tsx'
import { EmptyState } from '../../ui/feedback/EmptyState.tsx'
import { ErrorText } from '../../ui/feedback/ErrorText.tsx'
import { RouterLink } from '../../ui/page/RouterLink.tsx'
import { AlarmTending } from './AlarmTending.tsx'
import classes from './alarms.module.css'
import { alarmPath, messageOf } from './pure.ts'
import { useLiveAlarms } from './useLiveAlarms.ts'

const shown = 5
/** More are as many as anybody can read on a bell. */
const countMax = 99
const untended = { status: 'unresolved', acknowledged: false, snoozed: false, maintained: false } as const

/** Open alarms that nobody takes care of: how many, and the latest. */
export default function AlarmBell() {
  const { t } = useTranslation()
  const can = useCan()
  const [open, setOpen] = useState(false)
  useLiveAlarms()
  const list = useQuery(api.alarmLogs.list.queryOptions({ input: { ...untended, limit: shown } }))
  const total = list.data?.total ?? 0
  const hasErrors = list.data?.items.some(({ severity }) => severity === 'error') ?? false
  return (
    <Popover
      opened={open}
      onChange={setOpen}
      position="bottom-end"
      width={360}
      trapFocus
      returnFocus
      withinPortal
    >
      <Indicator
        disabled={total === 0}
        label={total > countMax ? `${countMax}+` : total}
        size={16}
        offset={6}
        color={hasErrors ? 'red.7' : 'yellow.9'}
      >
        <Popover.Target>
          <ActionIcon
            size={36}
            aria-label={t('alarms.bell', { count: total })}
            onClick={() => setOpen((is) => !is)}
          >
            <Icon of={IconBell} />
          </ActionIcon>
        </Popover.Target>
      </Indicator>
      <Popover.Dropdown className={classes.bell ?? ''}>
        <Group justify="space-between" mb="sm">
          <Text fw={600} size="sm">
            {t('alarms.openUntended')}
          </Text>
          {can('VirtualDevice', 'read') ? (
            <RouterLink to="/alarm-logs?status=untended" size="sm" onClick={() => setOpen(false)}>
              {t('alarms.bellAll')}
            </RouterLink>
          ) : null}
        </Group>
        {list.error ? <ErrorText error={list.error} /> : null}
        {list.data && total === 0 ? (
          <EmptyState
            icon={IconCircleCheck}
            title={t('alarms.bellNone')}
            text={t('alarms.bellNoneText')}
            compact
          />
        ) : null}
        <ul className={classes.open}>
          {list.data?.items.map((alarm) => (
            <li key={alarm.id}>
              <StatusBadge tone={alarm.severity} label={t(`alarms.severities.${alarm.severity}`)} />
              <span className={classes.openText}>
                <RouterLink
                  to={alarmPath(alarm.id)}
                  c="inherit"
                  fw={550}
                  lineClamp={2}
                  onClick={() => setOpen(false)}
                >
                  {messageOf(t, alarm)}
                </RouterLink>
                <Text span size="sm" c="dimmed">
                  {alarm.originTitle || t('alarms.platform')} · <RelativeTime time={alarm.raisedAt} />
                </Text>
              </span>
              <AlarmTending alarm={alarm} />
            </li>
          ))}
        </ul>
      </Popover.Dropdown>
    </Popover>
  )
}
