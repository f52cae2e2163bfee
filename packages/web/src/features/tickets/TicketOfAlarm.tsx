import type { Alarm } from '@leitstand/contract/alarms'
import { Button } from '@mantine/core'
import { IconTicket } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { useCan } from '../../lib/session.ts'
import { messageOf } from '../alarms/pure.ts'

const subjectMax = 120

/** Leads to the report of a fault at the twin of an alarm, with what the alarm says. */
export default function TicketOfAlarm({ alarm }: { alarm: Alarm }) {
  const { t } = useTranslation()
  const can = useCan()
  const navigate = useNavigate()
  const mayReport = can('IsFmTicket', 'create') || can('IsFmTicket', 'manage')
  if (!mayReport || alarm.originCategory !== 'digitalTwin' || alarm.originId === null) return null
  return (
    <div>
      <Button
        variant="default"
        leftSection={<IconTicket size={16} aria-hidden />}
        onClick={() =>
          void navigate({
            to: '/fm-add-ticket',
            search: {
              twin: String(alarm.originId),
              alarm: String(alarm.id),
              subject: messageOf(t, alarm).slice(0, subjectMax),
            },
          })
        }
      >
        {t('tickets.ofAlarm')}
      </Button>
    </div>
  )
}
