import {
  DndContext,
  KeyboardSensor,
  PointerSensor,
  useDraggable,
  useDroppable,
  useSensor,
  useSensors,
} from '@dnd-kit/core'
import type { Ticket } from '@leitstand/contract/tickets'
import { ticketStates } from '@leitstand/contract/tickets'
import { Button, Text, Title } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { IconArrowRight, IconGripVertical } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../../lib/api.ts'
import { formatNumber } from '../../lib/format.ts'
import { Icon } from '../../ui/display/Icon.tsx'
import { RelativeTime } from '../../ui/display/RelativeTime.tsx'
import { ErrorState } from '../../ui/feedback/ErrorState.tsx'
import { Loading } from '../../ui/feedback/Loading.tsx'
import { FilterBar } from '../../ui/list/FilterBar.tsx'
import listClasses from '../../ui/list/list.module.css'
import { listParams } from '../../ui/list/params.ts'
import { useListState } from '../../ui/list/state.ts'
import { ActionMenu } from '../../ui/page/ActionMenu.tsx'
import { RouterLink } from '../../ui/page/RouterLink.tsx'
import { columnKeys } from './columnKeys.ts'
import { typeIcons } from './icons.ts'
import { placeText, ticketFilter, titleOf } from './pure.ts'
import { DueBadge, PersonName, PriorityBadge } from './TicketBadges.tsx'
import classes from './tickets.module.css'
import { useMoveTicket } from './useTicket.ts'
import { useTicketFilters } from './useTicketFilters.ts'

/** A drag starts after this many px, so that an unsteady click is not a drag. */
const dragFromPx = 5
/** Cards of a column at first, and with each "more". */
const pageSize = 25
const pageMax = 1_000

/** Tickets in three columns, the most urgent first; a card is moved by dragging, by keyboard or by its menu. */
export function Board({ head, onOpen }: { head: ReactNode; onOpen: (id: number) => void }) {
  const { t } = useTranslation()
  const filters = useTicketFilters().filter(({ key }) => key !== 'state')
  const list = useListState(filters)
  const params = listParams(list.state, undefined)
  const move = useMoveTicket()
  const isSmall = useMediaQuery('(max-width: 959.98px)', undefined, { getInitialValueInEffect: false })
  const sensors = useSensors(
    useSensor(PointerSensor, { activationConstraint: { distance: dragFromPx } }),
    useSensor(KeyboardSensor, { coordinateGetter: columnKeys }),
  )
  const nameOf = (id: unknown) => t(`tickets.states.${String(id)}`)
  const cardOf = (data: unknown) => titleOf((data as { ticket: Ticket }).ticket)
  const asked = {
    ...(params.search ? { search: params.search } : {}),
    ...(params.accountIds ? { accountIds: params.accountIds } : {}),
    ...ticketFilter(params.filters),
  }
  return (
    <>
      <header className={listClasses.header}>
        <div className={listClasses.heading}>
          <Title order={1}>{t('screens.fmTickets.title')}</Title>
          <Text c="dimmed" size="sm" maw={720}>
            {t('tickets.description')}
          </Text>
        </div>
        <div className={listClasses.actions}>{head}</div>
      </header>
      <FilterBar
        list={list}
        filters={filters}
        searchPlaceholder={t('tickets.searchPlaceholder')}
        withSearch
        withAccounts
        withFavorites={false}
      />
      <DndContext
        sensors={sensors}
        onDragEnd={({ active, over }) => {
          const { ticket } = active.data.current as { ticket: Ticket }
          const state = ticketStates.find((each) => each === over?.id)
          if (state !== undefined && state !== ticket.state) move.mutate({ ticket, state })
        }}
        accessibility={{
          screenReaderInstructions: { draggable: t('tickets.dragHelp') },
          announcements: {
            onDragStart: ({ active }) => t('drag.started', { title: cardOf(active.data.current) }),
            onDragOver: ({ active, over }) =>
              over
                ? t('drag.over', { title: cardOf(active.data.current), target: nameOf(over.id) })
                : undefined,
            onDragEnd: ({ active }) => t('drag.ended', { title: cardOf(active.data.current) }),
            onDragCancel: ({ active }) => t('drag.cancelled', { title: cardOf(active.data.current) }),
          },
        }}
      >
        <div className={classes.board}>
          {ticketStates.map((state) => (
            <Column key={state} state={state} asked={asked} isSmall={isSmall === true} onOpen={onOpen} />
          ))}
        </div>
      </DndContext>
    </>
  )
}

