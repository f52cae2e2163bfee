import { ActionIcon, Group, Indicator, Popover, Text } from '@mantine/core'
import { IconCircleCheck, IconTicket } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useCallback, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, tokenStore } from '../../lib/api.ts'
import { useCan, useUser } from '../../lib/session.ts'
import { useStore } from '../../lib/store.ts'
import { Icon } from '../../ui/display/Icon.tsx'
import { RelativeTime } from '../../ui/display/RelativeTime.tsx'
import { EmptyState } from '../../ui/feedback/EmptyState.tsx'
import { ErrorText } from '../../ui/feedback/ErrorText.tsx'
import { notifySuccess } from '../../ui/feedback/notify.ts'
import { RouterLink } from '../../ui/page/RouterLink.tsx'
import { rememberReporter } from './kept/reporter.ts'
import type { SentTicket } from './kept/send.ts'
import { useSendWhenOnline } from './kept/useKept.ts'
import { placeText, ticketPath, titleOf } from './pure.ts'
import { PriorityBadge } from './TicketBadges.tsx'
import classes from './tickets.module.css'
import { useLiveTickets } from './useLiveTickets.ts'

const shown = 5
/** More are as many as anybody can read on a bell. */
const countMax = 99

/** Of tickets in the toolbar: the bell, for those who read them; and what waits on this device is sent, for those who report. */
export default function TicketTools() {
  const can = useCan()
  const reads = can('IsFmTicket', 'read') || can('IsFmTicket', 'manage')
  const reports = can('IsFmTicket', 'create') || can('IsFmTicket', 'manage')
  return (
    <>
      {reads ? <TicketBell /> : null}
      {reports ? <Sender /> : null}
    </>
  )
}

function Sender() {
  const { t } = useTranslation()
  const tell = useCallback(
    (tickets: readonly SentTicket[]) => {
      for (const { number, subject } of tickets) notifySuccess(t('tickets.kept.sent', { number, subject }))
    },
    [t],
  )
  useSendWhenOnline(tell)
  const { id } = useUser()
  const token = useStore(tokenStore)
  useEffect(() => {
    if (token !== null) rememberReporter(id, token)
  }, [id, token])
  return null
}

/** Tickets that nobody has begun to work on: how many, and the latest. */
function TicketBell() {
  const { t } = useTranslation()
  const [open, setOpen] = useState(false)
  useLiveTickets()
  const { data } = useQuery(api.isFmTicket.count.queryOptions({ input: {} }))
  const list = useQuery({
    ...api.isFmTicket.list.queryOptions({ input: { states: [0], limit: shown } }),
    enabled: open,
  })
  const count = data?.count ?? 0
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
        disabled={count === 0}
        label={count > countMax ? `${countMax}+` : count}
        size={16}
        offset={6}
        color="yellow.9"
      >
        <Popover.Target>
          <ActionIcon
            size={36}
            aria-label={t('tickets.bell', { count })}
            onClick={() => setOpen((is) => !is)}
          >
            <Icon of={IconTicket} />
          </ActionIcon>
        </Popover.Target>
      </Indicator>
      <Popover.Dropdown className={classes.bell ?? ''}>
        <Group justify="space-between" mb="sm">
          <Text fw={600} size="sm">
            {t('tickets.bellTitle')}
          </Text>
          <RouterLink to="/fm-ticketing-mgmt" size="sm" onClick={() => setOpen(false)}>
            {t('tickets.bellAll')}
          </RouterLink>
        </Group>
        {list.error ? <ErrorText error={list.error} /> : null}
        {list.data?.total === 0 ? (
          <EmptyState
            icon={IconCircleCheck}
            title={t('tickets.bellNone')}
            text={t('tickets.bellNoneText')}
            compact
          />
        ) : null}
        <ul className={classes.plain}>
          {list.data?.items.map((ticket) => (
            <li key={ticket.id} className={classes.row}>
              <span className={classes.rowText}>
                <RouterLink
                  to={ticketPath(ticket.id)}
                  c="inherit"
                  fw={550}
                  lineClamp={2}
                  onClick={() => setOpen(false)}
                >
                  {titleOf(ticket)}
                </RouterLink>
                <Text span size="sm" c="dimmed">
                  {placeText(ticket.twin)} · <RelativeTime time={ticket.createdAt} />
                </Text>
              </span>
              <PriorityBadge priority={ticket.priority} />
            </li>
          ))}
        </ul>
      </Popover.Dropdown>
    </Popover>
  )
}
