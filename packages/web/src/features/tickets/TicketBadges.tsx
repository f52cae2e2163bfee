import type { Ticket, TicketPerson } from '@leitstand/contract/tickets'
import { IconCalendarDue, IconCircleDashed, IconFlag, IconProgress } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { formatDate } from '../../lib/format.ts'
import { StatusBadge } from '../../ui/display/Badges.tsx'
import type { IconType } from '../../ui/display/Icon.tsx'
import { isOverdue, priorityTones, stateTones } from './pure.ts'

const stateIcons: Readonly<Record<Ticket['state'], IconType | undefined>> = {
  0: IconCircleDashed,
  1: IconProgress,
  2: undefined,
}

export function StateBadge({ state }: Pick<Ticket, 'state'>) {
  const { t } = useTranslation()
  return (
    <StatusBadge tone={stateTones[state]} icon={stateIcons[state]} label={t(`tickets.states.${state}`)} />
  )
}

/** How urgent it is; nothing for what is as urgent as most. */
export function PriorityBadge({ priority }: Pick<Ticket, 'priority'>) {
  const { t } = useTranslation()
  if (priority === 'normal') return null
  return (
    <StatusBadge tone={priorityTones[priority]} icon={IconFlag} label={t(`tickets.priorities.${priority}`)} />
  )
}

/** The day it is due. */
export function DueBadge(ticket: Pick<Ticket, 'dueAt' | 'state'>) {
  const { t } = useTranslation()
  if (ticket.dueAt === null) return null
  const isOver = isOverdue(ticket)
  const day = formatDate(`${ticket.dueAt}T12:00:00`)
  return (
    <StatusBadge
      tone={isOver ? 'error' : 'unknown'}
      icon={IconCalendarDue}
      label={isOver ? `${t('tickets.overdue')}: ${day}` : day}
    />
  )
}

/** The name of somebody, as far as the reader may see it. */
export function PersonName({ person }: { person: TicketPerson }) {
  const { t } = useTranslation()
  return person.name === null ? <i>{t('tickets.noUserRead')}</i> : person.name
}