interface ColumnProps {
  state: Ticket['state']
  asked: object
  isSmall: boolean
  onOpen: (id: number) => void
}

function Column({ state, asked, isSmall, onOpen }: ColumnProps) {
  const { t } = useTranslation()
  const [limit, setLimit] = useState(pageSize)
  const { setNodeRef, isOver } = useDroppable({ id: state })
  const query = useQuery(
    api.isFmTicket.list.queryOptions({
      input: {
        ...asked,
        states: [state],
        limit,
        order_by: state === 2 ? '-changedAt' : '-priority',
      },
      placeholderData: keepPreviousData,
    }),
  )
  const { data } = query
  return (
    <section
      ref={setNodeRef}
      className={classes.column}
      data-over={isOver || undefined}
      aria-label={t(`tickets.states.${state}`)}
    >
      <div className={classes.columnHead}>
        <Title order={2} size="h4">
          {t(`tickets.states.${state}`)}
        </Title>
        <Text span c="dimmed" className="tabular">
          {data ? formatNumber(data.total, 0) : ''}
        </Text>
      </div>
      {query.isError && !data ? (
        <ErrorState error={query.error} onRetry={() => void query.refetch()} compact />
      ) : null}
      {query.isPending ? <Loading lines={4} /> : null}
      {data?.total === 0 ? (
        <Text size="sm" c="dimmed">
          {t('tickets.emptyColumn')}
        </Text>
      ) : null}
      {data?.items.map((ticket) => (
        <Card key={ticket.id} ticket={ticket} isSmall={isSmall} onOpen={onOpen} />
      ))}
      {data && data.total > limit && limit < pageMax ? (
        <Button
          variant="subtle"
          size="xs"
          loading={query.isFetching}
          onClick={() => setLimit((current) => Math.min(current * 2, pageMax))}
        >
          {t('tickets.more', { count: data.total - limit })}
        </Button>
      ) : null}
    </section>
  )
}

function Card({
  ticket,
  isSmall,
  onOpen,
}: {
  ticket: Ticket
  isSmall: boolean
  onOpen: (id: number) => void
}) {
  const { t } = useTranslation()
  const move = useMoveTicket()
  const drags = ticket.editable && !isSmall
  const { setNodeRef, listeners, attributes, transform, isDragging } = useDraggable({
    id: `ticket-${ticket.id}`,
    data: { ticket },
    disabled: !drags,
  })
  return (
    <article
      ref={setNodeRef}
      className={classes.card}
      data-dragged={isDragging || undefined}
      style={
        transform ? { transform: `translate(${transform.x}px, ${transform.y}px)`, zIndex: 5 } : undefined
      }
    >
      <div className={classes.cardText}>
        <RouterLink
          to={`/fm-ticketing-mgmt?ticket=${ticket.id}`}
          c="inherit"
          fw={550}
          onClick={(event) => {
            // Filters stay in the address.
            if (event.metaKey || event.ctrlKey || event.shiftKey) return
            event.preventDefault()
            onOpen(ticket.id)
          }}
        >
          {titleOf(ticket)}
        </RouterLink>
        <Text size="sm" c="dimmed">
          <Icon of={typeIcons[ticket.type]} size={14} /> {placeText(ticket.twin)}
        </Text>
        <Text size="sm" c="dimmed">
          <RelativeTime time={ticket.createdAt} />
          {ticket.assignee === null ? null : (
            <>
              {' · '}
              <PersonName person={ticket.assignee} />
            </>
          )}
        </Text>
        <div className={classes.badges}>
          <PriorityBadge priority={ticket.priority} />
          <DueBadge state={ticket.state} dueAt={ticket.dueAt} />
        </div>
      </div>
      {ticket.editable ? (
        <div className={classes.tools}>
          <ActionMenu
            label={t('tickets.actions', { title: titleOf(ticket) })}
            actions={ticketStates
              .filter((state) => state !== ticket.state)
              .map((state) => ({
                label: t('tickets.moveTo', { state: t(`tickets.states.${state}`) }),
                icon: IconArrowRight,
                onClick: () => move.mutate({ ticket, state }),
              }))}
          />
          {drags ? (
            <button
              type="button"
              className={classes.grip}
              aria-label={titleOf(ticket)}
              {...listeners}
              {...attributes}
            >
              <Icon of={IconGripVertical} size={16} />
            </button>
          ) : null}
        </div>
      ) : null}
    </article>
  )
}
