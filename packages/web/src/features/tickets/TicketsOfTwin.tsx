import type { Twin } from '@leitstand/contract/twins'
import { Button, Text } from '@mantine/core'
import { IconCircleCheck, IconPlus, IconPrinter } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { api } from '../../lib/api.ts'
import { useCan } from '../../lib/session.ts'
import { one, useUrlSearch } from '../../lib/url.ts'
import { QrCode } from '../../ui/display/QrCode.tsx'
import { RelativeTime } from '../../ui/display/RelativeTime.tsx'
import { EmptyState } from '../../ui/feedback/EmptyState.tsx'
import { ErrorState } from '../../ui/feedback/ErrorState.tsx'
import { Loading } from '../../ui/feedback/Loading.tsx'
import { RouterLink } from '../../ui/page/RouterLink.tsx'
import { Section } from '../../ui/page/Section.tsx'
import { printCode } from './printCode.ts'
import { idOf, placeText, reportPath, titleOf } from './pure.ts'
import { DueBadge, PriorityBadge, StateBadge } from './TicketBadges.tsx'
import { OpenTicket } from './TicketDrawer.tsx'
import classes from './tickets.module.css'
import { useLiveTickets } from './useLiveTickets.ts'

const shown = 50

/** Open tickets of a twin and of what is below it, and a code with which more are reported. */
export default function TicketsOfTwin({ twin }: { twin: Twin }) {
  const { t } = useTranslation()
  const can = useCan()
  const navigate = useNavigate()
  useLiveTickets()
  const [search, update] = useUrlSearch()
  const opened = idOf(one(search, 'ticket'))
  const query = useQuery(
    api.isFmTicket.list.queryOptions({ input: { inTwinId: twin.id, states: [0, 1], limit: shown } }),
  )
  const reports = can('IsFmTicket', 'create') || can('IsFmTicket', 'manage')
  return (
    <div className={classes.stack}>
      <Section
        title={t('tickets.ofTwin.heading')}
        actions={
          reports ? (
            <Button
              size="xs"
              leftSection={<IconPlus size={14} aria-hidden />}
              onClick={() => void navigate({ to: '/fm-add-ticket', search: { twin: String(twin.id) } })}
            >
              {t('tickets.report')}
            </Button>
          ) : null
        }
      >
        {query.isError && !query.data ? (
          <ErrorState error={query.error} onRetry={() => void query.refetch()} compact />
        ) : null}
        {query.isPending ? <Loading lines={4} /> : null}
        {query.data?.total === 0 ? (
          <EmptyState
            icon={IconCircleCheck}
            title={t('tickets.bellNone')}
            text={t('tickets.ofTwin.none')}
            compact
          />
        ) : null}
        <ul className={classes.plain}>
          {query.data?.items.map((ticket) => (
            <li key={ticket.id} className={classes.row}>
              <span className={classes.rowText}>
                <RouterLink
                  to={`/digitaltwin-mgmt/${twin.id}?tab=tickets&ticket=${ticket.id}`}
                  c="inherit"
                  fw={550}
                >
                  {titleOf(ticket)}
                </RouterLink>
                <Text span size="sm" c="dimmed">
                  {placeText(ticket.twin)} · <RelativeTime time={ticket.createdAt} />
                </Text>
              </span>
              <span className={classes.badges}>
                <PriorityBadge priority={ticket.priority} />
                <DueBadge state={ticket.state} dueAt={ticket.dueAt} />
                <StateBadge state={ticket.state} />
              </span>
            </li>
          ))}
        </ul>
        {query.data && query.data.total > shown ? (
          <RouterLink to={`/fm-ticketing-mgmt?twin=${twin.id}&view=list`} size="sm">
            {t('tickets.more', { count: query.data.total - shown })}
          </RouterLink>
        ) : null}
      </Section>
      <Section
        title={t('tickets.ofTwin.qr')}
        description={t('tickets.ofTwin.qrText')}
        actions={
          <Button
            size="xs"
            variant="default"
            leftSection={<IconPrinter size={14} aria-hidden />}
            onClick={() => printCode({ heading: t('tickets.report'), place: twin.title })}
          >
            {t('tickets.ofTwin.print')}
          </Button>
        }
      >
        <div className={classes.qr} id="ticket-code">
          <QrCode
            text={`${location.origin}/#${reportPath(twin.id)}`}
            label={`${t('tickets.ofTwin.qr')}: ${twin.title}`}
          />
        </div>
      </Section>
      {opened === null ? null : (
        <OpenTicket key={opened} id={opened} onClose={() => update({ ticket: undefined })} />
      )}
    </div>
  )
}
