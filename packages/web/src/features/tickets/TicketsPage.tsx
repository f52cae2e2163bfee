import type { Ticket } from '@leitstand/contract/tickets'
import { Button, Group, SegmentedControl, Text } from '@mantine/core'
import { IconArrowRight, IconChartBar, IconPlus, IconTicket, IconUserCheck } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import { Suspense, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../lib/api.ts'
import { formatTime } from '../../lib/format.ts'
import { currentLanguage } from '../../lib/i18n.ts'
import { onDemand } from '../../lib/onDemand.ts'
import { useCan, useUser } from '../../lib/session.ts'
import { one, useUrlSearch } from '../../lib/url.ts'
import { RelativeTime } from '../../ui/display/RelativeTime.tsx'
import { useFavoriteAction } from '../../ui/display/useFavoriteAction.ts'
import { EmptyState } from '../../ui/feedback/EmptyState.tsx'
import { ListPage } from '../../ui/list/ListPage.tsx'
import type { ListColumn, ListParams } from '../../ui/list/types.ts'
import { Board } from './Board.tsx'
import { idOf, placeText, ticketFilter, titleOf } from './pure.ts'
import { DueBadge, PersonName, PriorityBadge, StateBadge } from './TicketBadges.tsx'
import { OpenTicket } from './TicketDrawer.tsx'
import classes from './tickets.module.css'
import { useLiveTickets } from './useLiveTickets.ts'
import { inputOf, useChangeTicket, useMoveTicket } from './useTicket.ts'
import { useTicketFilters } from './useTicketFilters.ts'

const listKey = api.isFmTicket.list.key()

const StatisticsDialog = onDemand(() => import('./StatisticsDialog.tsx'))

/** Tickets as a board or a list, `/fm-ticketing-mgmt`, live. */
export default function TicketsPage() {
  useLiveTickets()
  const [search, update] = useUrlSearch()
  const [isSummed, setSummed] = useState(false)
  const opened = idOf(one(search, 'ticket'))
  const open = (id: number) => update({ ticket: String(id) }, { push: true })
  const view = one(search, 'view') === 'list' ? 'list' : 'board'
  const head = <Head view={view} onView={(next) => update({ view: next })} onSums={() => setSummed(true)} />
  return (
    <>
      {view === 'list' ? <TicketList head={head} onOpen={open} /> : <Board head={head} onOpen={open} />}
      {opened === null ? null : (
        <OpenTicket key={opened} id={opened} onClose={() => update({ ticket: undefined })} />
      )}
      {isSummed ? (
        <Suspense>
          <StatisticsDialog onClose={() => setSummed(false)} />
        </Suspense>
      ) : null}
    </>
  )
}

function Head({
  view,
  onView,
  onSums,
}: {
  view: 'board' | 'list'
  onView: (view: string) => void
  onSums: () => void
}) {
  const { t } = useTranslation()
  const can = useCan()
  const navigate = useNavigate()
  return (
    <Group gap={8}>
      <SegmentedControl
        aria-label={t('tickets.view')}
        value={view}
        onChange={onView}
        data={(['board', 'list'] as const).map((value) => ({ value, label: t(`tickets.${value}`) }))}
      />
      <Button variant="default" leftSection={<IconChartBar size={16} aria-hidden />} onClick={onSums}>
        {t('tickets.statistics')}
      </Button>
      {can('IsFmTicket', 'create') || can('IsFmTicket', 'manage') ? (
        <Button
          leftSection={<IconPlus size={16} aria-hidden />}
          onClick={() => void navigate({ to: '/fm-add-ticket' })}
        >
          {t('tickets.report')}
        </Button>
      ) : null}
    </Group>
  )
}

function TicketList({ head, onOpen }: { head: React.ReactNode; onOpen: (id: number) => void }) {
  const { t } = useTranslation()
  const { id: userId } = useUser()
  const move = useMoveTicket()
  const change = useChangeTicket()
  const favorite = useFavoriteAction('ticket', listKey)
  const [address] = useUrlSearch()
  const twinId = idOf(one(address, 'twin'))
  const asked = ({
    search,
    accountIds,
    orderBy,
    filters,
    favorites,
  }: Omit<ListParams, 'offset' | 'limit'>) => ({
    ...(favorites ? { favorites } : {}),
    ...(search ? { search } : {}),
    ...(accountIds ? { accountIds } : {}),
    ...(orderBy ? { order_by: orderBy as '-createdAt' } : {}),
    ...(twinId === null ? {} : { inTwinId: twinId }),
    ...ticketFilter(filters),
  })
  return (
    <ListPage<Ticket>
      name="tickets"
      title={t('screens.fmTickets.title')}
      description={t('tickets.description')}
      primaryAction={head}
      columns={useColumns()}
      filters={useTicketFilters()}
      query={({ offset, limit, ...params }) =>
        api.isFmTicket.list.queryOptions({ input: { offset, limit, ...asked(params) } })
      }
      written={async (params, format) => ({
        ...(await client.isFmTicket.exportFile({ ...asked(params), format, language: currentLanguage() })),
        name: 'tickets',
      })}
      rowKey={(ticket) => ticket.id}
      rowHref={(ticket) => `/fm-ticketing-mgmt?view=list&ticket=${ticket.id}`}
      rowMenu={(ticket) => [
        ...(ticket.editable
          ? [
              ...([0, 1, 2] as const)
                .filter((state) => state !== ticket.state)
                .map((state) => ({
                  label: t('tickets.moveTo', { state: t(`tickets.states.${state}`) }),
                  icon: IconArrowRight,
                  onClick: () => move.mutate({ ticket, state }),
                })),
              {
                label: t('tickets.takeIt'),
                icon: IconUserCheck,
                hidden: ticket.assignee?.userId === userId,
                onClick: () => change.mutate({ ...inputOf(ticket), assigneeId: userId }),
              },
            ]
          : [{ label: t('tickets.history'), icon: IconTicket, onClick: () => onOpen(ticket.id) }]),
        favorite({ id: ticket.id, title: titleOf(ticket) }),
      ]}
      isDimmed={(ticket) => ticket.state === 2}
      searchPlaceholder={t('tickets.searchPlaceholder')}
      withAccounts
      withFavorites
      empty={<EmptyState icon={IconTicket} title={t('tickets.empty')} text={t('tickets.emptyText')} />}
    />
  )
}

function useColumns(): ListColumn<Ticket>[] {
  const { t } = useTranslation()
  return useMemo(
    () => [
      {
        key: 'number',
        title: t('tickets.field.number'),
        sortable: true,
        width: 76,
        render: ({ number }) => `#${number}`,
      },
      {
        key: 'subject',
        title: t('tickets.field.subject'),
        width: 280,
        card: 'title',
        render: (ticket) => (
          <span className={classes.cardText}>
            <Text span fw={550}>
              {ticket.subject}
            </Text>
            <Text span size="xs" c="dimmed">
              {t(`tickets.types.${ticket.type}`)}
              {ticket.comments === 0 ? null : ` · ${t('tickets.comments', { count: ticket.comments })}`}
            </Text>
          </span>
        ),
      },
      {
        key: 'state',
        title: t('tickets.field.state'),
        sortable: true,
        render: ({ state }) => <StateBadge state={state} />,
      },
      {
        key: 'priority',
        title: t('tickets.field.priority'),
        sortable: true,
        hideBelow: 'sm',
        card: 'fact',
        render: ({ priority }) =>
          priority === 'normal' ? t('tickets.priorities.normal') : <PriorityBadge priority={priority} />,
      },
      {
        key: 'type',
        title: t('tickets.field.type'),
        // It is below the subject, too.
        optional: true,
        render: ({ type }) => t(`tickets.types.${type}`),
      },
      {
        key: 'place',
        title: t('tickets.field.place'),
        width: 170,
        render: ({ twin }) => placeText(twin),
      },
      {
        key: 'assignee',
        title: t('tickets.field.assignee'),
        hideBelow: 'sm',
        card: 'fact',
        render: ({ assignee }) =>
          assignee === null ? (
            <Text span size="sm" c="dimmed">
              {t('tickets.nobody')}
            </Text>
          ) : (
            <PersonName person={assignee} />
          ),
      },
      {
        key: 'dueAt',
        title: t('tickets.field.dueAt'),
        sortable: true,
        hideBelow: 'md',
        card: 'fact',
        render: ({ state, dueAt }) => (dueAt === null ? '–' : <DueBadge state={state} dueAt={dueAt} />),
      },
      {
        key: 'createdAt',
        title: t('tickets.field.createdAt'),
        sortable: true,
        hideBelow: 'sm',
        card: 'fact',
        csv: ({ createdAt }) => formatTime(createdAt),
        render: ({ createdAt }) => <RelativeTime time={createdAt} />,
      },
      {
        key: 'account',
        title: t('tickets.field.account'),
        optional: true,
        render: ({ accountName }) => accountName,
      },
    ],
    [t],
  )
}
