import type { Alarm } from '@leitstand/contract/alarms'
import { ActionIcon, Text, Tooltip } from '@mantine/core'
import { IconCheck } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { RelativeTime } from '../../ui/display/RelativeTime.tsx'
import classes from './alarms.module.css'
import { useAcknowledge } from './useTend.ts'

/** Who takes care of an alarm, or the button to do it. */
export function AlarmTending({ alarm }: { alarm: Alarm }) {
  const { t } = useTranslation()
  const acknowledge = useAcknowledge()
  if (alarm.acknowledged !== null) return <AcknowledgedBy alarm={alarm} />
  return (
    <Tooltip label={t('alarms.acknowledge')}>
      <ActionIcon
        variant="default"
        size={36}
        loading={acknowledge.isPending}
        aria-label={t('alarms.acknowledgeThis', { message: alarm.message })}
        onClick={() => acknowledge.mutate([alarm.id])}
      >
        <IconCheck size={18} stroke={1.8} aria-hidden />
      </ActionIcon>
    </Tooltip>
  )
}

/** Who takes care of an alarm, and since when; nothing if nobody does. */
export function AcknowledgedBy({ alarm }: { alarm: Alarm }) {
  const { t } = useTranslation()
  if (alarm.acknowledged === null) return null
  return (
    <Text span size="xs" c="dimmed" className={classes.by ?? ''}>
      {t('alarms.acknowledgedBy', { name: alarm.acknowledged.by })},{' '}
      <RelativeTime time={alarm.acknowledged.at} />
    </Text>
  )
}
